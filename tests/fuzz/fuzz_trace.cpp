// A whole file: opened both ways, every block decoded, every CTA looked up.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "traces/format/reader.hpp"

using namespace warpmem::trace;

namespace {

void read_all(const std::string& path, bool allow_partial) {
  auto reader = TraceReader::open(path, {.allow_partial = allow_partial});
  if (!reader) return;
  for (std::uint32_t i = 0; i < reader->launches().size(); ++i) {
    for (const auto block : reader->launches()[i].blocks) {
      const auto decoded = reader->decode(block);
      if (!decoded) continue;
      for (const Record& record : decoded->records) {
        if (record.site >= reader->sites(i).size()) std::abort();
        const auto active = static_cast<std::uint64_t>(record.active());
        if (!record.regular() && record.lanes + active > decoded->lanes.size()) std::abort();
      }
    }
    const auto ctas = reader->ctas(i);
    for (std::size_t k = 0; k < ctas->size() && k < 16; ++k) {
      if (!reader->cta_segments(i, (*ctas)[k])) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const int fd = ::memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
    return 0;
  read_all(path, false);
  read_all(path, true);
  return 0;
}
