#include "sim/replay.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

#include "sim/cta_stream.hpp"
#include "sim/dependence.hpp"
#include "sim/memory_system.hpp"
#include "sim/occupancy.hpp"
#include "sim/placement.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint32_t kNoBarrier = ~0u;
constexpr std::uint64_t kSlotCycles = 16;       // one step of the clock
constexpr std::uint64_t kSlots = 128;           // steps that the calendar looks ahead
constexpr std::uint32_t kInstructionCycles = 4; // from one instruction of a warp to its next
constexpr std::uint32_t kSchedulers = 4;        // instructions an SM issues in a cycle

// A load whose value is not there yet.
struct Outstanding {
  std::uint32_t site = 0;
  std::uint64_t done = 0;
};

struct WarpState {
  std::uint64_t ready = 0;                  // cycle of its next access
  std::uint32_t waits = kNoBarrier;         // barrier it stands at
  std::uint32_t last_site = 0;
  std::uint32_t async_lines = 0;            // of the asynchronous copy whose shared side is next
  std::uint8_t loads = 0;
  bool done = false;
  std::uint64_t copies = 0, older_copies = 0;   // asynchronous copies: back by then; those before the last barrier
  std::array<Outstanding, 6> outstanding{};
};

struct ResidentCta {
  CtaStream stream;
  std::uint32_t first_slot = 0;             // warp slot of its warp 0 on the SM
  std::vector<WarpState> warps;
  std::uint32_t left = 0;                   // warps not done
  std::uint32_t standing = 0;               // warps at some barrier
  std::array<std::uint32_t, 64> arrived{};  // warps at each barrier
  std::array<std::uint32_t, 64> expected{}; // warps each barrier waits for; 0: all
};

struct Sm {
  int id = 0;
  std::vector<std::unique_ptr<ResidentCta>> ctas;  // by CTA slot
  std::uint32_t resident = 0;
  std::uint64_t lsu_free = 0;                      // cycle: the load/store unit is done with its queue
  std::uint64_t issue_free = 0;                    // quarter cycles: the schedulers are
  std::array<std::uint64_t, kSlots> calendar{};    // by step: warp slots due in it
};

class LaunchReplay {
 public:
  LaunchReplay(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card, MemorySystem& memory,
               BlockCache& cache, const Occupancy& occupancy)
      : reader_(reader), index_(index), card_(card), memory_(memory), cache_(cache), occupancy_(occupancy),
        plans_(plan_sites(reader.sites(index), reader.programs()[reader.launches()[index].launch.program])),
        dependence_(reader.sites(index), reader.programs()[reader.launches()[index].launch.program]) {
    for (std::uint64_t sm : card.numbers().cta_order) {
      sms_.emplace_back();
      sms_.back().id = static_cast<int>(sm);
      sms_.back().ctas.resize(occupancy.ctas);
    }
  }

  // `tick` hears of the records done now and then; false stops.
  Result<void> run(const std::function<bool(std::uint64_t)>& tick) {
    auto ctas = reader_.ctas(index_);
    if (!ctas) return ctas.error();
    waiting_ = std::move(ctas).value();
    if (auto ok = place_first(); !ok) return ok;
    std::uint64_t since_tick = 0;
    while (resident_ > 0) {
      if (due_ == 0) {
        release_barriers();
        if (due_ == 0) return Error{ErrorKind::kInternal, "no warp can go on", reader_.path(), "please report this with the trace"};
      }
      const std::uint64_t step = now_ % kSlots;
      if (due_in_[step] > 0)
        for (Sm& sm : sms_)
          if (sm.calendar[step])
            if (auto ok = run_step(sm); !ok) return ok;
      ++now_;
      if (tick && memory_.counters().records > since_tick + 50000) {
        since_tick = memory_.counters().records;
        if (!tick(since_tick)) return interrupted();
      }
    }
    return tick && !tick(memory_.counters().records) ? interrupted() : Result<void>();
  }

  std::uint64_t forced() const { return forced_; }

 private:
  Result<void> interrupted() const { return Error{ErrorKind::kInterrupted, "replay was interrupted", reader_.path(), ""}; }

  // The first CTAs go where hardware puts them, one after the other; a later one takes the place of
  // the one that ended.
  Result<void> place_first() {
    std::vector<std::size_t> index(sms_.size());
    for (std::size_t i = 0; i < sms_.size(); ++i) index[static_cast<std::size_t>(sms_[i].id)] = i;
    std::uint64_t placed = 0;
    for (int sm : first_placement(card_, occupancy_.ctas, waiting_.size())) {
      // 1.2 cycles from one CTA to the next over the whole GPU (measured, docs/replay-order.md); an
      // SM's own start is spread by its first instruction fetch.
      const std::uint64_t spread = (static_cast<std::uint64_t>(sm) * 0x9e3779b97f4a7c15ull >> 32) * card_.numbers().launch_skew_cycles >> 32;
      if (auto ok = start_next(sms_[index[static_cast<std::size_t>(sm)]], placed++ * 6 / 5 + spread); !ok) return ok;
    }
    return {};
  }

  Result<void> start_next(Sm& sm, std::uint64_t cycle) {
    if (next_ == waiting_.size()) return {};
    auto stream = CtaStream::open(reader_, cache_, index_, waiting_[next_], occupancy_.warps_per_cta);
    if (!stream) return stream.error();
    if (auto first = stream->advance(cache_, 0); !first) return first.error();
    ++next_;
    auto cta = std::make_unique<ResidentCta>(ResidentCta{std::move(stream).value(), 0, {}, 0, 0, {}, {}});
    const auto slot = static_cast<std::uint32_t>(std::find(sm.ctas.begin(), sm.ctas.end(), nullptr) - sm.ctas.begin());
    cta->first_slot = slot * occupancy_.warps_per_cta;
    cta->warps.resize(occupancy_.warps_per_cta);
    cta->left = occupancy_.warps_per_cta;
    ++sm.resident;
    ++resident_;
    for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
      cta->warps[w].ready = cycle;
      schedule(sm, cta->first_slot + w, cycle);
    }
    sm.ctas[slot] = std::move(cta);
    return {};
  }

  // Enters a warp into the calendar; what lies beyond it is entered at its end and looked at again.
  void schedule(Sm& sm, std::uint32_t slot, std::uint64_t cycle) {
    const std::uint64_t step = std::clamp(cycle / kSlotCycles, now_ + 1, now_ + kSlots - 1) % kSlots;
    sm.calendar[step] |= std::uint64_t{1} << slot;
    ++due_in_[step];
    ++due_;
  }

  Result<void> run_step(Sm& sm) {
    const std::uint64_t step = now_ % kSlots;
    std::uint64_t due = sm.calendar[step];
    sm.calendar[step] = 0;
    const auto count = static_cast<std::uint64_t>(std::popcount(due));
    due_in_[step] -= count;
    due_ -= count;
    for (; due; due &= due - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(due));
      if (due & (due - 1)) look_ahead(sm, static_cast<std::uint32_t>(std::countr_zero(due & (due - 1))));
      ResidentCta& cta = *sm.ctas[slot / occupancy_.warps_per_cta];
      const std::uint32_t w = slot % occupancy_.warps_per_cta;
      if (cta.warps[w].ready > (now_ + 1) * kSlotCycles) {
        schedule(sm, slot, cta.warps[w].ready);
        continue;
      }
      if (auto ok = run_warp(sm, cta, w); !ok) return ok;
      if (cta.left == 0) {
        sm.ctas[slot / occupancy_.warps_per_cta].reset();
        --sm.resident;
        --resident_;
        if (auto ok = start_next(sm, (now_ + 1) * kSlotCycles); !ok) return ok;
      }
    }
    return {};
  }

  // What a warp will do soon: its record, and the caches that the record will meet.
  void look_ahead(const Sm& sm, std::uint32_t slot) {
    ResidentCta& cta = *sm.ctas[slot / occupancy_.warps_per_cta];
    const CtaStream::Warp& warp = cta.stream.warp(slot % occupancy_.warps_per_cta);
    const trace::Record* r = warp.next;
    if (r != warp.end && plans_[r->site].action == Action::kBegin) ++r;
    if (r != warp.end) memory_.prefetch(*r, plans_[r->site], warp.block->lanes.data(), sm.id);
  }

  // Runs a warp for as long as its accesses fall into this step of the clock.
  Result<void> run_warp(Sm& sm, ResidentCta& cta, std::uint32_t w) {
    WarpState& warp = cta.warps[w];
    Place place;
    place.sm = sm.id;
    place.warp_slot = cta.first_slot + w;
    const std::uint64_t end = (now_ + 1) * kSlotCycles;
    while (true) {
      CtaStream::Warp* at = &cta.stream.warp(w);
      if (at->next == at->end) {
        auto advanced = cta.stream.advance(cache_, w);
        if (!advanced) return advanced.error();
        at = *advanced;
        if (!at->next) {
          warp.done = true;
          --cta.left;
          check_barriers(sm, cta);
          return {};
        }
      }
      const trace::Record& r = *at->next;
      const SitePlan& plan = plans_[r.site];
      if (auto later = wait_for(warp, r.site, plan); later > warp.ready) {
        warp.ready = later;
        if (later >= end) {
          schedule(sm, place.warp_slot, later);
          return {};
        }
      }
      ++at->next;
      const std::uint32_t instructions = dependence_.instructions(warp.last_site, r.site);
      warp.last_site = r.site;
      sm.issue_free = std::max(sm.issue_free, warp.ready * kSchedulers) + instructions;
      std::uint64_t start = std::max(warp.ready, sm.issue_free / kSchedulers);
      if (plan.action == Action::kBarrier) {
        ++memory_.counters().records;
        warp.ready = std::max(start, warp.older_copies);
        warp.older_copies = warp.copies;
        stand_at(sm, cta, w, static_cast<std::uint32_t>(r.base) % 64, static_cast<std::uint32_t>(r.stride) / 32);
        return {};
      }
      start = std::max(start, sm.lsu_free);
      place.now = start;
      place.async_lines = warp.async_lines;
      memory_.run(r, plan, at->block->lanes.data(), place);
      warp.async_lines = place.async_lines;
      if (plan.action != Action::kBegin && plan.action != Action::kEnd) sm.lsu_free = start + place.passes;
      if (plan.action == Action::kAsyncRead || plan.action == Action::kBulkRead) warp.copies = std::max(warp.copies, place.done);
      else if (place.done > start) remember(warp, r.site, place.done);
      warp.ready = start + std::uint64_t{instructions} * kInstructionCycles;
      if (warp.ready >= end) {
        schedule(sm, place.warp_slot, warp.ready);
        return {};
      }
    }
  }

  // The cycle from which the next access has all it needs.
  std::uint64_t wait_for(WarpState& warp, std::uint32_t site, const SitePlan& plan) {
    std::uint64_t until = warp.ready;
    const bool all = plan.action == Action::kEnd;
    for (std::uint32_t i = 0; i < warp.loads;) {
      const Outstanding& o = warp.outstanding[i];
      const bool needs = all || dependence_.waits(o.site, warp.last_site, site);
      if (needs) until = std::max(until, o.done);
      if (needs || o.done <= warp.ready) warp.outstanding[i] = warp.outstanding[--warp.loads];
      else ++i;
    }
    return until;
  }

  void remember(WarpState& warp, std::uint32_t site, std::uint64_t done) {
    if (warp.loads == warp.outstanding.size()) {
      // More than the warp keeps track of: it waits for the oldest.
      warp.ready = std::max(warp.ready, warp.outstanding[0].done);
      warp.outstanding[0] = warp.outstanding[--warp.loads];
    }
    warp.outstanding[warp.loads++] = {site, done};
  }

  void stand_at(Sm& sm, ResidentCta& cta, std::uint32_t w, std::uint32_t barrier, std::uint32_t expected) {
    cta.warps[w].waits = barrier;
    ++cta.standing;
    ++cta.arrived[barrier];
    cta.expected[barrier] = expected;
    check_barriers(sm, cta);
  }

  void check_barriers(Sm& sm, ResidentCta& cta) {
    if (!cta.standing) return;
    for (std::uint32_t b = 0; b < cta.arrived.size(); ++b) {
      if (!cta.arrived[b]) continue;
      const std::uint32_t wanted = cta.expected[b] ? std::min(cta.expected[b], cta.left) : cta.left;
      if (cta.arrived[b] >= wanted) open(sm, cta, b);
    }
  }

  void open(Sm& sm, ResidentCta& cta, std::uint32_t barrier) {
    cta.standing -= cta.arrived[barrier];
    cta.arrived[barrier] = 0;
    std::uint64_t last = 0;
    for (const WarpState& warp : cta.warps)
      if (warp.waits == barrier) last = std::max(last, warp.ready);
    for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
      if (cta.warps[w].waits != barrier) continue;
      cta.warps[w].waits = kNoBarrier;
      cta.warps[w].ready = last;
      schedule(sm, cta.first_slot + w, last);
    }
  }

  // A trace that was cut short, or filtered, can leave warps at a barrier that nobody else reaches.
  void release_barriers() {
    for (Sm& sm : sms_)
      for (auto& cta : sm.ctas)
        for (std::uint32_t b = 0; cta && b < cta->arrived.size(); ++b)
          if (cta->arrived[b]) {
            ++forced_;
            open(sm, *cta, b);
          }
  }

  const trace::TraceReader& reader_;
  std::uint32_t index_;
  const model::Card& card_;
  MemorySystem& memory_;
  BlockCache& cache_;
  Occupancy occupancy_;
  std::vector<SitePlan> plans_;
  Dependence dependence_;
  std::vector<Sm> sms_;  // in the order in which they get CTAs
  std::vector<std::uint64_t> waiting_;
  std::size_t next_ = 0;
  std::uint64_t resident_ = 0;                   // CTAs
  std::uint64_t now_ = 0;                        // steps of the clock
  std::uint64_t due_ = 0;                        // warps in the calendars
  std::array<std::uint64_t, kSlots> due_in_{};   // the same by step
  std::uint64_t forced_ = 0;
};

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
  BlockCache cache(reader);
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
    LaunchReplay run(reader, i, card, memory, cache, *fit);
    std::function<bool(std::uint64_t)> tick;
    if (options.progress) tick = [&](std::uint64_t done) { return options.progress(before + done, total); };
    if (auto ok = run.run(tick); !ok) return ok.error();
    ReplayedLaunch out;
    out.counters = memory.finish_launch();
    before += out.counters.records;
    if (auto ok = check_laws(out.counters, place); !ok) return ok.error();
    out.complete = summary.complete;
    if (!summary.complete) out.notes.push_back("the trace of this launch is not complete");
    if (program.code.empty()) out.notes.push_back("no program section: opcodes and cache operators are not known");
    if (run.forced()) out.notes.push_back("barriers opened by force: " + std::to_string(run.forced()));
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
