#include "sim/replay.hpp"

#include "sim/launch_replay.hpp"
#include "sim/memory_system.hpp"
#include "sim/occupancy.hpp"

namespace warpmem::sim {
namespace {

// Laws that hold at the end of every launch; a violation is a bug of ours.
Result<void> check_laws(const LaunchCounters& c, const std::string& place) {
  const auto broken = [&](const char* law) {
    return Error{ErrorKind::kInternal, std::string("a conservation law does not hold: ") + law, place, "please report this with the trace"};
  };
  if (c.global_ld.hits > c.global_ld.sectors) return broken("L1 hits <= L1 sectors");
  if (c.l2.read_hit > c.l2.read || c.l2.atomic_hit > c.l2.atomic || c.l2.reduction_hit > c.l2.reduction)
    return broken("L2 hits <= L2 sectors");
  const std::uint64_t l2_reads = c.l2.read + c.l2.merged + c.l2.atomic + c.remote_sectors;
  if (c.l1_fill_sectors != l2_reads) return broken("sectors into the L1s = L2 reads + coalesced reads + atomics + other SMs");
  if (c.l1_write_sectors != c.l2.write + c.l2.atomic + c.l2.reduction + c.remote_sectors) return broken("sectors out of the L1s = L2 writes + atomics + other SMs");
  if (c.l2.atomic != c.global_atom.sectors || c.l2.reduction != c.global_red.sectors + c.global_bulk_red) return broken("L2 atomics = L1 atomics");
  return {};
}

}  // namespace

Result<ReplayResult> replay(const trace::TraceReader& reader, const model::Card& card, const ReplayOptions& options) {
  ReplayResult result;
  for (const std::string& m : reader.origin().missing) result.notes.push_back("not in the trace: " + m);
  MemorySystem memory(card);
  BlockCache cache(reader, options.decoded_bytes);
  std::optional<model::MemoryPath> path;
  if (options.time) {
    path.emplace(card.path());
    memory.take(&*path);
  }
  std::uint64_t total = 0, before = 0;
  for (const trace::LaunchSummary& l : reader.launches())
    if (!options.launch || *options.launch == l.launch.id) total += l.end.records;
  bool found = false;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::LaunchSummary& summary = reader.launches()[i];
    if (options.launch && *options.launch != summary.launch.id) continue;
    found = true;
    const trace::Program& program = reader.programs()[summary.launch.program];
    const std::string place = reader.path() + ", launch " + std::to_string(summary.launch.id) + " (" + program.demangled + ")";
    auto fit = occupancy(card, summary.launch);
    if (!fit) {
      Error e = fit.error();
      e.place = place + ", " + e.place;
      return e;
    }
    memory.begin_launch(summary.launch, fit->shared_config, !options.keep_caches);
    std::function<bool(std::uint64_t)> tick;
    if (options.progress) tick = [&](std::uint64_t done) { return options.progress(before + done, total); };
    ReplayedLaunch out;
    std::uint64_t forced = 0;
    if (options.time) {
      path->clear();
      auto timed = time_launch(reader, i, card, memory, *path, cache, *fit, tick);
      if (!timed) return timed.error();
      out.time = *timed;
      forced = timed->forced;
    } else {
      LaunchReplay run(reader, i, card, memory, cache, *fit);
      if (auto ok = run.run(tick); !ok) return ok.error();
      forced = run.forced();
    }
    out.counters = memory.finish_launch();
    before += out.counters.records;
    if (auto ok = check_laws(out.counters, place); !ok) return ok.error();
    out.complete = summary.complete;
    if (!summary.complete) out.notes.push_back("the trace of this launch is not complete");
    if (program.code.empty()) out.notes.push_back("no program section: opcodes and cache operators are not known");
    if (forced) out.notes.push_back("barriers opened by force: " + std::to_string(forced));
    if (out.time) out.metrics.metrics["sm__cycles_elapsed.max"] = MetricValue{static_cast<double>(out.time->cycles), {}};
    out.metrics.launch = summary.launch.id;
    out.metrics.kernel = program.demangled.empty() ? program.name : program.demangled;
    out.metrics.grid = summary.launch.grid;
    out.metrics.block = summary.launch.block;
    for (const MetricRow& row : metric_rows()) out.metrics.metrics[row.name] = MetricValue{static_cast<double>(row.value(out.counters)), {}};
    out.metrics.metrics["launch__shared_mem_config_size"] = MetricValue{static_cast<double>(fit->shared_config), {}};
    result.launches.push_back(out.metrics);
    result.details.push_back(std::move(out));
  }
  if (options.launch && !found)
    return Error{ErrorKind::kUsage, "launch " + std::to_string(*options.launch) + " is not in the trace", reader.path(), "see its launches with: warpmem info " + reader.path()};
  return result;
}

}  // namespace warpmem::sim
