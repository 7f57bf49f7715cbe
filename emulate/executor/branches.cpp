// Branches: lanes that go different ways become parts of their own.
#include <fmt/format.h>

#include <bit>

#include "emulate/executor/divergence.hpp"
#include "emulate/executor/faults.hpp"

namespace warpmem::emulate {

bool will_not_meet(const Code& code, std::uint32_t reconverge, std::uint32_t place) {
  const CodeFlow& flow = code.flow;
  const std::uint32_t meet = flow.block_of[meeting_place(reconverge)], loop = flow.loop_of[meet];
  if (loop != trace::kNowhere && !flow.inside(loop, place)) return true;
  if (!is_on_the_way(reconverge)) return false;
  const std::uint32_t block = flow.block_of[place];
  return flow.order[block] > flow.order[meet] ||
         (loop != trace::kNowhere && flow.loops[loop].header == block);
}

// True: the part goes on with what is left of it; false: another part runs next.
bool Divergence::branch(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t taken,
                        std::uint32_t target) {
  const std::uint32_t mask = warp.parts[static_cast<std::size_t>(number)].mask;
  const std::uint32_t next =
      static_cast<std::uint32_t>(
          &in - code_of(warp, warp.parts[static_cast<std::size_t>(number)]).code.data()) +
      1;
  if (taken == mask || taken == 0) {
    warp.parts[static_cast<std::size_t>(number)].pc = taken ? target : next;
    return true;
  }
  const std::uint32_t other = mask & ~taken;
  const std::uint32_t meet = in.reconverge,
                      now = warp.parts[static_cast<std::size_t>(number)].reconverge;
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
  const auto beyond = [&](std::uint32_t place) {
    return may_be_missed(now) && will_not_meet(code, now, meeting_place(place));
  };
  if (meet != kReturnPoint && meet != now && !beyond(meet)) meet_at(meet);
  if (in.round != kNoOffset && in.round != now && !(is_on_the_way(now) && beyond(in.round)))
    meet_at(in.round);
  if (in.joins != kNoOffset)
    for (const std::uint32_t place : code.joins[in.joins])
      if (place != now && !beyond(place)) meet_at(place);
  const std::int32_t jump = new_part(warp);
  Part& f = warp.parts[static_cast<std::size_t>(side)];
  Part& j = warp.parts[static_cast<std::size_t>(jump)];
  f.mask = other, f.pc = next;
  j.mask = taken, j.pc = target, j.parent = f.parent, j.frame = f.frame,
  j.reconverge = f.reconverge;
  make_ready(warp, jump);
  // Who leaves a loop runs first, as on an H200: it may be what the others go round for.
  if (in.kind == Kind::kBranch && target < next)
    std::swap(warp.ready.back(), warp.ready[warp.ready.size() - 2]);
  return false;
}

// One branch after another over the distinct targets.
bool Divergence::branch_indexed(Warp& warp, std::int32_t number, const Inst& in,
                                std::uint32_t mask) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, p);
  const auto* index = reinterpret_cast<const std::uint32_t*>(
      warp.frames[static_cast<std::size_t>(p.frame)].registers + in.a);
  const auto& list = code.lists[in.extra];
  if (mask == 0) return ++p.pc, true;
  const int first = std::countr_zero(mask);
  if (index[first] >= list.size() - 1)  // it begins with a mark
    fault(run_, warp, in, static_cast<std::uint32_t>(first),
          fmt::format("brx.idx takes target {} of a list of {}", index[first], list.size() - 1),
          "check what the switch or the table of branches is entered with");
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

}  // namespace warpmem::emulate
