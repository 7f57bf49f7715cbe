// What the interpreter does for each kind of instruction that is no plain arithmetic.
#include <algorithm>

#include "emulate/executor/bulk.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/interpreter.hpp"
#include "emulate/executor/special_values.hpp"
#include "emulate/executor/waits.hpp"

namespace warpmem::emulate {

template <auto kUnit, auto kDo>
bool Interpreter::by(Stretch& s, const Inst& in) {
  if (s.active) ((units_.*kUnit).*kDo)(s.warp, *s.part, in, s.frame, s.active);
  return s.pass();
}

constexpr std::array<Interpreter::Operation, kKinds> Interpreter::kOperations = [] {
  using I = Interpreter;
  std::array<Operation, kKinds> all{};
  const auto put = [&](Operation operation, std::initializer_list<Kind> kinds) {
    for (const Kind kind : kinds) all[static_cast<std::size_t>(kind)] = operation;
  };
  all.fill(&I::nothing);  // waits and commits: everything here has happened already
  put(&I::access, {Kind::kAccess});
  put(&I::fence, {Kind::kFence});
  put(&I::param_load, {Kind::kParamLoad});
  put(&I::param_store, {Kind::kParamStore});
  put(&I::special, {Kind::kSpecial});
  put(&I::local_address, {Kind::kLocalAddress});
  put(&I::branch, {Kind::kBranch});
  put(&I::branch_indexed, {Kind::kBranchIndexed});
  put(&I::call, {Kind::kCall});
  put(&I::leave, {Kind::kReturn, Kind::kExit});
  put(&I::trap, {Kind::kTrap});
  put(&I::barrier, {Kind::kBarrier, Kind::kBarrierArrive, Kind::kBarrierReduce});
  put(&I::cluster_arrive, {Kind::kClusterArrive});
  put(&I::cluster_wait, {Kind::kClusterWait});
  put(&I::together, {Kind::kWarpSync, Kind::kVote, Kind::kMatch, Kind::kShuffle, Kind::kReduceSync,
                     Kind::kActiveMask, Kind::kElect});
  put(&I::matrix, {Kind::kMatrixLoad, Kind::kMatrixStore, Kind::kMatrixProduct, Kind::kGroupProduct,
                   Kind::kMatrixTurn, Kind::kQuadProduct, Kind::kFragment});
  put(&I::map_address, {Kind::kMapa});
  put(&I::rank_of, {Kind::kRankOf});
  put(&I::mbarrier, {Kind::kMbarrier});
  put(&I::machine_branch, {Kind::kMachineBranch});
  put(&I::machine_jump, {Kind::kMachineJump});
  put(&I::converge, {Kind::kConverge});
  put(&I::converge_break, {Kind::kConvergeBreak});
  put(&I::machine_yield, {Kind::kYield});
  put(&I::driver_call, {Kind::kDriverCall});
  put(&I::refused, {Kind::kRefused});
  put(&I::by<&Units::machine, &MachineUnit::constant_load>, {Kind::kConstantLoad});
  put(&I::by<&Units::memory, &MemoryUnit::async_copy>, {Kind::kAsyncCopy});
  put(&I::by<&Units::texture, &TextureUnit::texture>, {Kind::kTexture});
  put(&I::by<&Units::tensor, &TensorCopies::tensor_copy>, {Kind::kTensorCopy});
  put(&I::by<&Units::tensor, &TensorCopies::tensor_map>, {Kind::kTensorMap});
  put(&I::by<&Units::bulk, &BulkCopies::async_store>, {Kind::kAsyncStore});
  put(&I::by<&Units::bulk, &BulkCopies::bulk_copy>, {Kind::kBulkCopy});
  put(&I::by<&Units::frames, &Frames::stack>,
      {Kind::kStackTake, Kind::kStackSave, Kind::kStackRestore});
  return all;
}();

bool Interpreter::nothing(Stretch& s, const Inst&) { return s.pass(); }

bool Interpreter::access(Stretch& s, const Inst& in) {
  const Access& a = s.code.accesses[in.extra];
  if (s.active && ((run_.turns && comes_later(run_, s.warp, a, s.warp_count)) ||
                   waits_for_others(run_, s.warp, a, s.frame, s.active)))
    return take_back(s, in);
  if (s.active) units_.memory.access(s.warp, *s.part, in, a, s.frame, s.active);
  if (run_.turns && s.active) {
    const std::uint64_t wait = wait_for(run_.shape.waits, a);
    s.warp.clock += wait;
    s.slice -= std::min(s.slice, wait);
  }
  return s.pass();
}

bool Interpreter::fence(Stretch& s, const Inst&) {
  if (run_.turns && s.active) {
    s.warp.clock += run_.shape.waits.fence;
    s.slice -= std::min<std::uint64_t>(s.slice, run_.shape.waits.fence);
  }
  return s.pass();
}

bool Interpreter::param_load(Stretch& s, const Inst& in) {
  if (s.active) units_.memory.param_load(in, s.code.accesses[in.extra], s.frame, s.active);
  return s.pass();
}

bool Interpreter::param_store(Stretch& s, const Inst& in) {
  if (s.active) MemoryUnit::param_store(in, s.code.accesses[in.extra], s.frame, s.active);
  return s.pass();
}

bool Interpreter::special(Stretch& s, const Inst& in) {
  run_.ahead = s.warp_count;
  if (s.active) emulate::special(run_, s.warp, in, s.frame, in.extra ? ~0u : s.active);
  return s.pass();
}

bool Interpreter::local_address(Stretch& s, const Inst& in) {
  auto* d = reinterpret_cast<std::uint64_t*>(s.frame + in.d);
  const std::uint64_t at =
      s.warp.frames[static_cast<std::size_t>(s.part->frame)].local_base + in.extra;
  for (std::uint32_t l = 0; l < 32; ++l)
    if (s.active >> l & 1) d[l] = at;
  return s.pass();
}

bool Interpreter::branch(Stretch& s, const Inst& in) {
  if (run_.tracer) units_.recorder.record_branch(s.warp, in, s.code, s.pc, s.active != 0);
  return units_.divergence.branch(s.warp, s.number, in, s.active, in.target);
}

bool Interpreter::branch_indexed(Stretch& s, const Inst& in) {
  return units_.divergence.branch_indexed(s.warp, s.number, in, s.active);
}

bool Interpreter::call(Stretch& s, const Inst& in) {
  return units_.calls.call(s.warp, s.number, in, s.active);
}

bool Interpreter::leave(Stretch& s, const Inst& in) {
  s.pass();
  if (s.active == 0) return true;
  const bool exits = in.kind == Kind::kExit || s.part->parent < 0;
  const bool all = s.active == s.mask;
  if (all) s.warp.ready.pop_back();
  if (!exits) Calls::return_values(s.warp, s.number, s.active);
  Divergence::leave(s.warp, s.number, s.active, exits);
  if (exits) {
    if (s.code.machine) Convergence::release(s.warp);
    units_.barriers.check_all_barriers(*run_.cta);
    units_.together.release_together(s.warp);
  }
  return !all && !s.warp.ready.empty() && s.warp.ready.back() == s.number;
}

bool Interpreter::trap(Stretch& s, const Inst& in) {
  if (s.active) {
    run_.statistics.fault = FaultKind::kTrap;
    fault(run_, s.warp, in, s.first_lane(), "the kernel executed trap",
          "a device-side assertion or __trap() ended it");
  }
  return s.pass();
}

bool Interpreter::barrier(Stretch& s, const Inst& in) {
  s.pass();
  return !s.active || units_.barriers.barrier(s.warp, s.number, in, s.active);
}

bool Interpreter::cluster_arrive(Stretch& s, const Inst&) {
  s.pass();
  return units_.barriers.cluster_arrive(s.warp, s.number, s.active);
}

bool Interpreter::cluster_wait(Stretch& s, const Inst&) {
  s.pass();
  return !s.active || units_.barriers.cluster_wait(s.warp, s.number);
}

bool Interpreter::together(Stretch& s, const Inst& in) {
  if (!s.active) return s.pass();
  return units_.together.act_together(s.warp, s.number, in, s.frame, s.active);
}

bool Interpreter::matrix(Stretch& s, const Inst& in) {
  if (s.active != ~0u) return together(s, in);
  units_.matrix.run(s.warp, *s.part, in, s.frame, s.active);
  return s.pass();
}

bool Interpreter::map_address(Stretch& s, const Inst& in) {
  if (s.active) emulate::map_address(in, s.frame, s.active);
  return s.pass();
}

bool Interpreter::rank_of(Stretch& s, const Inst& in) {
  if (s.active) emulate::rank_of(run_, in, s.frame, s.active);
  return s.pass();
}

bool Interpreter::mbarrier(Stretch& s, const Inst& in) {
  const auto op = static_cast<MbarrierOp>(in.sub);
  if (s.active && (op == MbarrierOp::kInit || op == MbarrierOp::kInvalidate) &&
      waits_for_others(run_, s.warp, s.code.accesses[in.extra], s.frame, s.active, true))
    return take_back(s, in);
  if (s.active) units_.bulk.mbarrier(s.warp, *s.part, in, s.frame, s.active);
  return s.pass();
}

// Lanes go different ways: those that jump run first, but who leaves a loop before those that go
// round.
bool Interpreter::machine_branch(Stretch& s, const Inst& in) {
  std::uint32_t taken = s.active;
  if (in.a != kNoOffset) {
    const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(s.frame + in.a);
    taken &= in.negate_c ? ~p : p;
  }
  if (in.b != kNoOffset) {
    const auto all = *reinterpret_cast<const std::uint32_t*>(s.frame + in.b);
    const bool together = (s.mask & all) == (all & ~s.warp.gone());
    if (together != (in.sub == 2)) taken = 0;
  }
  if (in.sub == 1 && taken) taken = s.mask;
  if (run_.tracer && in.extra != kIsCall)
    units_.recorder.record_branch(s.warp, in, s.code, s.pc, taken != 0);
  if (taken == s.mask) return s.part->pc = in.target, true;
  if (taken == 0) return s.pass();
  Convergence::part_ways(s.warp, s.number, taken, in.target, s.pc + 1);
  return false;
}

bool Interpreter::machine_jump(Stretch& s, const Inst& in) {
  if (!s.active) return s.pass();
  return units_.machine.jump(s.warp, s.number, in, s.frame, s.active);
}

bool Interpreter::converge(Stretch& s, const Inst& in) {
  if (!s.active) return s.pass();
  return Convergence::wait(s.warp, s.number, in, s.frame, s.active);
}

bool Interpreter::converge_break(Stretch& s, const Inst& in) {
  std::uint32_t lanes = s.active;
  if (in.b != kNoOffset) {
    const std::uint32_t p = *reinterpret_cast<const std::uint32_t*>(s.frame + in.b);
    lanes &= in.negate_c ? ~p : p;
  }
  s.pass();
  if (!lanes) return true;
  Convergence::leave(s.frame, in, lanes);
  const std::size_t ready = s.warp.ready.size();
  Convergence::release(s.warp);
  return s.warp.ready.size() == ready;
}

bool Interpreter::machine_yield(Stretch& s, const Inst&) {
  s.pass();
  return !Convergence::yield(s.warp, s.number);
}

bool Interpreter::driver_call(Stretch& s, const Inst& in) {
  if (!s.active) return s.pass();
  return units_.machine.call(s.warp, s.number, in, s.frame, s.active);
}

bool Interpreter::refused(Stretch& s, const Inst& in) {
  if (!s.active) return s.pass();
  fault(run_, s.warp, in, s.first_lane(), s.code.refusals[in.extra],
        "emulate it from PTX (--level ptx), if the program has that; the instruction's form is "
        "still to be added",
        ErrorKind::kUsage);
}

}  // namespace warpmem::emulate
