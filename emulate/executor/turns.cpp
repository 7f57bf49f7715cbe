#include "emulate/executor/turns.hpp"

#include <algorithm>
#include <queue>

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kMostStateBytes =
    1u << 30;  // registers, local and shared memory of active CTAs

// Whether CTAs may learn of each other before they end: by what an atomic gives back, and by loads
// that ask for what others have written.
bool sees_others(const Kernel& kernel) {
  for (const auto& code : kernel.functions)
    for (const Inst& in : code->code) {
      if (in.kind != Kind::kAccess) continue;
      const Access& a = code->accesses[in.extra];
      if (a.space != Space::kGlobal && a.space != Space::kGeneric) continue;
      if (a.op == trace::Op::kAtomic || a.waits) return true;
    }
  return false;
}

// Whether its warps may wait for each other in loops: there ptxas puts a YIELD.
bool yields(const Kernel& kernel) {
  return std::ranges::any_of(kernel.functions, [](const auto& code) {
    return std::ranges::any_of(code->code, [](const Inst& in) { return in.kind == Kind::kYield; });
  });
}

std::uint64_t last_clock(const Group& group) {
  std::uint64_t last = 0;
  for (const Cta& cta : group.ctas)
    for (const Warp& warp : cta.warps) last = std::max(last, warp.clock);
  return last;
}

std::uint64_t next_clock(const Group& group) {
  std::uint64_t next = ~std::uint64_t{0};
  for (const Cta& cta : group.ctas)
    for (const Warp& warp : cta.warps)
      if (!warp.ready.empty()) next = std::min(next, warp.clock);
  return next;
}

struct Turn {
  std::uint64_t clock, number;
  Group* group;
  bool operator>(const Turn& o) const {
    return clock != o.clock ? clock > o.clock : number > o.number;
  }
};

// As many as fit the GPU, or as the host should hold: functions that are called are counted once.
std::uint64_t resident_groups(const Running& run) {
  const LaunchShape& shape = run.shape;
  if (shape.cooperative) return run.groups;
  std::uint64_t a_warp = 0;
  for (const auto& code : run.kernel.functions)
    a_warp += code->image.size() + 32 * std::uint64_t{code->local_bytes};
  const std::uint64_t bytes = run.cluster_size * (run.shared_bytes + run.warps * a_warp);
  const std::uint64_t fit = shape.clusters && run.cluster_size > 1
                                ? shape.clusters
                                : std::uint64_t{shape.sms} * shape.sm_ctas / run.cluster_size;
  return std::clamp<std::uint64_t>(kMostStateBytes / std::max<std::uint64_t>(1, bytes), 1,
                                   std::max<std::uint64_t>(1, fit));
}

}  // namespace

bool takes_turns(const Running& run) {
  return run.shape.cooperative || sees_others(run.kernel) ||
         (run.groups == 1 ? yields(run.kernel) : run.kernel.reads_across);
}

void run_in_turns(Running& run, CtaGroups& groups) {
  std::deque<Group>& active = groups.active();
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  std::uint64_t next = 0, in_vain = 0;
  const auto start = [&](Group& group, std::uint64_t clock) {
    groups.begin(group, next, clock);
    turns.push({clock, next++, &group});
  };
  for (const std::uint64_t fit = resident_groups(run); next < std::min(run.groups, fit);)
    start(active.emplace_back(), 0);
  while (!turns.empty()) {
    const Turn turn = turns.top();
    turns.pop();
    Group& group = *turn.group;
    group.began = turn.clock;
    group.until = turn.clock + run.shape.waits.turn();
    ++group.turns;
    if (groups.take_turn(group)) {
      groups.end(group);
      if (next < run.groups) start(group, last_clock(group));
      if (run.options.progress)
        run.options.progress(run.statistics.ctas, run.groups * run.cluster_size);
      in_vain = 0;
      continue;
    }
    turns.push({next_clock(group), turn.number, &group});
    in_vain = group.spun > 0 ? in_vain + 1 : 0;
    if (in_vain >= kSpun * turns.size() && next < run.groups && active.size() < kMostGroups) {
      // All that run may be waiting for one that has not started.
      for (std::size_t more = active.size(); more > 0 && next < run.groups; --more)
        start(active.emplace_back(), turn.clock);
      in_vain = 0;
    } else if (in_vain >= kStuck * turns.size()) {
      for (Group& g : active) groups.units().divergence.end_stalemate(g);
      in_vain = 0;
    }
  }
}

}  // namespace warpmem::emulate
