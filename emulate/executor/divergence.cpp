#include "emulate/executor/divergence.hpp"

#include <algorithm>

#include "emulate/executor/convergence.hpp"

namespace warpmem::emulate {

std::int32_t Divergence::new_part(Warp& warp) {
  if (!warp.unused.empty()) {
    const std::int32_t at = warp.unused.back();
    warp.unused.pop_back();
    Part& p = warp.parts[static_cast<std::size_t>(at)];
    p.call = nullptr, p.callees.clear(), p.pending = 0, p.parent = -1, p.reconverge = kReturnPoint;
    return at;
  }
  warp.parts.emplace_back();
  return static_cast<std::int32_t>(warp.parts.size() - 1);
}

void Divergence::make_ready(Warp& warp, std::int32_t part) {
  warp.parts[static_cast<std::size_t>(part)].state = Part::State::kReady;
  warp.ready.push_back(part);
}

// A part whose last outstanding lane is gone goes on, or ends when it has no lanes left.
void Divergence::settle(Warp& warp, std::int32_t number) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  if (p.state != Part::State::kWaiting) return;
  if (p.pending != 0) return;
  for (const std::int32_t f : p.callees) {
    warp.frames[static_cast<std::size_t>(f)].used = false;
    warp.free_frames.push_back(f);
  }
  p.callees.clear();
  p.call = nullptr;
  if (p.mask != 0) return make_ready(warp, number);
  p.state = Part::State::kFree;
  warp.unused.push_back(number);
}

// All lanes of the part have reached their reconvergence point.
void Divergence::arrive(Warp& warp, std::int32_t number) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  const std::int32_t parent = p.parent;
  warp.parts[static_cast<std::size_t>(parent)].pending &= ~p.mask;
  p.state = Part::State::kFree;
  warp.unused.push_back(number);
  settle(warp, parent);
}

// Lanes that were to meet others in the loop's next round, or where ways join, will not come there:
// nobody waits for them.
void Divergence::leave_loop(Warp& warp, std::int32_t number) {
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  const std::int32_t waits = p.parent;
  Part& from = warp.parts[static_cast<std::size_t>(waits)];
  from.mask &= ~p.mask, from.pending &= ~p.mask;
  p.parent = from.parent, p.reconverge = from.reconverge;
  settle(warp, waits);
}

// Lanes return from the part's function, or exit; the part keeps the rest.
void Divergence::leave(Warp& warp, std::int32_t number, std::uint32_t lanes, bool exits) {
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

// Lanes that wait at a reconvergence point go on without those that are still to come.
void Divergence::go_ahead(Warp& warp, std::size_t waiting) {
  const std::uint32_t here = warp.parts[waiting].mask & ~warp.parts[waiting].pending;
  if (here == 0) return;
  const std::int32_t ahead = new_part(warp);
  Part& from = warp.parts[waiting];
  Part& a = warp.parts[static_cast<std::size_t>(ahead)];
  a.pc = from.pc, a.mask = here, a.parent = from.parent, a.frame = from.frame,
  a.reconverge = from.reconverge;
  from.mask &= ~here;
  make_ready(warp, ahead);
}

// Lanes that wait at a reconvergence point for others, which may be waiting for them, go on by
// themselves, as independent thread scheduling lets them. kKnown: only where it was so before.
void Divergence::part_company(Warp& warp, Parting which, std::uint32_t lanes) {
  const Places& known = run_.turns ? parting_ : run_.group->parting;
  if (which == Parting::kKnown && known.empty()) return;
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    const Part& p = warp.parts[i];
    const std::uint32_t here = p.mask & ~p.pending;
    if (p.state != Part::State::kWaiting || (here & lanes) == 0) continue;
    if (which == Parting::kKnown &&
        std::ranges::find(known, std::pair{&code_of(warp, p), p.pc}) == known.end())
      continue;
    go_ahead(warp, i);
  }
}

// All that can run has waited in vain for long: what it waits for can only come from lanes that are
// held up at a reconvergence point. From now on nobody of this group waits there for spinning
// lanes, nobody at all where CTAs take turns.
void Divergence::end_stalemate(Group& group) {
  Places& known = run_.turns ? parting_ : group.parting;
  for (Cta& cta : group.ctas)
    for (Warp& warp : cta.warps) {
      for (const Part& p : warp.parts) {
        if (p.state != Part::State::kWaiting || (p.mask & ~p.pending) == 0) continue;
        const std::pair<const Code*, std::uint32_t> place{&code_of(warp, p), p.pc};
        if (std::ranges::find(known, place) == known.end()) known.push_back(place);
      }
      part_company(warp, Parting::kKnown);
      for (std::size_t i = 0; i < warp.parts.size(); ++i)
        if (warp.parts[i].state == Part::State::kConverging) Convergence::go_ahead(warp, i);
    }
}

// Parts that became ready at one place, ready[from] and later, are one part again.
void Divergence::rejoin(Warp& warp, std::size_t from) {
  for (std::size_t i = from; i < warp.ready.size(); ++i)
    for (std::size_t k = warp.ready.size() - 1; k > i; --k) {
      Part& a = warp.parts[static_cast<std::size_t>(warp.ready[i])];
      Part& b = warp.parts[static_cast<std::size_t>(warp.ready[k])];
      if (a.pc != b.pc || a.frame != b.frame || a.parent != b.parent ||
          a.reconverge != b.reconverge)
        continue;
      a.mask |= b.mask;
      b.state = Part::State::kFree;
      warp.unused.push_back(warp.ready[k]);
      warp.ready.erase(warp.ready.begin() + static_cast<std::ptrdiff_t>(k));
    }
}

}  // namespace warpmem::emulate
