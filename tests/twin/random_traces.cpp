#include "tests/twin/random_traces.hpp"

#include "tests/twin/random_launch.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::twin {
namespace {

Result<void> write(trace::TraceWriter& writer, std::uint32_t id, RandomLaunch random) {
  random.program.name = random.program.demangled = "random" + std::to_string(id);
  auto program = writer.add_program(random.program);
  if (!program) return program.error();
  random.launch.program = *program;
  random.launch.id = id;
  if (auto ok = writer.begin_launch(random.launch); !ok) return ok;
  trace::BlockBuilder builder(id, 0);
  for (const RandomWarp& w : random.warps)
    builder.add(w.cta, w.warp, w.records, random.sites, w.lanes);
  if (auto ok = writer.append(builder.take()); !ok) return ok;
  return writer.end_launch(id, {});
}

}  // namespace

Result<void> write_random_trace(const std::string& path, std::uint64_t first,
                                std::uint64_t launches, bool windows) {
  auto writer =
      trace::TraceWriter::create(path, trace::Origin{}, {.overwrite = true, .zstd_level = 0});
  if (!writer) return writer.error();
  for (std::uint32_t i = 0; i < launches; ++i)
    if (auto ok = write(*writer, i, random_launch(first + i, windows)); !ok) return ok;
  return writer->seal();
}

}  // namespace warpmem::twin
