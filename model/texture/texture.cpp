#include "model/texture/texture.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::model {
namespace {

// Sectors that a pass touches, each once, and how long it takes.
class Pass {
 public:
  void add(std::uint64_t address) {
    const std::uint64_t s = address / kSectorBytes;
    if (std::find(sector_.begin(), sector_.begin() + count_, s) == sector_.begin() + count_)
      sector_[static_cast<std::size_t>(count_++)] = s;
  }
  std::uint32_t sectors() const { return static_cast<std::uint32_t>(count_); }
  // Each of four data banks gives one sector a cycle; lines next to each other have theirs in
  // another order. (So 265 of the 335 forms of reads of texture_reads.cu take as many wavefronts as
  // measured.)
  std::uint32_t cycles() const {
    std::array<std::uint32_t, 4> banks{};
    for (int i = 0; i < count_; ++i) {
      const std::uint64_t s = sector_[static_cast<std::size_t>(i)];
      ++banks[(s ^ (s / 4 & 1)) & 3];
    }
    return *std::max_element(banks.begin(), banks.end());
  }

 private:
  static constexpr std::size_t kMost = 8 * 8;  // lanes, texels
  std::array<std::uint64_t, kMost> sector_;
  int count_ = 0;
};

// How a request's lanes and texels are shared out among passes.
struct Passes {
  std::uint32_t lanes;  // of the warp that a pass takes
  std::uint32_t times;  // that it takes them: a part of each texel at a time
  std::uint32_t least;  // cycles
};

// A pass of a filter has room for 16 texels of up to 8 bytes, of 16 bytes for half as many or (in
// three dimensions) a quarter, half of each at a time. Unfiltered texels of 16 bytes take two
// cycles, and four where eight lanes want one.
Passes passes_of(const TextureAccess& a) {
  const bool wide = a.bytes > 8;
  if (a.gathers) return {a.request_lanes, 1, 2};
  if (a.texels > 4) return wide ? Passes{1, 2, 2} : Passes{2, 1, 1};
  if (a.texels > 1) return wide ? Passes{2, 2, 1} : Passes{a.request_lanes, 1, 1};
  return {a.request_lanes, 1, wide && !a.linear ? a.request_lanes / 2 : 1};
}

// Texels are aligned to their size and lie within a sector.
void list(std::uint64_t address, std::uint32_t bytes, bool with_bytes, std::uint64_t line_bytes,
          TextureTraffic& out) {
  const std::uint64_t line = address / line_bytes;
  auto i = static_cast<std::size_t>(out.count);
  while (i > 0 && out.line[i - 1].line != line) --i;
  if (i == 0) {
    i = static_cast<std::size_t>(++out.count);
    out.line[i - 1] = {};
    out.line[i - 1].line = line;
  }
  LineTouch& touch = out.line[i - 1];
  const auto s = static_cast<std::size_t>(address % line_bytes / kSectorBytes);
  touch.sectors = static_cast<std::uint8_t>(touch.sectors | 1u << s);
  if (!with_bytes) return;
  touch.bytes[s] |= ((1u << bytes) - 1) << address % kSectorBytes;
  if (touch.bytes[s] == ~0u) touch.full = static_cast<std::uint8_t>(touch.full | 1u << s);
}

}  // namespace

void texture_traffic(const TextureAccess& a, bool with_bytes, TextureTraffic& out,
                     std::uint64_t line_bytes) {
  out.requests = out.sectors = 0;
  out.count = 0;
  const Passes passes = passes_of(a);
  std::uint32_t busy = 0;
  for (std::uint32_t first = 0; first < kWarpLanes; first += a.request_lanes) {
    const std::uint32_t all = a.request_lanes == 8 ? 255u : 15u;
    if ((a.mask >> first & all) == 0) continue;
    ++out.requests;
    for (std::uint32_t from = first; from < first + a.request_lanes; from += passes.lanes) {
      Pass pass;
      for (std::uint32_t l = from; l < from + passes.lanes; ++l)
        for (std::size_t k = 0; k < static_cast<std::size_t>(a.texels); ++k)
          if (a.has[k] >> l & 1) {
            pass.add(a.address[k][l]);
            list(a.address[k][l], a.bytes, with_bytes, line_bytes, out);
          }
      out.sectors += passes.times * pass.sectors();
      // A part of each texel is a part of each sector.
      busy += std::max(passes.times * passes.least, pass.cycles());
    }
  }
  out.cycles = busy + (busy + 4) / 8;
}

}  // namespace warpmem::model
