#include "emulate/executor/interpreter.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kPatience =
    256 * kWarpSlice;  // before lanes part that do not look like spinning
// Looks at what another thread writes, before others get their turn. Where CTAs take turns only
// those count that found nothing new, and one is as long as a turn.
constexpr std::uint32_t kWaits = 64, kSpinningWaits = 4, kVainWaits = 1;

inline std::uint32_t active_lanes(const Inst& in, const std::byte* frame, std::uint32_t mask) {
  if (in.guard == kNoOffset) return mask;
  const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.guard);
  return mask & (in.guard_negated ? ~p : p);
}

inline std::uint32_t lanes_in(std::uint32_t active) {
  return active == ~0u ? 32u : static_cast<std::uint32_t>(std::popcount(active));
}

}  // namespace

inline Interpreter::Stretch Interpreter::begin(Warp& warp, std::uint64_t& slice) {
  const std::int32_t number = warp.ready.back();
  Part& part = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, part);
  run_.code = &code;
  return {.warp = warp,
          .number = number,
          .slice = slice,
          .part = &part,
          .code = code,
          .frame = warp.frames[static_cast<std::size_t>(part.frame)].registers,
          .pc = part.pc,
          .mask = part.mask,
          .meet = meeting_place(part.reconverge),
          .may_miss = may_be_missed(part.reconverge) ? part.reconverge : kNoOffset,
          .waits = run_.turns          ? kVainWaits
                   : run_.group->spins ? kSpinningWaits
                                       : kWaits,
          .entered = units_.recorder.entered(code)};
}

inline void Interpreter::account(Stretch& s) {
  run_.statistics.warp_instructions += s.warp_count;
  run_.statistics.thread_instructions += s.thread_count;
  s.warp.clock += s.warp_count;
  s.slice -= std::min(s.slice, s.warp_count + 1);
  s.warp_count = s.thread_count = 0;
}

// Up to the next block, or to what is no arithmetic: with what is counted in registers.
inline void Interpreter::run_arithmetic(Stretch& s) {
  const Inst* in = &s.code.code[s.pc];
  std::byte* const frame = s.frame;
  const std::uint32_t mask = s.mask;
  std::uint64_t warp_count = 0, thread_count = 0;
  do {
    const std::uint32_t active = active_lanes(*in, frame, mask);
    if (!in->hidden) ++warp_count, thread_count += lanes_in(active);
    if (active) in->fn(frame, *in, active);
    ++in;
  } while (in->kind == Kind::kCompute && !in->leader);
  s.pc = static_cast<std::uint32_t>(in - s.code.code.data());
  s.warp_count += warp_count, s.thread_count += thread_count;
}

// False: the part is where it meets others, has left the loop it would meet them in, or has had its
// turn.
inline bool Interpreter::enter_block(Stretch& s) {
  if (s.pc == s.meet) {
    account(s);
    s.warp.ready.pop_back();
    Divergence::arrive(s.warp, s.number);
    return false;
  }
  if (s.may_miss != kNoOffset && will_not_meet(s.code, s.may_miss, s.pc)) {
    s.part->pc = s.pc;
    account(s);
    Divergence::leave_loop(s.warp, s.number);
    return false;
  }
  if (s.warp_count >= s.slice || s.warp.waits >= s.waits) {
    s.warp.gave_way = s.warp.waits >= s.waits;
    s.part->pc = s.pc;
    account(s);
    s.slice = 0;
    return false;
  }
  if (s.entered) ++s.entered[s.pc];
  return true;
}

void Interpreter::run_part(Warp& warp, std::uint64_t& slice) {
  Stretch s = begin(warp, slice);
  while (true) {
    const Inst& in = s.code.code[s.pc];
    if (in.leader && !enter_block(s)) return;
    if (in.kind == Kind::kCompute) {
      run_arithmetic(s);
      continue;
    }
    s.active = active_lanes(in, s.frame, s.mask);
    if (!in.hidden) ++s.warp_count, s.thread_count += lanes_in(s.active);
    s.part->pc = s.pc;
    if (!(this->*kOperations[static_cast<std::size_t>(in.kind)])(s, in)) return account(s);
    s.refresh();
    s.pc = s.part->pc;
    s.mask = s.part->mask;
  }
}

void Interpreter::run_warp(Warp& warp, const std::uint64_t whole) {
  std::uint64_t slice = whole;
  warp.waits = warp.far_waits = 0;
  warp.gave_way = false;
  run_.turn_over = false;
  do {
    while (!warp.ready.empty() && slice > 0 && !run_.turn_over) run_part(warp, slice);
  } while (slice > 0 && !run_.turn_over && warp.ready.empty() &&
           units_.together.let_named_go(warp));
  // Who comes last to a barrier does not run ahead of those that waited there: on a GPU they leave
  // it together, and programs have come to rely on it.
  if (warp.ready.empty() || run_.turn_over) {
    warp.unbroken = 0;
    return;
  }
  const std::uint64_t before = warp.unbroken;
  if (warp.gave_way && run_.turns) warp.clock = std::max(warp.clock, run_.group->until);
  if (warp.gave_way) units_.divergence.part_company(warp, Parting::kKnown);
  else if ((warp.unbroken += whole) / kPatience != before / kPatience)
    units_.divergence.part_company(warp, Parting::kAll);
  const bool long_enough = warp.gave_way || warp.unbroken / kWarpSlice != before / kWarpSlice;
  if (long_enough && warp.ready.size() > 1) {  // whoever had the turn goes last
    warp.ready.insert(warp.ready.begin(), warp.ready.back());
    warp.ready.pop_back();
  }
}

// The instruction has not been run: others come first.
bool Interpreter::take_back(Stretch& s, const Inst& in) {
  if (s.entered && in.leader) --s.entered[s.pc];
  --s.warp_count, s.thread_count -= static_cast<std::uint32_t>(std::popcount(s.active));
  return false;
}

}  // namespace warpmem::emulate
