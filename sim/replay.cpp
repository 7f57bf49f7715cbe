#include "sim/replay.hpp"

#include <algorithm>
#include <bit>
#include <memory>
#include <mutex>

#include "base/in_parallel.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/card/memory_system_of.hpp"
#include "model/system/shaped_memory.hpp"
#include "sim/code/code_size.hpp"
#include "sim/counts/launch_replay.hpp"
#include "sim/counts/many_sms.hpp"
#include "sim/engine/lacking.hpp"
#include "sim/engine/occupancy.hpp"
#include "sim/engine/record_law.hpp"
#include "sim/engine/sites.hpp"
#include "sim/engine/spins.hpp"
#include "sim/metric_rows.hpp"
#include "sim/site_counters.hpp"

namespace warpmem::sim {

namespace {

// Laws that hold at the end of every launch; a violation is a bug of ours.
Result<void> check_laws(const model::LaunchCounters& c, const std::string& place) {
  const auto broken = [&](const char* law) { return broken_law(law, place); };
  if (c.global_ld.hits > c.global_ld.sectors) return broken("L1 hits <= L1 sectors");
  if (c.l2.read_hit > c.l2.read || c.l2.atomic_hit > c.l2.atomic ||
      c.l2.reduction_hit > c.l2.reduction)
    return broken("L2 hits <= L2 sectors");
  const std::uint64_t l2_reads = c.l2.read + c.l2.merged + c.l2.atomic + c.remote_sectors;
  if (c.l1_fill_sectors != l2_reads)
    return broken("sectors into the L1s = L2 reads + coalesced reads + atomics + other SMs");
  if (c.l1_write_sectors != c.l2.write + c.l2.atomic + c.l2.reduction + c.remote_sectors)
    return broken("sectors out of the L1s = L2 writes + atomics + other SMs");
  if (c.l2.atomic != c.global_atom.sectors ||
      c.l2.reduction != c.global_red.sectors + c.global_bulk_red)
    return broken("L2 atomics = L1 atomics");
  return {};
}

// " app.cu:12, app.cu:30"
std::string places_text(const std::vector<std::string>& places) {
  constexpr std::size_t kMost = 8;
  std::string out;
  for (std::size_t i = 0; i < std::min(places.size(), kMost); ++i)
    out += (i == 0 ? " " : ", ") + places[i];
  return places.size() > kMost ? out + " and " + std::to_string(places.size() - kMost) + " more"
                               : out;
}

// What was put back, and what is not known of it.
std::string spills_text(const ReplayedLaunch::SpilledRegisters& s) {
  std::string out = "spilled registers: " + std::to_string(s.loads) + " loads and " +
                    std::to_string(s.stores) +
                    " stores of warps, which the trace lacks, were put "
                    "back from " +
                    std::to_string(s.instructions) + " instructions of the code";
  if (s.loops_taken_once.empty()) return out;
  const std::size_t n = s.loops_taken_once.size();
  out += "; " + std::to_string(n) + (n == 1 ? " loop" : " loops") + " of them " +
         (n == 1 ? "was" : "were") + " taken once, as nobody knows the rounds:";
  return out + places_text(s.loops_taken_once);
}

std::string spins_text(const ReplayedLaunch::Spinning& s) {
  std::string out = "warps wait for each other: " + std::to_string(s.again) + " of " +
                    std::to_string(s.records) +
                    " accesses look again at what their warp has just looked at. How often they do "
                    "is the time that they waited "
                    "where the trace was made, and part of all counts";
  if (s.cycles_without)
    out += "; without these looks, and so without waiting, the launch takes " +
           std::to_string(*s.cycles_without) + " cycles";
  return out;
}

std::string loops_text(const std::vector<std::string>& places) {
  const std::size_t n = places.size();
  return std::to_string(n) + (n == 1 ? " loop" : " loops") + " without memory accesses " +
         (n == 1 ? "was" : "were") +
         " taken once, as neither the trace nor the code tells how often; cycles are "
         "too few by what they ran:" +
         places_text(places);
}

// How far all launches together are, reported to the caller, who may stop them.
class Tally {
 public:
  Tally(const ReplayOptions& options, std::uint64_t total) : options_(options), total_(total) {}

  // A launch's records so far; `told` is what it has said before.
  bool tell(std::uint64_t done, std::uint64_t& told) {
    const std::lock_guard lock(telling_);
    done_ += done - told;
    told = done;
    if (options_.progress && !options_.progress(done_, total_)) stopped_ = true;
    return !stopped_;
  }

 private:
  const ReplayOptions& options_;
  std::mutex telling_;
  std::uint64_t done_ = 0, total_;
  bool stopped_ = false;
};

// A granularity that the program set, as DRAM has one: 32, 64 or 128 bytes. What the user says of
// the card goes before it.
std::uint64_t fetch_bytes(const trace::Launch& launch, const model::Card& card) {
  const auto said = std::ranges::find(card.entries(), "l2.fetch", &model::CardEntry::key);
  if (launch.fetch_bytes == 0 || (said != card.entries().end() && said->overridden)) return 0;
  return std::bit_ceil(std::clamp(launch.fetch_bytes, 32u, 128u));
}

// What of a launch concerns its memory.
model::LaunchMemory launch_memory(const trace::Launch& launch, const model::Card& card) {
  model::LaunchMemory m;
  m.local_bytes = launch.local_bytes;
  m.set_aside = launch.set_aside;
  m.ends_persisting = launch.ends_persisting;
  m.fetch_bytes = fetch_bytes(launch, card);
  m.window = {launch.window.base, launch.window.bytes, launch.window.hit_ratio,
              static_cast<model::PolicyWindow::Property>(launch.window.hit),
              static_cast<model::PolicyWindow::Property>(launch.window.miss)};
  for (const trace::Allocation& a : launch.allocations)
    if (a.kind == trace::AllocationKind::kHost) m.host.push_back({a.base, a.bytes});
  return m;
}

// What replays one launch after the other: the state of a GPU, and decoded blocks.
struct Engine {
  Engine(const trace::TraceReader& reader, const model::Card& card, const ReplayOptions& options)
      : memory(model::memory_system_of(card, options.time, options.general_memory, options.flat)),
        cache(reader, options.decoded_bytes, options.rewrite, options.decoded) {
    if (options.caches) memory->listen_to_caches(options.caches);
  }
  std::unique_ptr<model::MemorySystem> memory;
  BlockCache cache;
};

// What an engine says of its run beside the result.
struct Ran {
  ForcedBarriers forced;
  Taken taken;
};

// What of a launch's time is worked out from less than a recording of its machine code on an H200.
void add_time_notes(const trace::Program& program, const model::Card& card,
                    std::vector<std::string>& notes) {
  if (card.numbers().access_rule != static_cast<std::uint64_t>(model::AccessRule::kSectors))
    notes.push_back(
        "times: transactions, caches, latencies, bandwidths and issue rates are this card's; "
        "queues in "
        "front of the load/store unit are known of Hopper alone and left out; launches, barriers "
        "and "
        "instructions cost what they do on an H200");
  if (program.code.empty())
    notes.push_back(
        "no program section: four instructions are assumed between two accesses, each of which "
        "waits for the one before; cycles are rough then, as what the code does in between takes "
        "time "
        "of its own");
  else if (program.level == trace::Level::kPtx)
    notes.push_back(
        "PTX: an instruction counts as two machine instructions, and waits are worked out from its "
        "registers; short kernels come out too fast");
  else if (!program.code.front().has_control())
    notes.push_back(
        "recorded without scheduling control: waits are worked out from registers; record again "
        "for better cycles");
}

// What the trace lacks of a launch, and what the model leaves out of it.
Result<void> add_notes(const trace::TraceReader& reader, std::uint32_t index,
                       const model::Card& card, bool time, std::vector<std::string>& notes) {
  const trace::LaunchSummary& summary = reader.launches()[index];
  const trace::Program& program = reader.programs()[summary.launch.program];
  if (!summary.complete) notes.push_back("the trace of this launch is not complete");
  if (std::ranges::any_of(summary.launch.allocations, [](const trace::Allocation& a) {
        return a.kind == trace::AllocationKind::kManaged;
      }))
    notes.push_back(
        "managed memory is taken to be on the GPU: no page moves, nothing waits for one");
  if (std::ranges::any_of(reader.sites(index), [](const trace::Site& s) {
        return s.op == trace::Op::kPrefetch && s.space != trace::Space::kNone;
      }))
    notes.push_back("every prefetch brings its lines: a GPU drops some where many are under way");
  auto skipped = lacking_notes(reader, index, card);
  if (!skipped) return skipped.error();
  notes.insert(notes.end(), skipped->begin(), skipped->end());
  if (program.code.empty())
    notes.push_back("no program section: opcodes and cache operators are not known");
  if (time) add_time_notes(program, card, notes);
  return {};
}

// The counters under the profiler's names.
LaunchMetrics metrics_of(const trace::Launch& launch, const trace::Program& program,
                         const model::LaunchCounters& counters, std::uint64_t shared_config) {
  LaunchMetrics out;
  out.launch = launch.id;
  out.kernel = program.demangled.empty() ? program.name : program.demangled;
  out.grid = launch.grid;
  out.block = launch.block;
  for (const MetricRow& row : metric_rows())
    out.metrics[row.name] = MetricValue{static_cast<double>(row.value(counters)), {}};
  out.metrics["launch__shared_mem_config_size"] =
      MetricValue{static_cast<double>(shared_config), {}};
  return out;
}

// A launch's SMs on several threads. Blocks are decoded once for all of them, where there is room.
Result<ManySmsResult> run_shared_out(const trace::TraceReader& reader, std::uint32_t index,
                                     const model::Card& card, const ReplayOptions& options,
                                     model::SectoredMemory& memory,
                                     const model::LaunchMemory& launch, const Occupancy& fit,
                                     unsigned threads, const Tick& tick) {
  ManySms what{reader, index, card, launch, fit};
  what.rewrite = options.rewrite;
  what.decoded = options.decoded;
  what.decoded_bytes = options.decoded_bytes;
  what.threads = threads;
  what.few = options.few_warps;
  std::optional<DecodedTrace> decoded;
  const std::uint64_t id = reader.launches()[index].launch.id;
  const auto this_one = [id](std::uint64_t launch_id) { return launch_id == id; };
  const bool as_it_is = !options.rewrite || options.rewrite->leaves_records();
  if (!what.decoded && as_it_is &&
      DecodedTrace::least_bytes(reader, this_one) <= options.decoded_launch_bytes) {
    auto all = DecodedTrace::of(reader, threads, this_one);
    if (!all) return all.error();
    decoded = std::move(all).value();
    what.decoded = &*decoded;
  }
  return run_many_sms(what, memory, tick);
}

// The memory system, if a launch's SMs can be shared out in front of it; else nullptr.
model::SectoredMemory* shareable(model::MemorySystem& memory) {
  struct IfSectored final : model::MemoryVisitor {
    void visit(model::SectoredMemory& sectored) override { found = &sectored; }
    void visit(model::MemorySystem&) override {}
    model::SectoredMemory* found = nullptr;
  } visitor;
  memory.accept(visitor);
  return visitor.found;
}

// Runs the launch's records on one of the engines.
Result<void> run_engine(const trace::TraceReader& reader, std::uint32_t index,
                        const model::Card& card, const ReplayOptions& options,
                        model::MemorySystem& memory, const model::LaunchMemory& launch,
                        unsigned threads, BlockCache& cache, Spills* spills, Tally& tally,
                        ReplayedLaunch& out, Ran& ran) {
  std::uint64_t told = 0;
  const auto tick = [&](std::uint64_t done) {
    const std::uint64_t put_back = spills ? spills->loads + spills->stores : 0;
    return tally.tell(std::max(told, done - std::min(done, put_back)), told);
  };
  cache.keep_rounds(options.time || spills);
  cache.begin();
  if (options.time) {
    auto timed = time_launch({reader, index, card, memory, cache, out.occupancy, spills}, tick,
                             options.stays);
    if (!timed) return timed.error();
    out.time = *timed;
    ran = {timed->forced, cache.taken()};
    return {};
  }
  if (model::SectoredMemory* const shared = threads > 1 && !spills ? shareable(memory) : nullptr;
      shared && can_share_out(reader, index, card) &&
      (options.few_warps == 0 || pays_to_share_out(reader, index))) {
    auto many =
        run_shared_out(reader, index, card, options, *shared, launch, out.occupancy, threads, tick);
    if (!many) return many.error();
    ran = {many->forced, many->taken};
    if (many->done) return {};
  }
  auto counted = count_launch({reader, index, card, memory, cache, out.occupancy, spills}, tick);
  if (!counted) return counted.error();
  ran = {*counted, cache.taken()};
  return {};
}

// Who counts a launch's accesses apart: by instruction, or those of some CTAs.
void count_apart(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
                 const ReplayOptions& options, model::MemorySystem& memory, const Spills* spills,
                 std::optional<SiteCounters>& out) {
  if (options.counted_ctas) {
    std::vector<std::uint8_t> slot_of;
    std::uint8_t slot = 0;
    for (const std::vector<std::uint64_t>& group : *options.counted_ctas) {
      ++slot;
      for (const std::uint64_t cta : group) {
        if (cta >= slot_of.size()) slot_of.resize(cta + 1);
        slot_of[cta] = slot;
      }
    }
    out.emplace(memory, std::move(slot_of), slot + std::size_t{1});
  } else if (options.by_site) {
    out.emplace(memory, sites_of(reader, index, spills).size());
    if (options.banks)
      out->watch_banks(static_cast<std::uint32_t>(card.numbers().shared_banks),
                       static_cast<std::uint32_t>(card.numbers().shared_bank_bytes));
  }
}

// What the memory system has counted of a launch that is over.
void take_counters(model::MemorySystem& memory, const ReplayOptions& options,
                   const SiteCounters* sites, ReplayedLaunch& out) {
  out.counters = memory.finish_launch();
  if (const model::PartitionTraffic* const traffic = memory.dram_traffic())
    out.dram_traffic = *traffic;
  if (!sites) return;
  if (options.counted_ctas) {
    out.counted.assign(sites->by_site().begin() + 1, sites->by_site().end());
    out.beside_ctas = out.counters;
    for (const model::LaunchCounters& c : sites->by_site()) out.beside_ctas = out.beside_ctas - c;
    return;
  }
  out.by_site = sites->by_site();
  out.cycles_by_site = sites->cycles();
  out.bank_traffic = sites->banks();
  out.beside = out.counters;
  for (const model::LaunchCounters& c : out.by_site) out.beside = out.beside - c;
}

// What a run itself says about its result.
void add_run_notes(const trace::Program& program, const Spills* spills,
                   const ForcedBarriers& forced, ReplayedLaunch& out) {
  if (spills) {
    out.spilled = {spills->instructions(), spills->loads, spills->stores, {}};
    for (const std::uint32_t pc : spills->taken_once())
      out.spilled.loops_taken_once.push_back(place_of(program, pc));
    out.notes.push_back(spills_text(out.spilled));
  }
  if (out.time)
    for (const std::uint32_t pc : out.time->taken_once)
      out.loops_taken_once.push_back(place_of(program, pc));
  if (!out.loops_taken_once.empty()) out.notes.push_back(loops_text(out.loops_taken_once));
  if (forced.count)
    out.notes.push_back("barriers opened by force: " + std::to_string(forced.count) +
                        "; before the first of them nobody could go on: " + forced.stuck);
}

// Leaves in the caches what some of the launch's CTAs would; returns their records.
Result<std::uint64_t> warm_up(const trace::TraceReader& reader, std::uint32_t index,
                              const model::Card& card, const ReplayOptions& options,
                              model::MemorySystem& memory, const model::LaunchMemory& launch,
                              const Occupancy& fit) {
  BlockCache cache(reader, options.decoded_bytes, options.warm, options.decoded);
  cache.keep_rounds(false);
  memory.begin_launch(launch);
  if (auto ok = count_launch({reader, index, card, memory, cache, fit}, {}); !ok) return ok.error();
  const std::uint64_t records = memory.counters().records;
  if (auto ok = check_records(reader, index, records, cache.taken(), options.warm, nullptr); !ok)
    return ok.error();
  return records;
}

// A launch whose warps wait for each other: says so, and how long it would take without the
// waiting.
Result<void> add_spins(const trace::TraceReader& reader, std::uint32_t index,
                       const model::Card& card, const ReplayOptions& options,
                       const model::LaunchMemory& launch, const Occupancy& fit, Engine& engine,
                       ReplayedLaunch& out) {
  constexpr std::uint64_t kFew = 100;  // one in so many is not worth telling
  const auto code = reader.code(reader.launches()[index].launch.program);
  const Spins spins(reader.sites(index), *code);
  if (options.rewrite || !spins.any()) return {};
  const auto count = count_spins(reader, index, spins);
  if (!count) return count.error();
  if (count->again * kFew < count->records || count->again == 0) return {};
  out.spinning = {count->records, count->again, {}};
  if (options.time && !options.keep_caches) {
    BlockCache cache(reader, options.decoded_bytes);
    cache.drop_spins(&spins);
    const auto spills = Spills::of(reader.sites(index), *code, reader.launches()[index].launch,
                                   card.instructions(), true);
    engine.memory->begin_launch(launch);
    auto timed = time_launch({reader, index, card, *engine.memory, cache, fit, spills.get()}, {});
    const std::uint64_t records = engine.memory->finish_launch().records;
    if (!timed) return timed.error();
    if (auto ok = check_records(reader, index, records, cache.taken(), nullptr, spills.get()); !ok)
      return ok.error();
    out.spinning.cycles_without = timed->cycles;
  }
  out.notes.push_back(spins_text(out.spinning));
  return {};
}

// `largest_frame`: local memory of a thread, in bytes, that the program has launched by then.
Result<ReplayedLaunch> replay_launch(const trace::TraceReader& reader, std::uint32_t index,
                                     std::uint64_t largest_frame, const model::Card& card,
                                     const ReplayOptions& options, unsigned threads, Engine& engine,
                                     Tally& tally) {
  const trace::LaunchSummary& summary = reader.launches()[index];
  const trace::Program& program = reader.programs()[summary.launch.program];
  const std::string place = place_of_launch(reader, index);
  trace::Launch shape = summary.launch;
  if (options.rewrite && options.rewrite->carveout) shape.carveout = *options.rewrite->carveout;
  auto fit = occupancy(card, shape);
  if (!fit) {
    Error e = fit.error();
    e.place = place + ", " + e.place;
    return e;
  }
  const auto spills = Spills::of(reader.sites(index), *reader.code(summary.launch.program),
                                 summary.launch, card.instructions(), options.time);
  const std::uint64_t reach =
      summary.launch.local_bytes + (spills ? std::uint64_t{spills->below()} : 0);
  model::LaunchMemory launch = launch_memory(summary.launch, card);
  launch.code = code_bytes(program);
  launch.shared_config = fit->shared_config;
  launch.largest_frame = std::max(reach, largest_frame);
  launch.flush_l2 = !options.keep_caches;
  std::uint64_t warm_records = 0;
  if (options.warm) {
    const auto warmed = warm_up(reader, index, card, options, *engine.memory, launch, *fit);
    if (!warmed) return warmed.error();
    warm_records = *warmed;
    launch.flush_l2 = false;
  }
  std::optional<SiteCounters> sites;
  count_apart(reader, index, card, options, *engine.memory, spills.get(), sites);
  model::MemorySystem& memory = sites ? *sites : *engine.memory;
  memory.begin_launch(launch);
  ReplayedLaunch out;
  out.occupancy = *fit;
  out.warm_records = warm_records;
  Ran ran;
  if (auto ok = run_engine(reader, index, card, options, memory, launch, threads, engine.cache,
                           spills.get(), tally, out, ran);
      !ok)
    return ok.error();
  take_counters(memory, options, sites ? &*sites : nullptr, out);
  if (auto ok = check_laws(out.counters, place); !ok) return ok.error();
  if (auto ok = check_records(reader, index, out.counters.records, ran.taken, options.rewrite,
                              spills.get());
      !ok)
    return ok.error();
  out.complete = summary.complete;
  if (auto ok = add_notes(reader, index, card, options.time, out.notes); !ok) return ok.error();
  if (auto ok = add_spins(reader, index, card, options, launch, *fit, engine, out); !ok)
    return ok.error();
  add_run_notes(program, spills.get(), ran.forced, out);
  out.metrics = metrics_of(summary.launch, program, out.counters, fit->shared_config);
  if (out.time)
    out.metrics.metrics["sm__cycles_elapsed.max"] =
        MetricValue{static_cast<double>(out.time->cycles), {}};
  return out;
}

// Whether a launch may be shared out among threads.
bool shares_launches(const ReplayOptions& o) {
  return o.threads >= std::max(2u, o.few_threads) && !o.time && !o.keep_caches && !o.by_site &&
         !o.counted_ctas && !o.warm && !o.flat && !o.general_memory && !o.caches;
}

}  // namespace

Result<ReplayResult> replay(const trace::TraceReader& reader, const model::Card& card,
                            const ReplayOptions& options) {
  ReplayResult result;
  if (const auto& missing = reader.origin().missing; !missing.empty()) {
    std::string note = "not in the trace: " + missing.front();
    for (std::size_t i = 1; i < missing.size(); ++i) note += ", " + missing[i];
    result.notes.push_back(std::move(note));
  }
  std::vector<std::uint32_t> launches;        // to replay
  std::vector<std::uint64_t> largest_frames;  // by then, whether replayed or not
  std::uint64_t total = 0, largest_frame = 0;
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const trace::LaunchSummary& l = reader.launches()[i];
    largest_frame = std::max<std::uint64_t>(largest_frame, l.launch.local_bytes);
    if (options.launch && *options.launch != l.launch.id) continue;
    if (options.only && !options.only(l.launch.id)) continue;
    launches.push_back(i);
    largest_frames.push_back(largest_frame);
    total += l.end.records;
  }
  if (options.launch && launches.empty())
    return Error{ErrorKind::kUsage,
                 "launch " + std::to_string(*options.launch) + " is not in the trace",
                 reader.path(), "see its launches with: warpmem info " + reader.path()};

  // What one launch says depends on no other. One that takes longer than its share of the threads
  // is shared out among all of them; the others each take one.
  std::vector<std::size_t> alone, shared;
  for (std::size_t k = 0; k < launches.size(); ++k) {
    const std::uint64_t records = reader.launches()[launches[k]].end.records;
    const bool all = shares_launches(options) && records * options.threads > total &&
                     records >= options.few_records;
    (all ? shared : alone).push_back(k);
  }
  std::vector<std::optional<Result<ReplayedLaunch>>> replayed(launches.size());
  Tally tally(options, total);
  const auto replay_some = [&](const std::vector<std::size_t>& some, unsigned at_once,
                               unsigned threads_each) {
    in_parallel(some.size(), at_once, [&] {
      auto engine = std::make_unique<Engine>(reader, card, options);
      return [&, engine = std::move(engine)](std::size_t i) {
        const std::size_t k = some[i];
        replayed[k] = replay_launch(reader, launches[k], largest_frames[k], card, options,
                                    threads_each, *engine, tally);
        return replayed[k]->ok();
      };
    });
  };
  replay_some(shared, 1, options.threads);
  if (std::all_of(shared.begin(), shared.end(),
                  [&](std::size_t k) { return replayed[k] && replayed[k]->ok(); }))
    replay_some(alone, options.keep_caches ? 1 : options.threads, 1);

  for (std::optional<Result<ReplayedLaunch>>& one : replayed) {
    if (!one) continue;  // not begun: an earlier one failed
    if (!*one) return one->error();
    result.launches.push_back((*one)->metrics);
    result.details.push_back(std::move(**one));
  }
  return result;
}

}  // namespace warpmem::sim
