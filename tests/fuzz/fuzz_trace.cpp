// A whole file: opened both ways, every block decoded, every CTA looked up, all of it replayed by
// both engines. Whatever a replay takes keeps its laws.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "sim/replay.hpp"
#include "traces/format/reader.hpp"

using namespace warpmem::trace;

namespace {

// A law that does not hold is an error of ours. Loops that a file says are long are not gone round.
void replay_all(const TraceReader& reader) {
  using namespace warpmem;
  static const model::Card card = model::load_card("h200").value();
  for (const bool time : {false, true}) {
    sim::ReplayOptions how;
    how.time = time;
    how.progress = [](std::uint64_t done, std::uint64_t) { return done < 200'000; };
    const auto replayed = sim::replay(reader, card, how);
    if (!replayed && replayed.error().kind == ErrorKind::kInternal) std::abort();
  }
}

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
  replay_all(*reader);
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
