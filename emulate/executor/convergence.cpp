#include "emulate/executor/convergence.hpp"

#include <bit>

namespace warpmem::emulate {
namespace {

std::uint32_t* members_at(std::byte* frame, std::uint32_t barrier) {
  return reinterpret_cast<std::uint32_t*>(frame + barrier);
}

// A part with the same history, of these lanes.
std::int32_t split(Warp& warp, std::int32_t number, std::uint32_t lanes, std::uint32_t pc) {
  const std::int32_t fresh = Divergence::new_part(warp);
  Part& from = warp.parts[static_cast<std::size_t>(number)];
  Part& to = warp.parts[static_cast<std::size_t>(fresh)];
  to.mask = lanes, to.pc = pc, to.frame = from.frame;
  from.mask &= ~lanes;
  return fresh;
}

}  // namespace

void Convergence::part_ways(Warp& warp, std::int32_t number, std::uint32_t taken,
                            std::uint32_t target, std::uint32_t next) {
  const std::int32_t jump = split(warp, number, taken, target);
  warp.parts[static_cast<std::size_t>(number)].pc = next;
  Divergence::make_ready(warp, jump);
  if (target < next) std::swap(warp.ready.back(), warp.ready[warp.ready.size() - 2]);
}

bool Convergence::wait(Warp& warp, std::int32_t number, const Inst& in, std::byte* frame,
                       std::uint32_t mask) {
  const std::uint32_t wanted = members_at(frame, in.a)[std::countr_zero(mask)] & ~warp.gone();
  Part& part = warp.parts[static_cast<std::size_t>(number)];
  if (mask == part.mask && (wanted & ~mask) == 0) return ++part.pc, true;
  const std::uint32_t rest = part.mask & ~mask;
  warp.ready.pop_back();
  if (rest) Divergence::make_ready(warp, split(warp, number, rest, part.pc + 1));
  warp.parts[static_cast<std::size_t>(number)].state = Part::State::kConverging;
  release(warp);
  return false;
}

void Convergence::leave(std::byte* frame, const Inst& in, std::uint32_t lanes) {
  std::uint32_t* members = members_at(frame, in.a);
  for (std::uint32_t l = 0; l < 32; ++l) members[l] &= ~lanes;
}

// Lanes may wait at a barrier in groups that know nothing of each other: each has its own members.
void Convergence::release(Warp& warp) {
  const std::size_t before = warp.ready.size();
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    const Part& key = warp.parts[i];
    if (key.state != Part::State::kConverging) continue;
    const Frame& frame = warp.frames[static_cast<std::size_t>(key.frame)];
    const std::uint32_t barrier = frame.code->code[key.pc].a;
    const std::uint32_t wanted =
        members_at(frame.registers, barrier)[std::countr_zero(key.mask)] & ~warp.gone();
    std::uint32_t here = 0;
    const auto with = [&](const Part& p) {
      return p.state == Part::State::kConverging && frame.code->code[p.pc].a == barrier &&
             (p.mask == key.mask || (p.mask & wanted) != 0);
    };
    for (const Part& p : warp.parts)
      if (with(p)) here |= p.mask;
    if (wanted & ~here) continue;
    for (std::size_t k = i + 1; k < warp.parts.size(); ++k) {
      if (!with(warp.parts[k])) continue;
      ++warp.parts[k].pc;
      Divergence::make_ready(warp, static_cast<std::int32_t>(k));
    }
    ++warp.parts[i].pc;
    Divergence::make_ready(warp, static_cast<std::int32_t>(i));
  }
  if (warp.ready.size() > before + 1) Divergence::rejoin(warp, before);
}

void Convergence::go_ahead(Warp& warp, std::size_t waiting) {
  const Part& part = warp.parts[waiting];
  const Frame& frame = warp.frames[static_cast<std::size_t>(part.frame)];
  std::uint32_t* members = members_at(frame.registers, frame.code->code[part.pc].a);
  std::uint32_t apart = part.mask;
  for (std::uint32_t l = 0; l < 32; ++l)
    if (part.mask >> l & 1) apart |= members[l];
  for (std::uint32_t l = 0; l < 32; ++l)
    if (apart >> l & 1) members[l] = 1u << l;
  ++warp.parts[waiting].pc;
  Divergence::make_ready(warp, static_cast<std::int32_t>(waiting));
}

bool Convergence::yield(Warp& warp, std::int32_t number) {
  const std::uint32_t lanes = warp.parts[static_cast<std::size_t>(number)].mask;
  warp.ready.pop_back();
  const std::size_t before = warp.ready.size();
  for (std::size_t i = 0; i < warp.parts.size(); ++i) {
    const Part& p = warp.parts[i];
    if (p.state != Part::State::kConverging) continue;
    const Frame& frame = warp.frames[static_cast<std::size_t>(p.frame)];
    if (members_at(frame.registers, frame.code->code[p.pc].a)[std::countr_zero(p.mask)] & lanes)
      go_ahead(warp, i);
  }
  if (warp.ready.size() > before + 1) Divergence::rejoin(warp, before);
  warp.ready.insert(warp.ready.begin(), number);
  return warp.ready.size() > 1;
}

}  // namespace warpmem::emulate
