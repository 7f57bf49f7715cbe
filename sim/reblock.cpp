#include "sim/reblock.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "traces/format/writer.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint32_t kWarp = 32;

// `split` CTAs of one, or one of `join` CTAs; at least one of them is 1.
struct Dealing {
  std::uint32_t split = 1, join = 1;
};

std::uint32_t threads_of(const trace::Launch& l) { return l.block[0] * l.block[1] * l.block[2]; }

trace::Launch dealt(const trace::Launch& launch, const Dealing& how) {
  trace::Launch out = launch;
  if (how.split == 1 && how.join == 1) return out;
  out.grid[0] = (launch.grid[0] * how.split + how.join - 1) / how.join;
  out.block = {kWarp * warps_of(launch) / how.split * how.join, 1, 1};
  return out;
}

Result<void> write_launch(const trace::TraceReader& reader, std::uint32_t index, const Dealing& how,
                          std::uint32_t program, trace::TraceWriter& writer) {
  const trace::LaunchSummary& summary = reader.launches()[index];
  const std::uint32_t before = warps_of(summary.launch), after = before / how.split;
  trace::Launch launch = dealt(summary.launch, how);
  launch.program = program;
  if (auto done = writer.begin_launch(launch); !done) return done;
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
      const std::uint64_t cta = s.cta * how.split + s.warp / after;
      const auto warp =
          static_cast<std::uint32_t>(s.warp % after + cta % how.join * std::uint64_t{before});
      builder.add(cta / how.join, warp, records, sites, {block->lanes.data(), block->lanes.size()});
    }
    if (!builder.full()) continue;
    if (auto done = writer.append(builder.take()); !done) return done;
  }
  if (!builder.empty())
    if (auto done = writer.append(builder.take()); !done) return done;
  trace::LaunchEnd end = summary.end;
  end.records = 0;
  return writer.end_launch(launch.id, end);
}

Result<Dealing> dealing_of(const trace::TraceReader& reader, std::uint32_t index,
                           std::uint32_t threads) {
  const trace::Launch& l = reader.launches()[index].launch;
  const std::uint32_t now = threads_of(l);
  const auto refused = [&](const std::string& why) {
    return Error{ErrorKind::kUsage,
                 fmt::format("launch {} has CTAs of {} threads and cannot have {}: {}", l.id, now,
                             threads, why),
                 "block", "make a trace for each size: --make with {block}"};
  };
  if (threads == now) return Dealing{};
  if (const std::string why = joins_warps(reader, index); !why.empty()) return refused(why);
  if (threads % kWarp != 0 || threads == 0) return refused("that is no whole number of warps");
  if (threads < now) {
    const std::uint32_t warps = threads / kWarp;
    if (warps_of(l) % warps != 0) return refused("it does not divide them");
    const std::uint32_t parts = warps_of(l) / warps;
    if (std::uint64_t{l.grid[0]} * parts > 0x7fffffff)
      return refused("the grid would be too large");
    return Dealing{parts, 1};
  }
  if (now % kWarp != 0 || threads % now != 0) return refused("it is not several times as many");
  const std::uint32_t join = threads / now;
  // Of a single row the last CTA may have fewer warps; of several rows CTAs would reach into the
  // next.
  if (l.grid[0] % join != 0 && l.grid[1] * l.grid[2] > 1)
    return refused(fmt::format("a row of the grid has {} CTAs", l.grid[0]));
  return Dealing{1, join};
}

}  // namespace

std::uint32_t warps_of(const trace::Launch& launch) {
  return (threads_of(launch) + kWarp - 1) / kWarp;
}

std::string joins_warps(const trace::TraceReader& reader, std::uint32_t index) {
  const trace::Launch& l = reader.launches()[index].launch;
  if (l.cluster[0] * l.cluster[1] * l.cluster[2] > 1) return "its CTAs form clusters";
  if (l.static_shared + l.dynamic_shared > 0) return "its warps share memory";
  for (const trace::Site& s : reader.sites(index)) {
    if (s.space == trace::Space::kShared) return "its warps share memory";
    if (s.op == trace::Op::kBarrier) return "its warps wait for each other at a barrier";
  }
  return {};
}

Result<void> write_in_parts(const trace::TraceReader& reader, std::uint32_t index,
                            std::uint32_t parts, const std::string& path) {
  auto writer = trace::TraceWriter::create(path, reader.origin(), {.overwrite = true});
  if (!writer) return writer.error();
  const auto program =
      writer->add_program(reader.programs()[reader.launches()[index].launch.program]);
  if (!program) return program.error();
  if (auto done = write_launch(reader, index, {parts, 1}, *program, *writer); !done) return done;
  return writer->seal();
}

Result<void> write_with_blocks(const trace::TraceReader& reader, std::uint32_t threads,
                               const std::function<bool(std::uint64_t launch)>& wanted,
                               const std::string& path) {
  auto writer = trace::TraceWriter::create(path, reader.origin(), {.overwrite = true});
  if (!writer) return writer.error();
  for (const trace::Program& p : reader.programs())
    if (const auto added = writer->add_program(p); !added) return added.error();
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::Launch& launch = reader.launches()[i].launch;
    if (wanted && !wanted(launch.id)) continue;
    const auto how = dealing_of(reader, i, threads);
    if (!how) return how.error();
    if (auto done = write_launch(reader, i, *how, launch.program, *writer); !done) return done;
  }
  return writer->seal();
}

}  // namespace warpmem::sim
