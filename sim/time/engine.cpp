#include "sim/time/engine.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "sim/cta_stream.hpp"
#include "sim/placement.hpp"
#include "sim/time/paths.hpp"

namespace warpmem::sim {
namespace {

constexpr std::uint32_t kNoBarrier = ~0u;
constexpr std::uint64_t kWindow = 16;    // cycles in which an SM's warps go by slot
constexpr std::uint64_t kWindows = 256;  // that the calendar looks ahead
constexpr std::uint32_t kSchedulers = 4;

struct TimedWarp {
  std::uint64_t ready = 0;           // cycle from which its next step may go on
  const Segment* segment = nullptr;  // to its next record; nullptr: not looked up yet
  std::uint32_t step = 0;
  std::uint32_t last_site = Paths::kStart;
  std::uint32_t waits = kNoBarrier;  // barrier it stands at
  std::uint32_t async_lines = 0;
  Position at;                                      // in its records
  std::array<std::uint64_t, kScoreboards> clear{};  // by scoreboard: cycle from which it is
  std::array<Wait, kScoreboards> cause{};
  std::uint64_t stored = 0;               // all that it wrote is acknowledged
  std::uint64_t copies = 0;               // its asynchronous copies are back by then
  std::array<std::uint64_t, 8> groups{};  // the last groups of copies: back by then
  std::uint32_t group = 0;                // groups closed
};

struct TimedCta {
  CtaStream stream;
  std::uint32_t first_slot = 0;
  std::vector<TimedWarp> warps;
  std::uint32_t left = 0;
  std::uint32_t standing = 0;
  std::array<std::uint32_t, 64> arrived{}, expected{};
  std::uint64_t started = 0;
  std::uint64_t number = 0;  // in the grid
  std::uint64_t bulk = 0;    // bulk copies into it are back by then
};

struct Scheduler {
  std::uint64_t issue = 0;  // cycle: next free issue slot
  std::array<std::uint64_t, kPipes> pipe{};
};

struct Sm {
  int id = 0;
  std::vector<std::unique_ptr<TimedCta>> ctas;
  std::uint32_t resident = 0;
  std::array<Scheduler, kSchedulers> schedulers{};
  std::uint64_t lsu = 0;         // cycle: its load/store unit is free
  std::uint64_t barrier = 0;     // its barrier unit is
  bool cold = true;              // has run nothing of this kernel yet
  std::uint64_t translated = 0;  // cycle from which its addresses are; 0: not asked yet
  std::array<std::uint64_t, kWindows> calendar{};
};

class LaunchTime {
 public:
  LaunchTime(const trace::TraceReader& reader, std::uint32_t index, const model::Card& card,
             MemorySystem& memory, model::MemoryPath& path, BlockCache& cache,
             const Occupancy& occupancy, bool stays)
      : stays_(stays),
        reader_(reader),
        index_(index),
        card_(card),
        memory_(memory),
        path_(path),
        cache_(cache),
        occupancy_(occupancy),
        plans_(plan_sites(reader.sites(index),
                          reader.programs()[reader.launches()[index].launch.program])),
        paths_(reader.sites(index), reader.programs()[reader.launches()[index].launch.program],
               static_cast<std::uint16_t>(card.numbers().time_cluster_barrier_cycles)) {
    for (std::uint64_t sm : card.numbers().cta_order) {
      sms_.emplace_back();
      sms_.back().id = static_cast<int>(sm);
      sms_.back().ctas.resize(occupancy.ctas);
    }
  }

  Result<TimeResult> run(const std::function<bool(std::uint64_t)>& tick) {
    auto ctas = reader_.ctas(index_);
    if (!ctas) return ctas.error();
    waiting_ = std::move(ctas).value();
    result_.ctas = waiting_.size();
    if (auto ok = place_first(); !ok) return ok.error();
    std::uint64_t since = 0;
    while (resident_ > 0) {
      if (due_ == 0) {
        release_barriers();
        if (due_ == 0)
          return Error{ErrorKind::kInternal, "no warp can go on: " + standing(), reader_.path(),
                       "please report this with the trace"};
      }
      const std::uint64_t window = now_ % kWindows;
      if (due_in_[window] > 0)
        for (Sm& sm : sms_)
          if (sm.calendar[window])
            if (auto ok = run_window(sm); !ok) return ok.error();
      ++now_;
      if (tick && memory_.counters().records > since + 50000) {
        since = memory_.counters().records;
        if (!tick(since)) return interrupted();
      }
    }
    if (tick && !tick(memory_.counters().records)) return interrupted();
    const model::CardNumbers& n = card_.numbers();
    result_.cycles = std::max(result_.last_cta, last_store_) + n.time_launch_cycles +
                     (reaches_memory_ ? n.time_drain_cycles : 0);
    summarise();
    return result_;
  }

 private:
  // Shares of the time between the first CTA's start and the last one's end.
  void summarise() {
    const model::CardNumbers& n = card_.numbers();
    result_.running = std::max<std::uint64_t>(1, result_.last_cta);
    const auto span = static_cast<double>(result_.running);
    const auto add = [&](const char* place, double busy, double count) {
      if (busy > 0) result_.uses.push_back({place, busy / (count * span)});
    };
    add("instruction issue", static_cast<double>(result_.instructions),
        kSchedulers * static_cast<double>(sms_.size()));
    add("L1 and shared memory", static_cast<double>(lsu_cycles_), static_cast<double>(sms_.size()));
    for (const model::MemoryPath::Use& u : path_.uses())
      add(u.place, static_cast<double>(u.busy) / model::kTicks, static_cast<double>(u.count));
    std::stable_sort(result_.uses.begin(), result_.uses.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    result_.bytes_in_flight = static_cast<double>(path_.sector_cycles()) * 32 / span;
    const double latency =
        static_cast<double>(n.latency_l2_near + n.latency_l2_far / 2 + n.latency_dram);
    result_.bytes_needed = static_cast<double>(n.dram_sectors_per_kilocycle) / 1000 * 32 * latency;
  }

  Error interrupted() const {
    return {ErrorKind::kInterrupted, "replay was interrupted", reader_.path(), ""};
  }

  Result<void> place_first() {
    std::vector<std::size_t> index(sms_.size());
    for (std::size_t i = 0; i < sms_.size(); ++i) index[static_cast<std::size_t>(sms_[i].id)] = i;
    for (int sm : first_placement(card_, occupancy_.ctas, waiting_.size()))
      if (auto ok = start_next(sms_[index[static_cast<std::size_t>(sm)]], 0); !ok) return ok;
    return {};
  }

  // Gives the SM the next CTA, from `cycle` on, when its turn has come.
  Result<void> start_next(Sm& sm, std::uint64_t cycle) {
    if (next_ == waiting_.size()) return {};
    const model::CardNumbers& n = card_.numbers();
    given_ = std::max(given_ + n.time_cta_millicycles, cycle * 1000);
    cycle = given_ / 1000 + n.time_cta_cycles;
    if (sm.cold) cycle += n.time_first_cycles;
    auto cta = std::make_unique<TimedCta>();
    cta->started = cycle;
    cta->number = waiting_[next_];
    if (auto ok = cta->stream.open(reader_, index_, waiting_[next_++], occupancy_.warps_per_cta);
        !ok)
      return ok;
    const auto slot = static_cast<std::uint32_t>(
        std::find(sm.ctas.begin(), sm.ctas.end(), nullptr) - sm.ctas.begin());
    cta->first_slot = slot * occupancy_.warps_per_cta;
    cta->warps.resize(occupancy_.warps_per_cta);
    cta->left = occupancy_.warps_per_cta;
    ++sm.resident;
    ++resident_;
    for (std::uint32_t w = 0; w < occupancy_.warps_per_cta; ++w) {
      cta->warps[w].ready = cycle + w;
      schedule(sm, cta->first_slot + w, cycle + w);
    }
    if (sm.resident == occupancy_.ctas) sm.cold = false;
    const auto position = [&](std::uint32_t w) -> Position& { return cta->warps[w].at; };
    if (auto ok = cta->stream.advance(cache_, 0, position); !ok) return ok.error();
    sm.ctas[slot] = std::move(cta);
    return {};
  }

  void schedule(Sm& sm, std::uint32_t slot, std::uint64_t cycle) {
    const std::uint64_t window =
        std::clamp(cycle / kWindow, now_ + 1, now_ + kWindows - 1) % kWindows;
    sm.calendar[window] |= std::uint64_t{1} << slot;
    ++due_in_[window];
    ++due_;
  }

  Result<void> run_window(Sm& sm) {
    const std::uint64_t window = now_ % kWindows;
    std::uint64_t due = sm.calendar[window];
    sm.calendar[window] = 0;
    const auto count = static_cast<std::uint64_t>(std::popcount(due));
    due_in_[window] -= count;
    due_ -= count;
    sm.cold = false;
    for (; due; due &= due - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(due));
      TimedCta& cta = *sm.ctas[slot / occupancy_.warps_per_cta];
      const std::uint32_t w = slot % occupancy_.warps_per_cta;
      if (due & (due - 1))
        look_ahead(sm, static_cast<std::uint32_t>(std::countr_zero(due & (due - 1))));
      if (cta.warps[w].ready >= (now_ + 1) * kWindow) {
        schedule(sm, slot, cta.warps[w].ready);
        continue;
      }
      if (auto ok = run_warp(sm, cta, w); !ok) return ok;
      if (cta.left == 0) {
        std::uint64_t end = 0;
        for (const TimedWarp& s : cta.warps) end = std::max(end, s.ready);
        result_.last_cta = std::max(result_.last_cta, end);
        result_.warp_cycles += (end - cta.started) * cta.warps.size();
        if (stays_)
          result_.stays.push_back({cta.number, cta.started, end, sm.id,
                                   static_cast<std::int32_t>(slot / occupancy_.warps_per_cta)});
        sm.ctas[slot / occupancy_.warps_per_cta].reset();
        --sm.resident;
        --resident_;
        if (auto ok = start_next(sm, end); !ok) return ok;
      }
    }
    return {};
  }

  void look_ahead(const Sm& sm, std::uint32_t slot) {
    TimedCta& cta = *sm.ctas[slot / occupancy_.warps_per_cta];
    const Position& at = cta.warps[slot % occupancy_.warps_per_cta].at;
    ahead_ = nullptr;
    if (at.next != at.end &&
        memory_.prepare(*at.next, plans_[at.next->site], at.lanes, sm.id, lines_))
      ahead_ = at.next;
  }

  void wait(Wait cause, std::uint64_t cycles) {
    result_.waits[static_cast<std::size_t>(cause)] += cycles;
  }

  // The cycle from which a step's first instruction has all it waits for.
  std::uint64_t cleared(const TimedCta& cta, const TimedWarp& warp, const Step& step,
                        Wait& cause) const {
    std::uint64_t until = warp.ready;
    for (std::uint32_t m = step.waits; m; m &= m - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(m));
      if (b < kScoreboards && warp.clear[b] > until) until = warp.clear[b], cause = warp.cause[b];
    }
    if (step.drains != kNoScoreboard && warp.group > step.leaves) {
      const std::uint64_t back = warp.groups[(warp.group - 1 - step.leaves) % warp.groups.size()];
      if (back > until) until = back, cause = Wait::kCopies;
    }
    if (step.waits_copies && cta.bulk > until) until = cta.bulk, cause = Wait::kCopies;
    return until;
  }

  // Issues a step's instructions; the cycle in which the last one issues. The warp is ready for its
  // next step afterwards.
  std::uint64_t issue(Sm& sm, TimedWarp& warp, std::uint32_t slot, const Step& step) {
    Scheduler& s = sm.schedulers[slot % kSchedulers];
    const std::uint64_t start = std::max(warp.ready, s.issue);
    wait(Wait::kIssue, start - warp.ready);
    s.issue = start + step.issues;
    std::uint64_t last = std::max(start + step.to_last, s.issue - 1);
    std::uint64_t held = last;
    for (std::size_t p = 0; p < kPipes; ++p) {
      if (!step.busy[p]) continue;
      s.pipe[p] = std::max(s.pipe[p], start) + step.busy[p];
      const std::uint64_t each = step.busy[p] / std::max<std::uint64_t>(1, step.issues);
      held = std::max(held, s.pipe[p] - std::min(s.pipe[p], each + 1));
    }
    wait(Wait::kPipe, held - last);
    last = held;
    warp.ready = last + (step.cycles - step.to_last);
    result_.instructions += step.issues;
    if (step.commits) warp.groups[warp.group++ % warp.groups.size()] = warp.copies;
    return last;
  }

  static void set(TimedWarp& warp, std::uint8_t scoreboard, std::uint64_t cycle, Wait cause) {
    if (scoreboard >= kScoreboards) return;
    if (cycle >= warp.clear[scoreboard])
      warp.clear[scoreboard] = cycle, warp.cause[scoreboard] = cause;
  }

  Result<void> run_warp(Sm& sm, TimedCta& cta, std::uint32_t w) {
    TimedWarp& warp = cta.warps[w];
    const std::uint32_t slot = cta.first_slot + w;
    const std::uint64_t end = (now_ + 1) * kWindow;
    while (true) {
      if (warp.at.next == warp.at.end) {
        const auto position = [&](std::uint32_t k) -> Position& { return cta.warps[k].at; };
        auto more = cta.stream.advance(cache_, w, position);
        if (!more) return more.error();
        if (!*more) {
          // A warp is gone when its stores are acknowledged (measured: store_one against empty, and
          // the pace of grids of many short CTAs, kernels/micro/launch_timing.cu).
          warp.ready = std::max(warp.ready, warp.stored);
          // … and when what it asked for has come, wanted or not.
          for (std::uint64_t clear : warp.clear) warp.ready = std::max(warp.ready, clear);
          --cta.left;
          check_barriers(sm, cta);
          return {};
        }
      }
      const trace::Record& r = *warp.at.next;
      const SitePlan& plan = plans_[r.site];
      if (!warp.segment) {
        if (plan.action == Action::kBegin) {
          ++warp.at.next;
          Place place;
          memory_.run(r, plan, nullptr, place);
          continue;
        }
        warp.segment = &paths_.between(warp.last_site, r.site);
        warp.step = 0;
      }
      const auto steps = static_cast<std::uint32_t>(warp.segment->steps.size());
      std::uint64_t issued = warp.ready;
      const Step* last = nullptr;
      while (warp.step < steps) {
        const Step& step = warp.segment->steps[warp.step];
        Wait cause = Wait::kShort;
        if (const std::uint64_t from = cleared(cta, warp, step, cause); from > warp.ready) {
          wait(cause, from - warp.ready);
          warp.ready = from;
        }
        if (warp.ready >= end) {
          schedule(sm, slot, warp.ready);
          return {};
        }
        issued = issue(sm, warp, slot, step);
        last = &step;
        ++warp.step;
        if (warp.step < steps) {
          set(warp, step.sets, issued + step.latency, Wait::kShort);
          set(warp, step.frees, issued + step.latency / 2, Wait::kShort);
        }
      }
      warp.segment = nullptr;
      warp.last_site = r.site;
      ++warp.at.next;
      access(sm, cta, warp, w, r, plan, warp.at.lanes, issued, last);
      if (plan.action == Action::kBarrier) return {};
      if (warp.ready >= end) {
        schedule(sm, slot, warp.ready);
        return {};
      }
    }
  }

  // A record whose instruction issues at `issued`.
  void access(Sm& sm, TimedCta& cta, TimedWarp& warp, std::uint32_t w, const trace::Record& r,
              const SitePlan& plan, const std::uint64_t* lanes, std::uint64_t issued,
              const Step* step) {
    const model::CardNumbers& n = card_.numbers();
    if (plan.action == Action::kBarrier) {
      ++memory_.counters().records;
      sm.barrier = std::max(sm.barrier, issued) + n.time_barrier_warp_cycles;
      warp.ready = std::max(issued, sm.barrier);
      stand_at(sm, cta, w, static_cast<std::uint32_t>(r.base) % 64,
               static_cast<std::uint32_t>(r.stride) / 32);
      return;
    }
    Place place;
    place.sm = sm.id;
    place.warp_slot = cta.first_slot + w;
    place.async_lines = warp.async_lines;
    if (plan.action == Action::kEnd || plan.action == Action::kIgnore) {
      place.now = issued;
      memory_.run(r, plan, lanes, place);
      return;
    }
    std::uint64_t start = std::max({issued, sm.lsu, path_.ready(sm.id)});
    place.now = start;
    memory_.run(r, plan, lanes, place, ahead_ == &r ? &lines_ : nullptr);
    ahead_ = nullptr;
    // The way back to the registers is as wide as the data stage. Two misses take a cycle of it
    // (measured: one SM reading from the L2, and columns of a matrix of which one load in eight
    // misses).
    const std::uint32_t moved =
        static_cast<std::uint32_t>(std::popcount(r.mask)) * plan.bytes / 128;
    if (plan.action == Action::kGlobalLoad) place.passes = std::max(place.passes, moved);
    const bool bulk = plan.action == Action::kBulkRead || plan.action == Action::kBulkWrite ||
                      plan.action == Action::kBulkReduce;
    const std::uint64_t taken = place.passes + (bulk ? 0 : place.missed / 2);
    sm.lsu = start + taken;
    lsu_cycles_ += taken;
    warp.async_lines = place.async_lines;
    std::uint64_t done = std::max(place.done, start + place.passes);
    if (place.left_sm) {
      reaches_memory_ = true;
      // The SM's first accesses wait until its addresses can be translated.
      if (sm.translated == 0) sm.translated = start + n.time_translate_cycles;
      if (start < sm.translated) done += sm.translated - start;
      last_store_ = std::max(last_store_, place.stored);
      if (place.stored > start)
        warp.stored = std::max(warp.stored, place.stored + n.latency_l2_near / 2);
    }
    // The load/store unit's queue holds so much work; a warp beyond it cannot issue.
    if (start > warp.ready + n.time_queue_cycles) {
      wait(Wait::kQueue, start - n.time_queue_cycles - warp.ready);
      warp.ready = start - n.time_queue_cycles;
    }
    const bool shared = plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
    const Wait cause = shared ? Wait::kShort : place.left_sm ? Wait::kMemory : Wait::kL1;
    if (plan.action == Action::kAsyncRead) warp.copies = std::max(warp.copies, done);
    if (plan.action == Action::kBulkRead) cta.bulk = std::max(cta.bulk, done);
    if (step) {
      set(warp, step->sets, done, cause);
      set(warp, step->frees, start + place.passes + n.time_read_cycles, Wait::kShort);
    }
  }

  void stand_at(Sm& sm, TimedCta& cta, std::uint32_t w, std::uint32_t barrier,
                std::uint32_t expected) {
    cta.warps[w].waits = barrier;
    ++cta.standing;
    ++cta.arrived[barrier];
    cta.expected[barrier] = expected;
    check_barriers(sm, cta);
  }

  void check_barriers(Sm& sm, TimedCta& cta) {
    if (!cta.standing) return;
    for (std::uint32_t b = 0; b < cta.arrived.size(); ++b) {
      if (!cta.arrived[b]) continue;
      const std::uint32_t wanted = cta.expected[b] ? std::min(cta.expected[b], cta.left) : cta.left;
      if (cta.arrived[b] >= wanted) open(sm, cta, b);
    }
  }

  void open(Sm& sm, TimedCta& cta, std::uint32_t barrier) {
    cta.standing -= cta.arrived[barrier];
    cta.arrived[barrier] = 0;
    std::uint64_t last = 0;
    for (const TimedWarp& warp : cta.warps)
      if (warp.waits == barrier) last = std::max(last, warp.ready);
    last += card_.numbers().time_barrier_cycles;
    for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
      TimedWarp& warp = cta.warps[w];
      if (warp.waits != barrier) continue;
      warp.waits = kNoBarrier;
      wait(Wait::kBarrier, last - warp.ready);
      warp.ready = last;
      schedule(sm, cta.first_slot + w, last);
    }
  }

  void release_barriers() {
    for (Sm& sm : sms_)
      for (auto& cta : sm.ctas)
        for (std::uint32_t b = 0; cta && b < cta->arrived.size(); ++b)
          if (cta->arrived[b]) {
            ++result_.forced;
            open(sm, *cta, b);
          }
  }

  std::string standing() const {
    std::uint64_t warps = 0;
    for (const Sm& sm : sms_)
      for (const auto& cta : sm.ctas)
        if (cta) warps += cta->left;
    return std::to_string(warps) + " warps of " + std::to_string(resident_) +
           " CTAs are resident, none is due and none stands at a barrier";
  }

  bool stays_;
  const trace::TraceReader& reader_;
  std::uint32_t index_;
  const model::Card& card_;
  MemorySystem& memory_;
  model::MemoryPath& path_;
  BlockCache& cache_;
  Occupancy occupancy_;
  std::vector<SitePlan> plans_;
  Paths paths_;
  std::vector<Sm> sms_;
  std::vector<std::uint64_t> waiting_;
  std::size_t next_ = 0;
  std::uint64_t given_ = 0;  // thousandths of a cycle: the last CTA was given out
  std::uint64_t resident_ = 0;
  std::uint64_t now_ = 0;  // windows
  std::uint64_t due_ = 0;
  std::array<std::uint64_t, kWindows> due_in_{};
  std::uint64_t last_store_ = 0;
  std::uint64_t lsu_cycles_ = 0;
  bool reaches_memory_ = false;
  const trace::Record* ahead_ = nullptr;  // whose lines were listed ahead of its turn
  MemorySystem::Lines lines_;
  TimeResult result_;
};

}  // namespace

const char* name_of(Wait w) {
  constexpr const char* kNames[] = {
      "issue slot", "execution pipe", "short latency",       "L1",
      "memory",     "barrier",        "asynchronous copies", "load/store queue"};
  return kNames[static_cast<std::size_t>(w)];
}

Result<TimeResult> time_launch(const trace::TraceReader& reader, std::uint32_t launch,
                               const model::Card& card, MemorySystem& memory,
                               model::MemoryPath& path, BlockCache& cache,
                               const Occupancy& occupancy,
                               const std::function<bool(std::uint64_t)>& tick, bool stays) {
  return LaunchTime(reader, launch, card, memory, path, cache, occupancy, stays).run(tick);
}

}  // namespace warpmem::sim
