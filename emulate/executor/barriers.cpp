#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "emulate/executor/barriers.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {
namespace {

std::uint32_t uniform(const std::byte* frame, std::uint32_t offset, std::uint32_t mask) {
  return reinterpret_cast<const std::uint32_t*>(frame + offset)[std::countr_zero(mask)];
}

}  // namespace

// Lanes come to the barrier; its number.
std::uint32_t Barriers::come(Warp& warp, const Inst& in, const std::byte* frame,
                             std::uint32_t mask) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const std::uint32_t id = uniform(frame, in.a, mask),
                      expected = in.b == kNoOffset ? 0 : uniform(frame, in.b, mask);
  if (id >= 16)
    fault(run_, warp, in, first, fmt::format("barrier {}: a CTA has barriers 0 to 15", id),
          "use a barrier number from 0 to 15");
  if (expected % 32 != 0)
    fault(run_, warp, in, first,
          fmt::format("a barrier for {} threads: it must be a multiple of 32", expected),
          "count whole warps");
  Barrier& b = run_.cta->barriers[id];
  b.used = true;
  b.expected = expected;
  std::uint32_t& here = b.lanes[warp.index];
  if (here & mask)
    b.again +=
        (mask | warp.gone()) == ~0u ? 32u : static_cast<std::uint32_t>(std::popcount(here & mask));
  here |= mask;
  if (in.kind == Kind::kBarrierReduce) {
    std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.c);
    if (in.negate_c) p = ~p;
    b.count += static_cast<std::uint32_t>(std::popcount(p & mask));
  }
  return id;
}

bool Barriers::barrier(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t mask) {
  const Part& part = warp.parts[static_cast<std::size_t>(number)];
  const std::uint32_t id =
      come(warp, in, warp.frames[static_cast<std::size_t>(part.frame)].registers, mask);
  if (in.kind == Kind::kBarrierArrive) {
    check_barrier(*run_.cta, id);
    return warp.ready.back() == number;
  }
  recorder_.record_barrier(warp, in, mask, id, run_.cta->barriers[id].expected);
  warp.ready.pop_back();
  if (mask != part.mask) {  // guarded: those who skip it go on by themselves
    const std::int32_t rest = Divergence::new_part(warp);
    Part& p = warp.parts[static_cast<std::size_t>(number)];
    Part& r = warp.parts[static_cast<std::size_t>(rest)];
    r.mask = p.mask & ~mask, r.pc = p.pc, r.parent = p.parent, r.frame = p.frame,
    r.reconverge = p.reconverge;
    p.mask = mask;
    Divergence::make_ready(warp, rest);
  }
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  p.state = Part::State::kAtBarrier;
  p.barrier = static_cast<std::uint8_t>(id);
  check_barrier(*run_.cta, id);
  return false;
}

void Barriers::check_barrier(Cta& cta, std::uint32_t id) {
  Barrier& b = cta.barriers[id];
  if (!b.used) return;
  std::uint32_t threads = b.again;
  bool complete = true;
  for (const Warp& w : cta.warps) {
    const std::uint32_t here = b.lanes[w.index];
    const bool whole = (here | w.gone()) == ~0u;
    complete = complete && whole;
    if (here) threads += whole ? 32u : static_cast<std::uint32_t>(std::popcount(here));
  }
  if (b.expected ? threads < b.expected : !complete) return;
  const std::uint32_t count = b.count, total = threads;
  b = Barrier{};
  run_.turn_over = true;
  if (run_.options.report) cta.check.barrier();
  std::uint64_t last = 0;  // to come
  for (const Warp& w : cta.warps)
    for (const Part& p : w.parts)
      if (p.state == Part::State::kAtBarrier && p.barrier == id) last = std::max(last, w.clock);
  for (Warp& w : cta.warps) {
    const std::size_t ready = w.ready.size();
    for (std::size_t i = 0; i < w.parts.size(); ++i) {
      Part& p = w.parts[i];
      if (p.state != Part::State::kAtBarrier || p.barrier != id) continue;
      const Frame& f = w.frames[static_cast<std::size_t>(p.frame)];
      const Inst& in = f.code->code[p.pc - 1];
      if (in.kind == Kind::kBarrierReduce) {
        if (in.sub == 0) put_lanes(f.registers, in.d, p.mask, count);
        else put_predicate(f.registers, in.d, p.mask, in.sub == 1 ? count == total : count != 0);
      }
      Divergence::make_ready(w, static_cast<std::int32_t>(i));
      w.shared_pace = w.global_pace = Warp::Pace::kReads;
      w.clock = std::max(w.clock, last);
    }
    Divergence::rejoin(w, ready);
  }
}

void Barriers::check_all_barriers(Cta& cta) {
  for (std::uint32_t i = 0; i < 16; ++i)
    if (cta.barriers[i].used) check_barrier(cta, i);
  check_cluster();
}

// Every thread of the cluster arrives once a phase and waits once. Who has not waited yet when the
// phase is complete may come to it when others have arrived in the next one.
void Barriers::check_cluster() {
  bool arrived = false;
  for (const Cta& c : run_.group->ctas)
    for (const Warp& w : c.warps) {
      if ((w.at_cluster | w.gone()) != ~0u) return;
      arrived = arrived || w.at_cluster != 0;
    }
  if (!arrived) return;
  for (Cta& c : run_.group->ctas)
    for (Warp& w : c.warps) w.at_cluster = 0;
  std::uint64_t last = 0;
  for (const Cta& c : run_.group->ctas)
    for (const Warp& w : c.warps)
      for (const Part& p : w.parts)
        if (p.state == Part::State::kAtCluster) last = std::max(last, w.clock);
  for (Cta& c : run_.group->ctas)
    for (Warp& w : c.warps)
      for (std::size_t i = 0; i < w.parts.size(); ++i)
        if (w.parts[i].state == Part::State::kAtCluster)
          Divergence::make_ready(w, static_cast<std::int32_t>(i)),
              w.clock = std::max(w.clock, last);
}

bool Barriers::cluster_arrive(Warp& warp, std::int32_t number, std::uint32_t mask) {
  warp.at_cluster |= mask;
  check_cluster();
  return warp.ready.back() == number;
}

bool Barriers::cluster_wait(Warp& warp, std::int32_t number) {
  Part& part = warp.parts[static_cast<std::size_t>(number)];
  if ((warp.at_cluster & part.mask) == 0) return true;  // the phase it arrived in is complete
  part.state = Part::State::kAtCluster;
  warp.ready.pop_back();
  return false;
}

}  // namespace warpmem::emulate
