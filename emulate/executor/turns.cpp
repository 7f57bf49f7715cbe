// Kernels whose CTAs see each other while they run: they share out work by atomics, take locks,
// wait for flags. What such a kernel does depends on who comes when, so as many CTAs as fit the GPU
// are active at once, and each of them gets its turn when it is the one furthest behind.
//
// Who is furthest behind, a clock of each warp tells: instructions, and for accesses that a warp
// waits for about as many as it could have issued meanwhile. Barriers set the clocks of those that
// waited to that of the last one to come. A CTA's turn lets its warps get kTurn ahead of where it
// was. To atomics and to looks at what others write, warps come in the order of their clocks. When
// a CTA ends, the next one of the grid starts in its place, at the time at which it ended. All this
// depends on the program only.
#include <algorithm>
#include <cstring>
#include <queue>

#include "emulate/executor/execution.hpp"

namespace warpmem::emulate {
namespace {

// In instructions of a warp, of about four cycles each: shared memory, a load of which others may
// be on their way too, and a way to the L2 and back whose answer the program needs.
constexpr std::uint64_t kSharedWait = 4, kLoadWait = 32, kAtomicWait = 128;
// As long as that way: nobody gets two answers while another one waits for its first.
constexpr std::uint64_t kTurn = kAtomicWait;
// What a warp may be ahead of the turn's beginning when it comes to what others may see.
constexpr std::uint64_t kSlack = 16;
// Turns in vain until a CTA's lanes no longer wait for those that spin, though others do get on.
constexpr std::uint32_t kPatience = 1u << 12;
// That lanes which are together may go round, looking, and still find nothing new.
constexpr std::size_t kLooks = 4;
constexpr std::uint64_t kMostBytes = 1u << 30;  // registers, local and shared memory of active CTAs

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

// Whether its warps may wait for each other in loops (mapping/yields.hpp).
bool yields(const Kernel& kernel) {
  return std::ranges::any_of(kernel.functions, [](const auto& code) {
    return std::ranges::any_of(code->code, [](const Inst& in) { return in.yields != 0; });
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

}  // namespace

bool Execution::takes_turns() const {
  return shape_.cooperative || sees_others(kernel_) || (groups_ == 1 ? yields(kernel_) : kernel_.reads_across);
}

// As many as fit the GPU, or as the host should hold: functions that are called are counted once.
std::uint64_t Execution::resident_groups() const {
  if (shape_.cooperative) return groups_;
  std::uint64_t a_warp = 0;
  for (const auto& code : kernel_.functions)
    a_warp += code->image.size() + 32 * std::uint64_t{code->local_bytes};
  const std::uint64_t bytes = cluster_size_ * (shared_bytes_ + warps_ * a_warp);
  const std::uint64_t fit = shape_.clusters && cluster_size_ > 1 ? shape_.clusters : std::uint64_t{shape_.sms} * shape_.sm_ctas / cluster_size_;
  return std::clamp<std::uint64_t>(kMostBytes / std::max<std::uint64_t>(1, bytes), 1,
                                   std::max<std::uint64_t>(1, fit));
}

Result<void> Execution::run_in_turns() {
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  std::uint64_t next = 0, in_vain = 0;
  const auto start = [&](Group& group, std::uint64_t clock) {
    started_at_ = clock;
    begin_group(group, next);
    turns.push({clock, next++, &group});
  };
  for (const std::uint64_t fit = resident_groups(); next < std::min(groups_, fit);)
    start(active_.emplace_back(), 0);
  while (!turns.empty()) {
    const Turn turn = turns.top();
    turns.pop();
    Group& group = *turn.group;
    group.began = turn.clock;
    group.until = turn.clock + kTurn;
    ++group.turns;
    if (take_turn(group)) {
      end_group(group);
      if (next < groups_) start(group, last_clock(group));
      if (options_.progress) options_.progress(stats_.ctas, groups_ * cluster_size_);
      in_vain = 0;
      continue;
    }
    turns.push({next_clock(group), turn.number, &group});
    in_vain = group.spun > 0 ? in_vain + 1 : 0;
    if (in_vain >= kSpun * turns.size() && next < groups_ && active_.size() < kMostGroups) {
      // All that run may be waiting for one that has not started.
      for (std::size_t more = active_.size(); more > 0 && next < groups_; --more)
        start(active_.emplace_back(), turn.clock);
      in_vain = 0;
    } else if (in_vain >= kStuck * turns.size()) {
      for (Group& g : active_) end_stalemate(g);
      in_vain = 0;
    }
  }
  return {};
}

bool Execution::take_turn(Group& group) {
  group_ = &group;
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
  if (group.spun != 0 && group.spun % kPatience == 0) end_stalemate(group);
  return false;
}

// Whether others come first: to atomics and looks warps come in the order of their clocks, or a
// compare-and-swap would always find what the load before it has found.
bool Execution::comes_later(Warp& warp, const Access& a, std::uint64_t ahead) {
  if (a.space != Space::kGlobal && a.space != Space::kGeneric) return false;
  if ((a.op != trace::Op::kAtomic && !a.waits) || warp.clock + ahead <= group_->began + kSlack)
    return false;
  warp.held_in = group_->turns;
  return turn_over_ = true;
}

std::uint64_t Execution::wait_for(const Access& a) {
  if (a.space == Space::kShared)
    return a.op == trace::Op::kLoad || a.op == trace::Op::kAtomic ? kSharedWait : 0;
  if (a.space != Space::kGlobal && a.space != Space::kGeneric) return 0;
  if (a.op == trace::Op::kAtomic || a.waits) return kAtomicWait;
  return a.op == trace::Op::kLoad ? kLoadWait : 0;
}

// True: what the warp has found there is what it found when it looked last, or one of the last
// times.
bool Execution::looks_again(Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes,
                            const Lanes& host) {
  std::uint64_t seen = reinterpret_cast<std::uint64_t>(&in) * 0x9e3779b97f4a7c15u ^ mask;
  const auto mix = [&](std::uint64_t v) {
    seen = (seen ^ v) * 0xff51afd7ed558ccdu, seen ^= seen >> 32;
  };
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    mix(host[l]);
    for (std::uint32_t i = 0; i < bytes; i += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const std::byte*>(host[l]) + i, std::min(8u, bytes - i));
      mix(word);
    }
  }
  seen |= 1;
  warp.in_vain = std::ranges::find(warp.looks, seen) != warp.looks.end();
  if (warp.in_vain) return true;
  if (warp.looks.size() >= kLooks * std::max<std::size_t>(1, warp.ready.size())) warp.looks.pop_back();
  warp.looks.insert(warp.looks.begin(), seen);
  return false;
}

}  // namespace warpmem::emulate
