#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulate/executor/bulk.hpp"
#include "emulate/ptx/builtins.hpp"
#include "emulate/executor/execution.hpp"
#include "emulate/ptx/own_functions.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint64_t kPatience = 256 * kWarpSlice;  // before lanes part that do not look like spinning
// Looks at what another thread writes, before others get their turn. Where CTAs take turns only those
// count that found nothing new, and one is as long as a turn.
constexpr std::uint32_t kWaits = 64, kSpinningWaits = 4, kVainWaits = 1;

}  // namespace

std::int32_t Execution::new_part(Warp& warp) {
  if (!warp.unused.empty()) {
    const std::int32_t at = warp.unused.back();
    warp.unused.pop_back();
    Part& p = warp.parts[static_cast<std::size_t>(at)];
    p.call = nullptr, p.callees.clear(), p.pending = 0, p.parent = -1, p.reconverge = kReturnPoint;
    p.open = p.in_vain = false, p.yielded = kNoOffset;
    return at;
  }
  warp.parts.emplace_back();
  return static_cast<std::int32_t>(warp.parts.size() - 1);
}

// A GPU runs into memory that is not its own: to the program it is an illegal address.
void Execution::overflow_stack(const char* how) {
  stats_.fault = FaultKind::kAddress;
  throw Fault{{ErrorKind::kResources, fmt::format("the stack has overflowed: {}", how), demangled(kernel_.entry->name), "end the recursion earlier"}};
}

std::int32_t Execution::new_frame(Warp& warp, const Code& code, std::uint32_t local_base) {
  std::size_t at = warp.frames.size();
  for (std::size_t i = 0; i < warp.frames.size(); ++i) {
    if (warp.frames[i].used || (warp.frames[i].code != &code && warp.frames[i].code)) continue;
    at = i;
    break;
  }
  if (at == warp.frames.size()) {
    if (at > 100000) overflow_stack("100,000 calls deep");
    warp.frames.emplace_back();
  }
  Frame& f = warp.frames[at];
  if (!f.memory) {
    f.memory.reset(static_cast<std::byte*>(::operator new[](code.image.size() + 64, std::align_val_t{64})));
    f.registers = f.memory.get();
    f.code = &code;
  }
  std::memcpy(f.registers, code.image.data(), code.image.size());
  f.used = true;
  f.local_base = local_base;
  f.taken = 0;
  grow_local(warp, local_base + code.local_bytes);
  return static_cast<std::int32_t>(at);
}

void Execution::grow_local(Warp& warp, std::uint32_t need) {
  if (need <= warp.local_capacity) return;
  if (need > (512u << 10)) overflow_stack("more than 512 KiB a thread");
  const std::uint32_t grown = std::max(need, warp.local_capacity * 2);
  std::vector<std::byte> fresh(std::size_t{grown} * 32);
  for (std::size_t l = 0; l < 32 && warp.local_capacity; ++l) std::memcpy(fresh.data() + l * grown, warp.local.data() + l * warp.local_capacity, warp.local_capacity);
  warp.local = std::move(fresh);
  warp.local_capacity = grown;
}

// alloca: lanes of a frame share one stack, so each takes as much as the one that asks for most.
void Execution::stack(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  Frame& f = warp.frames[static_cast<std::size_t>(part.frame)];
  const auto put = [&](std::uint64_t v) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (!(mask >> l & 1)) continue;
      if (in.sub == 8) reinterpret_cast<std::uint64_t*>(frame + in.d)[l] = v;
      else reinterpret_cast<std::uint32_t*>(frame + in.d)[l] = static_cast<std::uint32_t>(v);
    }
  };
  const auto value = [&](std::uint32_t l) { return in.sub == 8 ? reinterpret_cast<const std::uint64_t*>(frame + in.a)[l] : reinterpret_cast<const std::uint32_t*>(frame + in.a)[l]; };
  if (in.kind == Kind::kStackSave) return put(f.taken);
  if (in.kind == Kind::kStackRestore) {
    f.taken = static_cast<std::uint32_t>(value(static_cast<std::uint32_t>(std::countr_zero(mask))));
    return;
  }
  std::uint64_t most = 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) most = std::max(most, value(l));
  const std::uint32_t align = std::max(16u, in.target);
  const std::uint32_t from = (f.local_base + f.code->local_bytes + f.taken + align - 1) / align * align;
  if (most > (512u << 10)) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), fmt::format("alloca of {} bytes: a thread's stack has 512 KiB", most), "ask for less, or use memory that is allocated before the launch");
  f.taken = from + static_cast<std::uint32_t>((most + 15) / 16 * 16) - f.local_base - f.code->local_bytes;
  grow_local(warp, f.local_base + f.code->local_bytes + f.taken);
  put(from);
}

void Execution::make_ready(Warp& warp, std::int32_t part) {
  warp.parts[static_cast<std::size_t>(part)].state = Part::State::kReady;
  warp.ready.push_back(part);
}

// A part whose last outstanding lane is gone goes on, or ends when it has no lanes left.
void Execution::settle(Warp& warp, std::int32_t number) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  if (p.state != Part::State::kWaiting) return;
  if (p.pending != 0) return p.open ? go_ahead(warp, static_cast<std::size_t>(number)) : void();
  for (const std::int32_t f : p.callees) warp.frames[static_cast<std::size_t>(f)].used = false;
  p.callees.clear();
  p.call = nullptr;
  if (p.mask != 0) return make_ready(warp, number);
  p.state = Part::State::kFree;
  warp.unused.push_back(number);
}

// All lanes of the part have reached their reconvergence point.
void Execution::arrive(Warp& warp, std::int32_t number) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  const std::int32_t parent = p.parent;
  warp.parts[static_cast<std::size_t>(parent)].pending &= ~p.mask;
  p.state = Part::State::kFree;
  warp.unused.push_back(number);
  settle(warp, parent);
}

// Lanes that were to meet others in the loop's next round, or where ways join, will not come there: nobody waits
// for them.
void Execution::leave_loop(Warp& warp, std::int32_t number) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  const std::int32_t waits = p.parent;
  Part& from = warp.parts[static_cast<std::size_t>(waits)];
  from.mask &= ~p.mask, from.pending &= ~p.mask;
  p.parent = from.parent, p.reconverge = from.reconverge;
  settle(warp, waits);
}

// Lanes return from the part's function, or exit; the part keeps the rest.
void Execution::leave(Warp& warp, std::int32_t number, std::uint32_t lanes, bool exits) {
  if (exits) warp.exited |= lanes;
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  p.mask &= ~lanes;
  std::int32_t at = p.parent;
  if (p.mask == 0) {
    p.state = Part::State::kFree;
    warp.unused.push_back(number);
  }
  while (at >= 0) {
    Part& a = warp.parts[static_cast<std::size_t>(at)];
    const std::int32_t next = a.parent;
    const bool called = a.call != nullptr;
    a.pending &= ~lanes;
    if (exits || !called) a.mask &= ~lanes;
    settle(warp, at);
    if (called && !exits) break;
    at = next;
  }
}

// Whether from a place on lanes do not come to where others wait for them: it is outside the loop in whose next
// round they are to meet; or it is behind where ways join, or in that loop's next round.
static bool leaves(const Code& code, std::uint32_t reconverge, std::uint32_t place) {
  const CodeFlow& flow = code.flow;
  const std::uint32_t meet = flow.block_of[meeting_place(reconverge)], loop = flow.loop_of[meet];
  if (loop != trace::kNowhere && !flow.inside(loop, place)) return true;
  if (!is_on_the_way(reconverge)) return false;
  const std::uint32_t block = flow.block_of[place];
  return flow.order[block] > flow.order[meet] || (loop != trace::kNowhere && flow.loops[loop].header == block);
}

// True: the part goes on with what is left of it; false: another part runs next.
bool Execution::branch(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t taken, std::uint32_t target) {
  const std::uint32_t mask = warp.parts[static_cast<std::size_t>(number)].mask;
  const std::uint32_t next = static_cast<std::uint32_t>(&in - code_of(warp, warp.parts[static_cast<std::size_t>(number)]).code.data()) + 1;
  if (taken == mask || taken == 0) {
    warp.parts[static_cast<std::size_t>(number)].pc = taken ? target : next;
    return true;
  }
  const std::uint32_t other = mask & ~taken;
  const std::uint32_t meet = in.reconverge, now = warp.parts[static_cast<std::size_t>(number)].reconverge;
  std::int32_t side = number;  // takes the lanes that fall through
  const auto meet_at = [&](std::uint32_t place) {
    const std::int32_t below = new_part(warp);
    Part& p = warp.parts[static_cast<std::size_t>(side)];
    p.state = Part::State::kWaiting;
    p.pc = meeting_place(place);
    p.pending = mask;
    warp.ready.pop_back();
    Part& c = warp.parts[static_cast<std::size_t>(below)];
    c.parent = side, c.mask = mask, c.frame = p.frame, c.reconverge = place;
    make_ready(warp, below);
    side = below;
  };
  // Who is to meet others in the next round leaves that loop by the way, and waits behind it then.
  const Code& code = code_of(warp, warp.parts[static_cast<std::size_t>(number)]);
  const auto beyond = [&](std::uint32_t place) { return may_be_missed(now) && leaves(code, now, meeting_place(place)); };
  if (meet != kReturnPoint && meet != now && !beyond(meet)) meet_at(meet);
  if (in.round != kNoOffset && in.round != now && !(is_on_the_way(now) && beyond(in.round))) meet_at(in.round);
  if (in.joins != kNoOffset)
    for (const std::uint32_t place : code.joins[in.joins])
      if (place != now && !beyond(place)) meet_at(place);
  const std::int32_t jump = new_part(warp);
  Part& f = warp.parts[static_cast<std::size_t>(side)];
  Part& j = warp.parts[static_cast<std::size_t>(jump)];
  f.mask = other, f.pc = next;
  j.mask = taken, j.pc = target, j.parent = f.parent, j.frame = f.frame, j.reconverge = f.reconverge;
  make_ready(warp, jump);
  // Who leaves a loop runs first, as on an H200: it may be what the others go round for.
  if (in.kind == Kind::kBranch && target < next) std::swap(warp.ready.back(), warp.ready[warp.ready.size() - 2]);
  return false;
}

// One branch after another over the distinct targets.
bool Execution::branch_indexed(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t mask) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, p);
  const auto* index = reinterpret_cast<const std::uint32_t*>(warp.frames[static_cast<std::size_t>(p.frame)].registers + in.a);
  const auto& list = code.lists[in.extra];
  if (mask == 0) return ++p.pc, true;
  const int first = std::countr_zero(mask);
  if (index[first] + 1 >= list.size()) fault(warp, in, static_cast<std::uint32_t>(first), fmt::format("brx.idx takes target {} of a list of {}", index[first], list.size() - 1), "check what the switch or the table of branches is entered with");
  std::uint32_t same = 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((mask >> l & 1) && index[l] == index[first]) same |= 1u << l;
  // The others come back to this instruction; the split makes them a part of their own.
  if (same == p.mask) return p.pc = list[index[first] + 1], true;
  const std::uint32_t here = p.pc;
  branch(warp, number, in, same, list[index[first] + 1]);
  warp.parts[static_cast<std::size_t>(warp.ready[warp.ready.size() - 2])].pc = here;
  return false;
}

bool Execution::call(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t mask) {
  const Part& part = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, part);
  const CallSite& site = code.calls[in.extra];
  if (mask == 0) return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  if (site.builtin) {
    builtin(warp, part, site, mask);
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  std::uint32_t left = mask;
  const std::uint32_t caller_frame = static_cast<std::uint32_t>(part.frame);
  const std::uint32_t local_base = warp.frames[caller_frame].local_base + code.local_bytes + warp.frames[caller_frame].taken;
  std::int32_t waits = number;
  if (mask != part.mask) {  // a guarded call: the other lanes wait behind it
    waits = new_part(warp);
    Part& p = warp.parts[static_cast<std::size_t>(number)];
    Part& w = warp.parts[static_cast<std::size_t>(waits)];
    w.frame = p.frame, w.mask = mask, w.parent = p.parent, w.reconverge = p.reconverge;
    p.mask &= ~mask;
    ++p.pc;
    w.pc = p.pc;
    w.state = Part::State::kWaiting;
  } else {
    Part& p = warp.parts[static_cast<std::size_t>(number)];
    ++p.pc;
    p.state = Part::State::kWaiting;
    warp.ready.pop_back();
  }
  warp.parts[static_cast<std::size_t>(waits)].pending = mask;
  warp.parts[static_cast<std::size_t>(waits)].call = &site;
  while (left) {
    std::uint32_t lanes = left, function = site.function;
    if (site.pointer != kNoOffset) {
      const auto* pointers = reinterpret_cast<const std::uint64_t*>(warp.frames[caller_frame].registers + site.pointer);
      const auto first = static_cast<std::uint32_t>(std::countr_zero(left));
      const Function* target = kernel_.module->function_at(pointers[first]);
      const auto known = target ? kernel_.numbers.find(target) : kernel_.numbers.end();
      if (known == kernel_.numbers.end()) fault(warp, in, first, fmt::format("a call through {:#x}, which is not the address of a function", pointers[first]), "check that the pointer is set, and on the device: a host's function pointer is none here");
      if (target->params.size() != site.arguments.size()) fault(warp, in, first, fmt::format("'{}' takes {} arguments, not {}", target->name, target->params.size(), site.arguments.size()), "call it through a pointer of its own type");
      function = known->second;
      lanes = 0;
      for (std::uint32_t l = 0; l < 32; ++l)
        if ((left >> l & 1) && pointers[l] == pointers[first]) lanes |= 1u << l;
    }
    left &= ~lanes;
    const Code& callee = *kernel_.functions[function];
    const std::int32_t frame = new_frame(warp, callee, local_base);
    const std::byte* from = warp.frames[caller_frame].registers;
    std::byte* to = warp.frames[static_cast<std::size_t>(frame)].registers;
    for (std::size_t i = 0; i < site.arguments.size(); ++i) {
      const ParamSlot& a = site.arguments[i];
      const ParamSlot& b = callee.params[i];
      for (std::uint32_t l = 0; l < 32; ++l) std::memcpy(to + b.offset + l * b.bytes, from + a.offset + l * a.bytes, std::min(a.bytes, b.bytes));
    }
    const std::int32_t child = new_part(warp);
    Part& c = warp.parts[static_cast<std::size_t>(child)];
    c.pc = 0, c.mask = lanes, c.parent = waits, c.frame = frame;
    warp.parts[static_cast<std::size_t>(waits)].callees.push_back(frame);
    make_ready(warp, child);
  }
  return false;
}

void Execution::return_values(Warp& warp, std::int32_t number, std::uint32_t lanes) {
  const Part& p = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, p);
  if (code.returns.empty()) return;
  std::int32_t at = p.parent;
  while (at >= 0 && !warp.parts[static_cast<std::size_t>(at)].call) at = warp.parts[static_cast<std::size_t>(at)].parent;
  if (at < 0) return;
  const Part& caller = warp.parts[static_cast<std::size_t>(at)];
  const std::byte* from = warp.frames[static_cast<std::size_t>(p.frame)].registers;
  std::byte* to = warp.frames[static_cast<std::size_t>(caller.frame)].registers;
  for (std::size_t i = 0; i < code.returns.size() && i < caller.call->results.size(); ++i) {
    const ParamSlot& a = code.returns[i];
    const ParamSlot& b = caller.call->results[i];
    for (std::uint32_t l = 0; l < 32; ++l)
      if (lanes >> l & 1) std::memcpy(to + b.offset + l * b.bytes, from + a.offset + l * a.bytes, std::min(a.bytes, b.bytes));
  }
}

void Execution::run_warp(Warp& warp, const std::uint64_t whole) {
  std::uint64_t slice = whole;
  warp.waits = warp.far_waits = 0;
  warp.gave_way = false;
  turn_over_ = false;
  do {
    while (!warp.ready.empty() && slice > 0 && !turn_over_) run_part(warp, slice);
  } while (slice > 0 && !turn_over_ && warp.ready.empty() && let_named_go(warp));
  // Who comes last to a barrier does not run ahead of those that waited there: on a GPU they leave
  // it together, and programs have come to rely on it.
  if (warp.ready.empty() || turn_over_) {
    warp.unbroken = 0;
    return;
  }
  const std::uint64_t before = warp.unbroken;
  if (warp.gave_way && turns_) warp.clock = std::max(warp.clock, group_->until);
  if (warp.gave_way) part_company(warp, Parting::kKnown);
  else if ((warp.unbroken += whole) / kPatience != before / kPatience) part_company(warp, Parting::kAll);
  const bool long_enough = warp.gave_way || warp.unbroken / kWarpSlice != before / kWarpSlice;
  if (long_enough && warp.ready.size() > 1) {  // whoever had the turn goes last
    warp.ready.insert(warp.ready.begin(), warp.ready.back());
    warp.ready.pop_back();
  }
}

// Lanes that wait at a reconvergence point go on without those that are still to come.
void Execution::go_ahead(Warp& warp, std::size_t waiting) {
  const std::uint32_t here = warp.parts[waiting].mask & ~warp.parts[waiting].pending;
  if (here == 0) return;
  const std::int32_t ahead = new_part(warp);
  Part& from = warp.parts[waiting];
  Part& a = warp.parts[static_cast<std::size_t>(ahead)];
  a.pc = from.pc, a.mask = here, a.parent = from.parent, a.frame = from.frame, a.reconverge = from.reconverge;
  from.mask &= ~here;
  make_ready(warp, ahead);
}

// Lanes that wait at a reconvergence point for others, which may be waiting for them, go on by
// themselves, as independent thread scheduling lets them. kKnown: only where it was so before.
void Execution::part_company(Warp& warp, Parting which, std::uint32_t lanes) {
  const Places& known = turns_ ? parting_ : group_->parting;
  if (which == Parting::kKnown && known.empty()) return;
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    const Part& p = warp.parts[i];
    const std::uint32_t here = p.mask & ~p.pending;
    if (p.state != Part::State::kWaiting || (here & lanes) == 0) continue;
    if (which == Parting::kKnown && std::ranges::find(known, std::pair{&code_of(warp, p), p.pc}) == known.end()) continue;
    go_ahead(warp, i);
  }
}

// Where ptxas has put a YIELD, in loops in which lanes may wait for each other, what an H200 does
// (kernels/micro/parted_loops.cu): the others of the warp run first, each until it waits or yields.
// Whoever waits for lanes that yield waits no longer: who has left such a loop, and waits behind it
// for those that are still in it, goes on alone, and so does from then on who leaves it later. They
// do not meet again before an instruction that takes them together. True: others run first.
bool Execution::yield(Warp& warp, std::int32_t number) {
  if (warp.parts.size() == warp.unused.size() + 1) return false;
  Part& self = warp.parts[static_cast<std::size_t>(number)];
  const std::uint32_t lanes = self.mask;
  self.yielded = self.pc;
  self.in_vain = warp.in_vain;
  warp.ready.pop_back();
  warp.ready.insert(warp.ready.begin(), number);
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    Part& p = warp.parts[i];
    if (p.state != Part::State::kWaiting || (p.pending & lanes) == 0 || p.mask == p.pending) continue;
    p.open = true;
    go_ahead(warp, i);
  }
  if (warp.ready.back() == number) return false;
  if (!warp.parts[static_cast<std::size_t>(warp.ready.back())].in_vain) warp.waits = warp.far_waits = 0;
  return true;
}

// All that can run has waited in vain for long: what it waits for can only come from lanes that are
// held up at a reconvergence point. From now on nobody of this group waits there for spinning lanes,
// nobody at all where CTAs take turns.
void Execution::end_stalemate(Group& group) {
  Places& known = turns_ ? parting_ : group.parting;
  for (Cta& cta : group.ctas)
    for (Warp& warp : cta.warps) {
      for (const Part& p : warp.parts) {
        if (p.state != Part::State::kWaiting || (p.mask & ~p.pending) == 0) continue;
        const std::pair<const Code*, std::uint32_t> place{&code_of(warp, p), p.pc};
        if (std::ranges::find(known, place) == known.end()) known.push_back(place);
      }
      part_company(warp, Parting::kKnown);
    }
}

// Between two barriers warps keep about the same pace on a GPU, and programs have come to rely on
// it: what all of them read first, none overwrites before the others have read it, and what all of
// them then write is there when they go on to read. So a warp's turn ends before its first store,
// and before the first load after it.
// Code that was compiled for debugging says of hardly any address what memory it is in: there the
// first lane's decides. An mbarrier that begins anew or ends is a store to those that still wait at the old one.
bool Execution::waits_for_others(Warp& warp, const Access& a, const std::byte* frame, std::uint32_t mask, bool stores) {
  if (warp.shared_pace == Warp::Pace::kReadsAgain && warp.global_pace == Warp::Pace::kReadsAgain) return false;
  const Space space = a.space == Space::kGeneric ? space_of(a, frame, static_cast<std::uint32_t>(std::countr_zero(mask))) : a.space;
  if (space != Space::kShared && space != Space::kGlobal) return false;
  Warp::Pace& pace = space == Space::kShared ? warp.shared_pace : warp.global_pace;
  if (pace == Warp::Pace::kReadsAgain) return false;
  const bool reads = pace == Warp::Pace::kReads;
  if ((stores ? trace::Op::kStore : a.op) != (reads ? trace::Op::kStore : trace::Op::kLoad)) return false;
  pace = reads ? Warp::Pace::kWrites : Warp::Pace::kReadsAgain;
  return turn_over_ = cta_->warps.size() > 1;
}

void Execution::run_part(Warp& warp, std::uint64_t& slice) {
  const std::int32_t number = warp.ready.back();
  Part* part = &warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, *part);
  now_code_ = &code;
  std::byte* frame = warp.frames[static_cast<std::size_t>(part->frame)].registers;
  std::uint32_t pc = part->pc;
  std::uint32_t mask = part->mask;
  const std::uint32_t meet = meeting_place(part->reconverge);
  const std::uint32_t round = may_be_missed(part->reconverge) ? part->reconverge : kNoOffset;
  const std::uint32_t waits = turns_ ? kVainWaits : group_->spins ? kSpinningWaits : kWaits;
  std::uint64_t* const entered = entered_.empty() ? nullptr : &entered_[code.first_line];
  std::uint64_t warp_count = 0, thread_count = 0;
  const auto account = [&] {
    stats_.warp_instructions += warp_count, stats_.thread_instructions += thread_count;
    warp.clock += warp_count;
    slice -= std::min(slice, warp_count + 1);
    warp_count = thread_count = 0;
  };
  while (true) {
    const Inst& in = code.code[pc];
    if (in.leader) {
      if (pc == meet) {
        account();
        warp.ready.pop_back();
        arrive(warp, number);
        return;
      }
      if (round != kNoOffset && leaves(code, round, pc)) {
        part->pc = pc;
        account();
        return leave_loop(warp, number);
      }
      if (warp_count >= slice || warp.waits >= waits) {
        warp.gave_way = warp.waits >= waits;
        part->pc = pc;
        account();
        slice = 0;
        return;
      }
      if (in.yields & kYieldBlock) {
        part->pc = pc;
        if (pc != part->yielded && yield(warp, number)) return account();
        part = &warp.parts[static_cast<std::size_t>(number)];
        part->yielded = kNoOffset;
      }
      if (entered) ++entered[pc];
    }
    std::uint32_t active = mask;
    if (in.guard != kNoOffset) {
      const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.guard);
      active &= in.guard_negated ? ~p : p;
    }
    if (!in.hidden) {
      ++warp_count;
      thread_count += active == ~0u ? 32u : static_cast<std::uint32_t>(std::popcount(active));
    }
    if (in.kind == Kind::kCompute) {
      if (active) in.fn(frame, in, active);
      ++pc;
      continue;
    }
    part->pc = pc;
    bool goes_on = true;
    switch (in.kind) {
      case Kind::kComputeOwn:
        if (active && entered && calls_own_function(static_cast<OwnFunction>(in.extra), frame + in.a, frame + (in.b == kNoOffset ? in.a : in.b), active))
          ++entered[entered_.size() / 2 + pc];
        if (active) in.fn(frame, in, active);
        ++part->pc;
        break;
      case Kind::kAccess:
        if ((in.yields & kYieldBefore) && pc != part->yielded) {
          if (yield(warp, number)) {
            if (entered && in.leader) --entered[pc];
            --warp_count, thread_count -= static_cast<std::uint32_t>(std::popcount(active));
            return account();
          }
          part = &warp.parts[static_cast<std::size_t>(number)];
        }
        if (active && ((turns_ && comes_later(warp, code.accesses[in.extra], warp_count)) || waits_for_others(warp, code.accesses[in.extra], frame, active))) {
          if (entered && in.leader) --entered[pc];
          --warp_count, thread_count -= static_cast<std::uint32_t>(std::popcount(active));
          account();
          return;
        }
        if (active) access(warp, *part, in, code.accesses[in.extra], frame, active);
        if (turns_ && active) {
          const Access& a = code.accesses[in.extra];
          const std::uint64_t wait = wait_for(a);
          warp.clock += wait;
          slice -= std::min(slice, wait);
        }
        ++part->pc;
        if (in.yields) {
          part->yielded = kNoOffset;
          if ((in.yields & kYieldBehind) && yield(warp, number)) return account();
          part = &warp.parts[static_cast<std::size_t>(number)];
        }
        break;
      case Kind::kFence:
        if (turns_ && active) {
          warp.clock += kFenceWait;
          slice -= std::min(slice, kFenceWait);
        }
        ++part->pc;
        break;
      case Kind::kParamLoad:
        if (active) param_load(in, code.accesses[in.extra], frame, active);
        ++part->pc;
        break;
      case Kind::kParamStore:
        if (active) param_store(in, code.accesses[in.extra], frame, active);
        ++part->pc;
        break;
      case Kind::kSpecial:
        ahead_ = warp_count;
        if (active) special(warp, in, frame, active);
        ++part->pc;
        break;
      case Kind::kLocalAddress: {
        auto* d = reinterpret_cast<std::uint64_t*>(frame + in.d);
        const std::uint64_t at = warp.frames[static_cast<std::size_t>(part->frame)].local_base + in.extra;
        for (std::uint32_t l = 0; l < 32; ++l)
          if (active >> l & 1) d[l] = at;
        ++part->pc;
        break;
      }
      case Kind::kBranch:
        if (tracer_ && !in.hidden && code.flow.back_edge[pc] != kNowhere) count_round(warp, code, pc, active != 0);
        if (back_edges_ && active && group_->traced && &code == kernel_.functions[0].get() &&
            (*back_edges_)[in.statement])
          tracer_->back_edge(cta_->number, warp.index, in.statement, active);
        if (told_ && group_->traced && !in.hidden && &code == kernel_.functions[0].get())
          if (const std::uint8_t sides = (*told_)[in.statement]) {
            if (sides & SiteMap::kTaken) tracer_->went(cta_->number, warp.index, in.statement, true, active);
            if (sides & SiteMap::kPassed) tracer_->went(cta_->number, warp.index, in.statement, false, mask & ~active);
          }
        goes_on = branch(warp, number, in, active, in.target);
        break;
      case Kind::kBranchIndexed: goes_on = branch_indexed(warp, number, in, active); break;
      case Kind::kCall: goes_on = call(warp, number, in, active); break;
      case Kind::kReturn:
      case Kind::kExit: {
        ++part->pc;
        if (active == 0) break;
        const bool exits = in.kind == Kind::kExit || part->parent < 0;
        const bool all = active == mask;
        if (all) warp.ready.pop_back();
        if (!exits) return_values(warp, number, active);
        leave(warp, number, active, exits);
        if (exits) check_all_barriers(*cta_), release_together(warp);
        goes_on = !all && !warp.ready.empty() && warp.ready.back() == number;
        break;
      }
      case Kind::kTrap:
        if (active) stats_.fault = FaultKind::kTrap, fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(active)), "the kernel executed trap", "a device-side assertion or __trap() ended it");
        ++part->pc;
        break;
      case Kind::kBarrier: case Kind::kBarrierArrive: case Kind::kBarrierReduce:
        ++part->pc;
        if (active) goes_on = barrier(warp, number, in, active);
        break;
      case Kind::kClusterArrive:
        ++part->pc;
        warp.at_cluster |= active;
        check_cluster();
        goes_on = warp.ready.back() == number;
        break;
      case Kind::kClusterWait:
        ++part->pc;
        if (active) goes_on = cluster_wait(warp, number);
        break;
      case Kind::kWarpSync: case Kind::kVote: case Kind::kMatch: case Kind::kShuffle: case Kind::kReduceSync: case Kind::kActiveMask: case Kind::kElect:
        if (active) goes_on = act_together(warp, number, in, frame, active);
        else ++part->pc;
        break;
      case Kind::kAsyncCopy:
        if (active) async_copy(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kMatrixLoad: case Kind::kMatrixStore: case Kind::kMatrixProduct: case Kind::kGroupProduct: case Kind::kMatrixTurn: case Kind::kQuadProduct: case Kind::kFragment:
        if (active == ~0u) convergent(warp, *part, in, frame, active), ++part->pc;
        else if (active) goes_on = act_together(warp, number, in, frame, active);
        else ++part->pc;
        break;
      case Kind::kMapa:
        if (active) map_address(in, frame, active);
        ++part->pc;
        break;
      case Kind::kTexture:
        if (active) texture(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kMbarrier:
        if (active &&
            (in.sub == static_cast<std::uint32_t>(MbarrierOp::kInit) || in.sub == static_cast<std::uint32_t>(MbarrierOp::kInvalidate)) &&
            waits_for_others(warp, code.accesses[in.extra], frame, active, true)) {
          if (entered && in.leader) --entered[pc];
          --warp_count, thread_count -= static_cast<std::uint32_t>(std::popcount(active));
          account();
          return;
        }
        if (active) mbarrier(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kTensorCopy:
        if (active) tensor_copy(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kTensorMap:
        if (active) tensor_map(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kAsyncStore:
        if (active) async_store(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kRankOf:
        if (active) rank_of(in, frame, active);
        ++part->pc;
        break;
      case Kind::kStackTake: case Kind::kStackSave: case Kind::kStackRestore:
        if (active) stack(warp, *part, in, frame, active);
        ++part->pc;
        break;
      case Kind::kBulkCopy:
        if (active) bulk_copy(warp, *part, in, frame, active);
        ++part->pc;
        break;
      default: ++part->pc; break;  // fences, waits: everything here has happened already
    }
    if (!goes_on) {
      account();
      return;
    }
    part = &warp.parts[static_cast<std::size_t>(number)];
    pc = part->pc;
    mask = part->mask;
  }
}

}  // namespace warpmem::emulate
