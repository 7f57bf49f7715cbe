#include "emulate/executor/cta_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulate/executor/faults.hpp"
#include "emulate/executor/speculation.hpp"

namespace warpmem::emulate {
namespace {

// Turns in vain until a CTA's lanes no longer wait for those that spin, though others do get on.
constexpr std::uint32_t kMostSpins = 1u << 12;

}  // namespace

void CtaGroups::start_warp(const Cta& cta, std::uint32_t index, Warp& warp, std::uint64_t clock) {
  warp.index = index;
  const std::uint32_t lanes = std::min(32u, run_.threads - index * 32);
  warp.exists = lanes == 32 ? ~0u : (1u << lanes) - 1;
  warp.exited = 0, warp.unbroken = 0;
  warp.clock = clock;
  warp.looks.clear();
  warp.in_vain = false;
  warp.at_cluster = 0;
  warp.held_in = 0;
  warp.shared_pace = warp.global_pace = Warp::Pace::kReads;
  warp.rounds.clear(), warp.recorded_code = nullptr;
  warp.parts.clear(), warp.ready.clear(), warp.unused.clear();
  for (Frame& f : warp.frames) f.used = false;
  warp.free_frames.resize(warp.frames.size());
  std::iota(warp.free_frames.rbegin(), warp.free_frames.rend(), 0);
  const std::int32_t frame = units_.frames.new_frame(warp, *run_.kernel.functions[0], 0, 0);
  std::fill(warp.local.begin(), warp.local.end(), std::byte{0});
  const std::int32_t part = Divergence::new_part(warp);
  Part& p = warp.parts[static_cast<std::size_t>(part)];
  p.pc = 0, p.mask = warp.exists, p.frame = frame;
  Divergence::make_ready(warp, part);
  if (run_.tracer)
    run_.tracer->mark(cta.number, index, {0, trace::Op::kCtaBegin, trace::Space::kNone, 0},
                      warp.exists, trace::kUnknownSm, 0);
}

void CtaGroups::start_cta(Cta& cta, std::uint64_t number, std::uint32_t rank, std::uint64_t clock) {
  cta.number = number;
  cta.rank = rank;
  const Dim3& g = run_.shape.grid;
  cta.id = {static_cast<std::uint32_t>(number % g[0]),
            static_cast<std::uint32_t>(number / g[0] % g[1]),
            static_cast<std::uint32_t>(number / g[0] / g[1])};
  cta.shared.assign(run_.shared_bytes + 16, std::byte{0});
  cta.barriers = {};
  if (run_.options.report) cta.check.begin(run_.shared_bytes);
  cta.left = run_.warps;
  cta.warps.resize(run_.warps);
  if (run_.tracer) run_.tracer->begin_cta(number, run_.warps);
  for (std::uint32_t w = 0; w < run_.warps; ++w) start_warp(cta, w, cta.warps[w], clock);
}

Group& CtaGroups::start(std::uint64_t number) {
  if (spare_.empty()) {
    active_.emplace_back();
  } else {
    active_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  begin(active_.back(), number, 0);
  return active_.back();
}

void CtaGroups::retire(std::size_t active) {
  spare_.push_back(std::move(active_[active]));
  active_.erase(active_.begin() + static_cast<std::ptrdiff_t>(active));
}

void CtaGroups::begin(Group& group, std::uint64_t number, std::uint64_t clock) {
  group.spun = 0;
  group.spins = false;
  group.stuck = 0;
  group.parting.clear();
  group.ctas.resize(run_.cluster_size);
  const Dim3 &g = run_.shape.grid, &k = run_.shape.cluster;
  const Dim3 n{g[0] / k[0], g[1] / k[1], g[2] / k[2]};
  const std::uint64_t cx = number % n[0], cy = number / n[0] % n[1], cz = number / n[0] / n[1];
  for (std::uint32_t r = 0; r < run_.cluster_size; ++r) {
    const std::uint64_t x = cx * k[0] + r % k[0], y = cy * k[1] + r / k[0] % k[1],
                        z = cz * k[2] + r / k[0] / k[1];
    start_cta(group.ctas[r], x + g[0] * (y + g[1] * z), r, clock);
  }
}

void CtaGroups::run_slice(const Group& group, Warp& warp) {
  const std::uint64_t most = run_.options.max_instructions;
  const std::uint64_t slice =
      run_.turns ? std::min(kWarpSlice, group.until - warp.clock) : kWarpSlice;
  const std::uint64_t left =
      most ? most - std::min(most, run_.statistics.warp_instructions) : slice;
  interpreter_.run_warp(warp, std::min(slice, left));
}

void CtaGroups::end_warp(Cta& cta, Warp& warp) {
  units_.recorder.leave_rounds(warp, nullptr, 0);
  if (run_.tracer)
    run_.tracer->mark(cta.number, warp.index, {0, trace::Op::kCtaEnd, trace::Space::kNone, 0},
                      warp.exists, 0, 0);
  warp.ready.clear();
  --cta.left;
}

// A slice for each warp that may run.
CtaGroups::Round CtaGroups::run_round(Group& group) {
  Round round;
  for (Cta& cta : group.ctas) {
    if (cta.left == 0) continue;
    round.ended = false;
    run_.cta = &cta;
    for (Warp& warp : cta.warps) {
      if (warp.ready.empty()) continue;
      if (run_.turns && (warp.clock >= group.until || warp.held_in == group.turns)) {
        round.held = true;
        continue;
      }
      round.ran = true;
      if (stop_ && stop_->load(std::memory_order_relaxed)) throw Conflict{};
      run_slice(group, warp);
      round.stuck = round.stuck && (run_.turns ? warp.in_vain : warp.gave_way);
      round.waits = round.waits && warp.waits_far();
      check_limits();
      if (warp.done()) end_warp(cta, warp);
    }
    if (run_.tracer)
      if (auto ok = run_.tracer->flush_if_large(cta.number); !ok) throw Fault{ok.error()};
  }
  return round;
}

void CtaGroups::check_limits() {
  const RunOptions& options = run_.options;
  const std::uint64_t ran = run_.statistics.warp_instructions;
  if (options.max_instructions && ran >= options.max_instructions) {
    run_.statistics.fault = FaultKind::kEndless;
    throw Fault{{ErrorKind::kResources,
                 fmt::format("the kernel '{}' ran {} warp instructions, as many as "
                             "--max-instructions allows",
                             demangled(run_.kernel.entry->name), ran),
                 "", "allow more, or look for a loop that never ends"}};
  }
  run_.stop_if_interrupted();
}

// Nobody can run. A barrier waits for threads, not for warps: whoever waits only for lanes to meet
// again goes on.
void CtaGroups::wake(Group& group) {
  bool freed = false;
  for (Cta& cta : group.ctas)
    for (Warp& warp : cta.warps) {
      units_.divergence.part_company(warp, Parting::kAll);
      freed = freed || !warp.ready.empty();
    }
  if (!freed) report_deadlock(group);
}

bool CtaGroups::run(Group& group, std::uint64_t budget) {
  run_.group = &group;
  const std::uint64_t until = run_.statistics.warp_instructions + budget;
  while (true) {
    const Round round = run_round(group);
    if (round.ended) return true;
    if (!round.ran) {
      wake(group);
      continue;
    }
    group.stuck = round.stuck ? group.stuck + 1 : 0;
    if (group.stuck >= kStuck) units_.divergence.end_stalemate(group), group.stuck = 0;
    group.spun = round.waits ? group.spun + 1 : 0;
    group.spins = group.spins || group.spun >= kSpun;
    if (round.waits && group.spins) return false;  // for another CTA
    if (run_.statistics.warp_instructions >= until) return false;
  }
}

bool CtaGroups::take_turn(Group& group) {
  run_.group = &group;
  bool stuck = true;
  while (true) {
    const Round round = run_round(group);
    if (round.ended) return true;
    if (round.ran) {
      stuck = stuck && round.stuck;
      continue;
    }
    if (round.held) break;
    wake(group);
  }
  group.spun = stuck ? group.spun + 1 : 0;
  if (group.spun != 0 && group.spun % kMostSpins == 0) units_.divergence.end_stalemate(group);
  return false;
}

void CtaGroups::end(Group& group) {
  for (Cta& cta : group.ctas) {
    if (run_.tracer)
      if (auto ok = run_.tracer->end_cta(cta.number); !ok) throw Fault{ok.error()};
    ++run_.statistics.ctas;
  }
}

}  // namespace warpmem::emulate
