#include "sim/explain/split_blocks.hpp"

#include <algorithm>

#include "traces/format/writer.hpp"

namespace warpmem::sim {

std::uint32_t warps_of(const trace::Launch& launch) {
  return (launch.block[0] * launch.block[1] * launch.block[2] + 31) / 32;
}

bool can_split_blocks(const trace::TraceReader& reader, std::uint32_t index) {
  const trace::Launch& l = reader.launches()[index].launch;
  if (l.static_shared + l.dynamic_shared > 0 || l.cluster[0] * l.cluster[1] * l.cluster[2] > 1)
    return false;
  return std::ranges::none_of(reader.sites(index), [](const trace::Site& s) {
    return s.op == trace::Op::kBarrier || s.space == trace::Space::kShared;
  });
}

Result<void> write_in_parts(const trace::TraceReader& reader, std::uint32_t index,
                            std::uint32_t parts, const std::string& path) {
  const trace::LaunchSummary& summary = reader.launches()[index];
  const std::uint32_t warps = warps_of(summary.launch) / parts;
  auto writer = trace::TraceWriter::create(path, reader.origin(), {.overwrite = true});
  if (!writer) return writer.error();
  const auto program = writer->add_program(reader.programs()[summary.launch.program]);
  if (!program) return program.error();
  trace::Launch launch = summary.launch;
  launch.program = *program;
  launch.grid[0] *= parts;
  launch.block = {32 * warps, 1, 1};
  if (auto done = writer->begin_launch(launch); !done) return done;
  trace::BlockBuilder builder(launch.id, 1);
  const auto sites = reader.sites(index);
  for (const std::uint32_t number : summary.blocks) {
    auto block = reader.decode(number);
    if (!block) return block.error();
    for (const trace::Segment& s : block->segments) {
      const std::span<trace::Record> records(block->records.data() + s.first, s.count);
      // The new CTAs were nowhere yet.
      for (trace::Record& r : records)
        if (sites[r.site].op == trace::Op::kCtaBegin) r.base = trace::kUnknownSm;
      builder.add(s.cta * parts + s.warp / warps, s.warp % warps, records, sites,
                  {block->lanes.data(), block->lanes.size()});
    }
    if (!builder.full()) continue;
    if (auto done = writer->append(builder.take()); !done) return done;
  }
  if (!builder.empty())
    if (auto done = writer->append(builder.take()); !done) return done;
  trace::LaunchEnd end = summary.end;
  end.records = 0;
  if (auto done = writer->end_launch(launch.id, end); !done) return done;
  return writer->seal();
}

}  // namespace warpmem::sim
