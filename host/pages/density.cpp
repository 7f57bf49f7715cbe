#include "host/pages/density.hpp"

#include <algorithm>

namespace warpmem::host {
namespace {

Pages range(std::size_t first, std::size_t last) {
  Pages out;
  for (std::size_t i = first; i < last; ++i) out.set(i);
  return out;
}

}  // namespace

Pages pages_to_move(const Pages& there, const Pages& faulted, std::size_t pages, unsigned percent) {
  Pages dense = there | faulted;
  for (std::size_t big = 0; big < pages; big += kBigPages) {
    const Pages of = range(big, std::min(pages, big + kBigPages));
    if ((faulted & of).any()) dense |= of;
  }
  Pages moved = faulted;
  for (std::size_t page = 0; page < pages; ++page) {
    if (!faulted[page]) continue;
    std::size_t first = page, last = page + 1;
    for (std::size_t size = 1; size <= kBlockPages; size *= 2) {
      const std::size_t begin = page / size * size, end = std::min(pages, begin + size);
      if ((dense & range(begin, end)).count() * 100 > (end - begin) * percent)
        first = begin, last = end;
    }
    moved |= range(first, last);
  }
  return moved & ~there;
}

}  // namespace warpmem::host
