#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "emulate/executor/execution.hpp"
#include "emulate/ptx/special.hpp"
#include "emulate/executor/warp_values.hpp"

namespace warpmem::emulate {
namespace {

std::uint32_t uniform(const std::byte* frame, std::uint32_t offset, std::uint32_t mask) {
  return reinterpret_cast<const std::uint32_t*>(frame + offset)[std::countr_zero(mask)];
}

}  // namespace

// True: the part goes on.
bool Execution::barrier(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t mask) {
  Part& part = warp.parts[static_cast<std::size_t>(number)];
  std::byte* frame = warp.frames[static_cast<std::size_t>(part.frame)].registers;
  const std::uint32_t id = uniform(frame, in.a, mask), expected = in.b == kNoOffset ? 0 : uniform(frame, in.b, mask);
  if (id >= 16) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), fmt::format("barrier {}: a CTA has barriers 0 to 15", id), "use a barrier number from 0 to 15");
  if (expected % 32 != 0) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), fmt::format("a barrier for {} threads: it must be a multiple of 32", expected), "count whole warps");
  Barrier& b = cta_->barriers[id];
  b.used = true;
  b.expected = expected;
  std::uint32_t& here = b.lanes[warp.index];
  if (here & mask) b.again += (mask | warp.gone()) == ~0u ? 32u : static_cast<std::uint32_t>(std::popcount(here & mask));
  here |= mask;
  if (in.kind == Kind::kBarrierReduce) {
    std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(frame + in.c);
    if (in.negate_c) p = ~p;
    b.count += static_cast<std::uint32_t>(std::popcount(p & mask));
  }
  if (in.kind == Kind::kBarrierArrive) {
    check_barrier(*cta_, id);
    return warp.ready.back() == number;
  }
  if (tracer_ && group_->traced) {
    leave_rounds(warp, now_code_, static_cast<std::uint32_t>(&in - now_code_->code.data()));
    tracer_->mark(cta_->number, warp.index, {16 * (now_code_->first_pc + in.statement), trace::Op::kBarrier, trace::Space::kNone, 0}, mask, id, static_cast<std::int32_t>(expected));
  }
  if (mask != part.mask) {  // guarded: those who skip it go on by themselves
    const std::int32_t rest = new_part(warp);
    Part& p = warp.parts[static_cast<std::size_t>(number)];
    Part& r = warp.parts[static_cast<std::size_t>(rest)];
    r.mask = p.mask & ~mask, r.pc = p.pc, r.parent = p.parent, r.frame = p.frame, r.reconverge = p.reconverge;
    p.mask = mask;
    warp.ready.pop_back();
    make_ready(warp, rest);
  } else {
    warp.ready.pop_back();
  }
  Part& p = warp.parts[static_cast<std::size_t>(number)];
  p.state = Part::State::kAtBarrier;
  p.barrier = static_cast<std::uint8_t>(id);
  check_barrier(*cta_, id);
  return false;
}

void Execution::check_barrier(Cta& cta, std::uint32_t id) {
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
  turn_over_ = true;
  if (options_.report) cta.check.barrier();
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
      make_ready(w, static_cast<std::int32_t>(i));
      w.shared_pace = w.global_pace = Warp::Pace::kReads;
      w.clock = std::max(w.clock, last);
    }
    rejoin(w, ready);
  }
}

void Execution::check_all_barriers(Cta& cta) {
  for (std::uint32_t i = 0; i < 16; ++i)
    if (cta.barriers[i].used) check_barrier(cta, i);
  check_cluster();
}

// Every thread of the cluster arrives once a phase and waits once. Who has not waited yet when the
// phase is complete may come to it when others have arrived in the next one.
void Execution::check_cluster() {
  bool arrived = false;
  for (const Cta& c : group_->ctas)
    for (const Warp& w : c.warps) {
      if ((w.at_cluster | w.gone()) != ~0u) return;
      arrived = arrived || w.at_cluster != 0;
    }
  if (!arrived) return;
  for (Cta& c : group_->ctas)
    for (Warp& w : c.warps) w.at_cluster = 0;
  std::uint64_t last = 0;
  for (const Cta& c : group_->ctas)
    for (const Warp& w : c.warps)
      for (const Part& p : w.parts)
        if (p.state == Part::State::kAtCluster) last = std::max(last, w.clock);
  for (Cta& c : group_->ctas)
    for (Warp& w : c.warps)
      for (std::size_t i = 0; i < w.parts.size(); ++i)
        if (w.parts[i].state == Part::State::kAtCluster) make_ready(w, static_cast<std::int32_t>(i)), w.clock = std::max(w.clock, last);
}

bool Execution::cluster_wait(Warp& warp, std::int32_t number) {
  Part& part = warp.parts[static_cast<std::size_t>(number)];
  if ((warp.at_cluster & part.mask) == 0) return true;  // the phase it arrived in is complete
  part.state = Part::State::kAtCluster;
  warp.ready.pop_back();
  return false;
}

void Execution::special(const Warp& warp, const Inst& in, std::byte* frame, std::uint32_t mask) {
  const Dim3 &b = shape_.block, &g = shape_.grid, &k = shape_.cluster;
  const auto what = static_cast<Special>(in.sub);
  auto* d = reinterpret_cast<std::uint32_t*>(frame + in.d);
  const auto lanes = [&](auto f) {
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1) d[l] = f(l);
  };
  const auto all = [&](std::uint32_t v) { lanes([v](std::uint32_t) { return v; }); };
  const auto wide = [&](std::uint64_t v) {
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1) reinterpret_cast<std::uint64_t*>(frame + in.d)[l] = v;
  };
  const std::uint32_t first = warp.index * 32;
  const std::uint64_t clock = stats_.warp_instructions + ahead_;  // a clock that only the program's own progress moves
  switch (what) {
    case Special::kTidX: return lanes([&](std::uint32_t l) { return (first + l) % b[0]; });
    case Special::kTidY: return lanes([&](std::uint32_t l) { return (first + l) / b[0] % b[1]; });
    case Special::kTidZ: return lanes([&](std::uint32_t l) { return (first + l) / b[0] / b[1]; });
    case Special::kNtidX: return all(b[0]);
    case Special::kNtidY: return all(b[1]);
    case Special::kNtidZ: return all(b[2]);
    case Special::kCtaidX: return all(cta_->id[0]);
    case Special::kCtaidY: return all(cta_->id[1]);
    case Special::kCtaidZ: return all(cta_->id[2]);
    case Special::kNctaidX: return all(g[0]);
    case Special::kNctaidY: return all(g[1]);
    case Special::kNctaidZ: return all(g[2]);
    case Special::kLaneid: return lanes([](std::uint32_t l) { return l; });
    case Special::kWarpid: return all(warp.index);
    case Special::kNwarpid: return all(warps_);
    case Special::kSmid: return all(static_cast<std::uint32_t>(cta_->number % shape_.sms));
    case Special::kNsmid: return all(shape_.sms);
    case Special::kGridid: return wide(0);
    case Special::kMaskEq: return lanes([](std::uint32_t l) { return 1u << l; });
    case Special::kMaskLe: return lanes([](std::uint32_t l) { return (2u << l) - 1; });
    case Special::kMaskLt: return lanes([](std::uint32_t l) { return (1u << l) - 1; });
    case Special::kMaskGe: return lanes([](std::uint32_t l) { return ~((1u << l) - 1); });
    case Special::kMaskGt: return lanes([](std::uint32_t l) { return ~((2u << l) - 1); });
    case Special::kClock: case Special::kTimerLo: return all(static_cast<std::uint32_t>(clock));
    case Special::kClockHi: case Special::kTimerHi: return all(static_cast<std::uint32_t>(clock >> 32));
    case Special::kClock64: case Special::kTimer: return wide(clock);
    case Special::kClusterCtaidX: return all(cta_->id[0] % k[0]);
    case Special::kClusterCtaidY: return all(cta_->id[1] % k[1]);
    case Special::kClusterCtaidZ: return all(cta_->id[2] % k[2]);
    case Special::kClusterNctaidX: return all(k[0]);
    case Special::kClusterNctaidY: return all(k[1]);
    case Special::kClusterNctaidZ: return all(k[2]);
    case Special::kClusteridX: return all(cta_->id[0] / k[0]);
    case Special::kClusteridY: return all(cta_->id[1] / k[1]);
    case Special::kClusteridZ: return all(cta_->id[2] / k[2]);
    case Special::kNclusteridX: return all(g[0] / k[0]);
    case Special::kNclusteridY: return all(g[1] / k[1]);
    case Special::kNclusteridZ: return all(g[2] / k[2]);
    case Special::kClusterCtarank: return all(cta_->rank);
    case Special::kClusterNctarank: return all(cluster_size_);
    case Special::kExplicitCluster: return put_predicate(frame, in.d, mask, cluster_size_ > 1);
    case Special::kDynamicShared: return all(shape_.dynamic_shared);
    case Special::kTotalShared: case Special::kAggregateShared: return all(shared_bytes_);
    case Special::kGridBarrier: return all(shape_.cooperative ? static_cast<std::uint32_t>(memory_.param_base() + kParamBytes) : 0);
    case Special::kGridBarrierHi: return all(shape_.cooperative ? static_cast<std::uint32_t>((memory_.param_base() + kParamBytes) >> 32) : 0);
    case Special::kZero: return all(0);
    case Special::kReserved: return all(shared_bytes_ - kReservedShared);
    case Special::kReservedEnd: return all(shared_bytes_);
  }
}

}  // namespace warpmem::emulate
