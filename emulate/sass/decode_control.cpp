// Branches, convergence, barriers, and what lanes know of themselves and of each other.
#include <fmt/format.h>

#include <cstdlib>

#include "emulate/executor/builtins.hpp"
#include "emulate/executor/driver_bank.hpp"
#include "emulate/executor/memory.hpp"
#include "emulate/sass/decoder.hpp"
#include "emulate/sass/machine_kernel.hpp"
#include "emulate/sass/warp_handlers.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;

struct SpecialRegister {
  std::string_view name;
  Special what;
};
constexpr SpecialRegister kSpecialRegisters[] = {{"SR_TID.X", Special::kTidX},
                                                 {"SR_TID.Y", Special::kTidY},
                                                 {"SR_TID.Z", Special::kTidZ},
                                                 {"SR_CTAID.X", Special::kCtaidX},
                                                 {"SR_CTAID.Y", Special::kCtaidY},
                                                 {"SR_CTAID.Z", Special::kCtaidZ},
                                                 {"SR_NTID.X", Special::kNtidX},
                                                 {"SR_NTID.Y", Special::kNtidY},
                                                 {"SR_NTID.Z", Special::kNtidZ},
                                                 {"SR_NCTAID.X", Special::kNctaidX},
                                                 {"SR_NCTAID.Y", Special::kNctaidY},
                                                 {"SR_NCTAID.Z", Special::kNctaidZ},
                                                 {"SR_LANEID", Special::kLaneid},
                                                 {"SR_EQMASK", Special::kMaskEq},
                                                 {"SR_LEMASK", Special::kMaskLe},
                                                 {"SR_LTMASK", Special::kMaskLt},
                                                 {"SR_GEMASK", Special::kMaskGe},
                                                 {"SR_GTMASK", Special::kMaskGt},
                                                 {"SR_CLOCKLO", Special::kClock},
                                                 {"SR_CLOCKHI", Special::kClockHi},
                                                 {"SR_GLOBALTIMERLO", Special::kTimerLo},
                                                 {"SR_GLOBALTIMERHI", Special::kTimerHi},
                                                 {"SR_CgaCtaId", Special::kClusterCtarank},
                                                 {"SR_VIRTUALSMID", Special::kSmid},
                                                 {"SRZ", Special::kZero}};

}  // namespace

// What a jump goes to: a statement.
std::uint32_t MachineDecoder::target(const Operand& o) const {
  if (o.kind != Operand::Kind::kInteger || o.value < 0 || o.value % 16 != 0)
    unknown(fmt::format("where {} lies is not known", o.text));
  if (o.value / 16 >= total_) unknown("it goes out of the kernel");
  return static_cast<std::uint32_t>(o.value / 16);
}

// BRA [P0,] place; BRA.U UP0, place; BRA.DIV UR4, place: where lanes have parted; BRA.CONV ~URZ,
// place: where they have not
void MachineDecoder::branch() {
  std::size_t i = 0;
  Truth also{kNoOffset, false};
  std::uint32_t whole = kNoOffset;
  if (has("DIV") || has("CONV")) {
    const Operand& who = at(i);
    if (who.is_zero_register() && who.complement) whole = constant({~0u}), ++i;
    else whole = source(i++);
  } else if (is_predicate(i)) {
    also = truth(i++);
  }
  if (i + 1 != count()) unknown("it has more operands than a place");
  const std::uint32_t to = target(at(i));
  Inst& in = emit(Kind::kMachineBranch);
  in.target = to, in.a = also.row, in.negate_c = also.inverted, in.b = whole;
  in.sub = has("ANY") ? 1 : has("CONV") ? 2 : 0;
  targets_.push_back(to), targets_.push_back(statement_ + 1);
}

// BRX R2 -0x310: what R2 holds, from the next instruction on; BRXU UR4 -0x310
void MachineDecoder::jump_through_register() {
  expect(1, 1);
  const Operand& o = at(0);
  if ((o.kind != Operand::Kind::kRegister && o.kind != Operand::Kind::kUniformRegister) ||
      line_->places.empty())
    unknown("what it may go to is not known");
  const std::size_t blank = o.text.find(' ');
  if (blank == o.text.npos) unknown("it does not say from where it counts");
  const long by = std::strtol(o.text.c_str() + blank + 1, nullptr, 16);
  const std::uint32_t place = plain_source(o, 1);
  Inst& in = emit(Kind::kMachineJump);
  in.a = place;
  in.extra = static_cast<std::uint32_t>(by + static_cast<long>(line_->pc) + 16);
  targets_.push_back(statement_ + 1);
}

// CALL.REL.NOINC place; CALL.ABS.NOINC R8. Where to return to is in registers.
void MachineDecoder::call() {
  expect(1, 1);
  const Operand& o = at(0);
  if (!has("NOINC")) unknown("it keeps its place in hardware");
  if (o.kind == Operand::Kind::kInteger) {
    branch();
    code_.code.back().extra = kIsCall;
    return;
  }
  const Builtin named = o.kind == Operand::Kind::kLabel ? builtin_named(o.text) : Builtin::kNone;
  if (named != Builtin::kNone) {  // linked code calls the driver's functions by name
    const std::uint64_t place = kDriverFunctions + static_cast<std::uint64_t>(named);
    return call_driver(joined(
        constant({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32)})));
  }
  if (o.kind != Operand::Kind::kRegister)
    unknown(fmt::format("where {} lies is not known", o.text));
  if (!has("ABS")) {  // a place in the kernel's own section, from the table in bank 2
    Inst& in = emit(Kind::kMachineJump);
    in.a = reg(o.number), in.extra = 0;
    targets_.push_back(statement_ + 1);
    return;
  }
  call_driver(joined(reg(o.number)));
}

// A function of the driver finds its arguments in R4 and behind, in pairs.
void MachineDecoder::call_driver(std::uint32_t address) {
  DriverCall site;
  site.address = address;
  for (std::uint32_t k = 0; k < std::size(site.arguments); ++k)
    site.arguments[k] = joined(reg(4 + 2 * k));
  site.result = reg(4);
  if (device_room_ == kNoOffset)
    device_room_ = allot(32 * kMostDeviceArguments * kWidestDeviceArgument);
  site.room = device_room_;
  Inst& in = emit(Kind::kDriverCall);
  in.extra = static_cast<std::uint32_t>(code_.driver_calls.size());
  code_.driver_calls.push_back(site);
  targets_.push_back(statement_ + 1);
}

void MachineDecoder::return_() {
  expect(1, 1);
  const Operand& o = at(0);
  if (o.kind != Operand::Kind::kRegister || o.number == trace::kZeroRegister || !has("NODEC"))
    unknown("where it returns to is not known");
  // RET.REL has a place in the kernel's code, RET.ABS an address.
  if (!has("ABS") && !has("REL")) unknown("where it returns to is not known");
  Inst& in = emit(Kind::kMachineJump);
  in.a = reg(o.number), in.extra = has("ABS") ? 0u - static_cast<std::uint32_t>(kMachinePlaces) : 0;
  targets_.push_back(statement_ + 1);
}

// EXIT [P0]: the lanes of which P0 says so, as of a branch
void MachineDecoder::exit() {
  expect(0, 1);
  std::uint32_t who = kNoOffset;
  if (count() == 1) {
    const std::uint32_t p = truth_row(0);
    who = temporary();
    Inst& none = hidden_compute("machine.plop3");
    none.d = who, none.a = none.b = none.c = true_;  // through empty tables
    Inst& those = compute("mov.pred");               // under the guard
    those.hidden = true, those.d = who, those.a = p;
  }
  Inst& in = emit(Kind::kExit);
  if (who != kNoOffset) in.guard = who, in.guard_negated = false;
  targets_.push_back(statement_ + 1);
}

void MachineDecoder::begin_convergence() {
  expect(2, 2);
  if (at(0).kind != Operand::Kind::kBarrierRegister) unknown("it names no barrier");
  Inst& in = compute("machine.bssy");
  in.d = barriers_ + kRow * at(0).number;
}

void MachineDecoder::converge() {
  expect(1, 1);
  if (at(0).kind != Operand::Kind::kBarrierRegister) unknown("it names no barrier");
  Inst& in = emit(Kind::kConverge);
  in.a = barriers_ + kRow * at(0).number;
  targets_.push_back(statement_ + 1);
}

// BREAK [P0,] B0: these lanes will not come
void MachineDecoder::break_convergence() {
  std::size_t i = 0;
  Truth also{kNoOffset, false};
  if (is_predicate(i)) also = truth(i++);
  if (i + 1 != count() || at(i).kind != Operand::Kind::kBarrierRegister)
    unknown("it names no barrier");
  Inst& in = emit(Kind::kConvergeBreak);
  in.a = barriers_ + kRow * at(i).number;
  in.b = also.row, in.negate_c = also.inverted;
}

// BMOV.32[.CLEAR] R4, B0; BMOV.32 B0, R4
void MachineDecoder::move_barrier() {
  expect(2, 2);
  const auto row_of = [&](const Operand& o) -> std::uint32_t {
    if (o.kind == Operand::Kind::kBarrierRegister) return barriers_ + kRow * o.number;
    if (o.kind != Operand::Kind::kRegister) unknown(fmt::format("it moves {}", o.text));
    return o.number == trace::kZeroRegister ? zero_ : reg(o.number);
  };
  const std::uint32_t d = row_of(at(0)), a = row_of(at(1));
  Inst& in = compute(has("CLEAR") && a != zero_ ? "machine.bmov.clear" : "mov.b32");
  in.d = d == zero_ ? sink_ : d, in.a = a;
}

// WARPSYNC mask; .ALL; .COLLECTIVE R5, place: they do together what follows up to
// that place, which stands behind ENDCOLLECTIVE; .EXCLUSIVE mask: groups with different masks go on
// one after the other
void MachineDecoder::warp_sync() {
  std::uint32_t names;
  std::size_t i = 0;
  if (has("ALL")) names = constant({~0u});
  else names = source(i++);
  if (has("COLLECTIVE") && target(at(i++)) <= statement_) unknown("what it begins ends before it");
  if (i != count()) unknown("it has more operands than a mask");
  Inst& in = emit(Kind::kWarpSync);
  in.a = names, in.sub = has("EXCLUSIVE") ? kExclusive : 0;
  targets_.push_back(statement_ + 1);
}

// BAR.SYNC.DEFER_BLOCKING number [, threads]; .ARV; .RED.POPC number [, threads], predicate. What
// the last one finds is in a place of its own until B2R.RESULT asks for it.
void MachineDecoder::barrier() {
  const bool reduces = has("RED");
  std::size_t i = 0;
  const std::uint32_t id = source(i++);
  std::uint32_t threads = kNoOffset;
  if (i < count() && !is_predicate(i)) threads = source(i++);
  Truth with{kNoOffset, false};
  if (reduces) with = truth(i++);
  if (i != count()) unknown("it has more operands than a barrier takes");
  Inst& in = emit(reduces      ? Kind::kBarrierReduce
                  : has("ARV") ? Kind::kBarrierArrive
                               : Kind::kBarrier);
  in.a = id, in.b = threads;
  targets_.push_back(statement_ + 1);
  if (!reduces) return;
  const bool counts = has("POPC");
  if (!counts && !has("AND") && !has("OR")) unknown("how it joins predicates is not known");
  in.c = with.row, in.negate_c = with.inverted;
  in.sub = counts ? 0 : has("AND") ? 1 : 2;
  in.d = counts ? barrier_count_ : barrier_truth_;
}

// B2R.RESULT R0 [, P0]
void MachineDecoder::barrier_result() {
  expect(1, 2);
  const std::uint32_t d = dest(0);
  const std::uint32_t p = count() == 2 ? predicate_dest(1) : kNoOffset;
  if (d != sink_ && p != kNoOffset) unknown("it gives a count and a predicate");
  Inst& to = compute(p == kNoOffset ? "mov.b32" : "mov.pred");
  to.d = p == kNoOffset ? d : p, to.a = p == kNoOffset ? barrier_count_ : barrier_truth_;
}

void MachineDecoder::nothing() { emit(Kind::kNothing); }

void MachineDecoder::fence() { emit(has("GPU") || has("SYS") ? Kind::kFence : Kind::kNothing); }

void MachineDecoder::yield() {
  emit(Kind::kYield);
  targets_.push_back(statement_ + 1);
}

void MachineDecoder::trap() { emit(Kind::kTrap); }

// S2R R0, SR_TID.X; S2UR; CS2R R2, SRZ (a pair); CS2R.32
void MachineDecoder::special_register() {
  expect(2, 2);
  const Operand& from = at(1);
  if (from.kind != Operand::Kind::kSpecial)
    unknown(fmt::format("its operand {} is no special register", from.text));
  const bool pair = line_->opcode == "CS2R" && !has("32");
  const std::uint32_t d = dest(0, pair ? 2 : 1);
  const auto one = [&](Special what, std::uint32_t to, bool hidden) {
    Inst& in = emit(Kind::kSpecial);
    in.sub = static_cast<std::uint32_t>(what), in.d = to, in.hidden = hidden;
    in.extra = form_->uniform ? 1 : 0;
  };
  if (from.text == "SR_SWINHI") {
    const std::uint32_t high = constant({static_cast<std::uint32_t>(kSharedWindow >> 32)});
    Inst& to = compute("mov.b32");
    to.d = d, to.a = high;
    return;
  }
  if (from.text == "SR_CgaSize") {  // driver_bank.hpp
    Inst& to = compute("mov.b32");
    to.d = d, to.a = zero_;
    return;
  }
  // Of these a part is known, which alone is asked for.
  if (from.text == "SR_VIRTID" || from.text == "SR_VIRTCFG") {
    one(from.text == "SR_VIRTID" ? Special::kWarpid : Special::kNwarpid, d, false);
    const std::uint32_t by = constant({8});
    Inst& to = compute("shl.b32");
    to.d = d, to.a = d, to.b = by, to.hidden = true;
    return;
  }
  if (from.text == "SR_SMEMSZ") {
    one(Special::kTotalShared, d, false);
    const std::uint32_t more = constant({driver_shared(request_.cc)});
    Inst& to = compute("add.u32");
    to.d = d, to.a = d, to.b = more, to.hidden = true;
    return;
  }
  for (const SpecialRegister& s : kSpecialRegisters) {
    if (s.name != from.text) continue;
    one(s.what, d, false);
    if (!pair) return;
    const Special high = s.what == Special::kClock     ? Special::kClockHi
                         : s.what == Special::kTimerLo ? Special::kTimerHi
                         : s.what == Special::kZero    ? Special::kZero
                                                       : Special::kGridid;
    if (high == Special::kGridid) unknown("it is half of no pair");
    return one(high, d == sink_ ? sink_ : d + kRow, true);
  }
  unknown(fmt::format("the special register {} is not known", from.text));
}

// VOTE.ALL P0, P1; VOTE.ANY R4, PT, P0; VOTEU
void MachineDecoder::vote() {
  std::size_t i = 0;
  std::uint32_t ballot = kNoOffset;
  if (!is_predicate(i)) ballot = dest(i++);
  const std::uint32_t p = predicate_dest(i++);
  const Truth from = truth(i++);
  if (i != count()) unknown("it has more operands than a predicate");
  Inst& in = emit(Kind::kCompute);
  in.fn = vote_lanes;
  in.d = ballot, in.d2 = p, in.a = from.row, in.negate_c = from.inverted;
  in.sub = (has("ALL") ? 0u : has("ANY") ? 1u : 2u) | (form_->uniform ? 16u : 0u);
}

// SHFL.DOWN P0, R2, a, by, limits
void MachineDecoder::shuffle() {
  expect(5, 5);
  const std::uint32_t a = source(2), b = source(3), c = source(4);
  Inst& in = emit(Kind::kCompute);
  in.fn = shuffle_lanes;
  in.d = dest(1), in.d2 = predicate_dest(0), in.a = a, in.b = b, in.c = c;
  in.sub = has("UP") ? 0 : has("DOWN") ? 1 : has("BFLY") ? 2 : 3;
}

// MATCH.ANY[.U64] R3, a; MATCH.ALL P0, R3, a
void MachineDecoder::match() {
  std::size_t i = 0;
  std::uint32_t p = kNoOffset;
  if (is_predicate(i)) p = predicate_dest(i++);
  const std::uint32_t d = dest(i++);
  const bool wide = has("U64");
  const std::uint32_t a = wide ? joined(source(i++, 2)) : source(i++);
  if (i != count()) unknown("it has more operands than a value");
  Inst& in = emit(Kind::kCompute);
  in.fn = match_lanes;
  in.d = d, in.d2 = p, in.a = a, in.sub = (has("ALL") ? 1u : 0u) | (wide ? 8u << 8 : 0u);
}

// REDUX.SUM UR5, R2; without a word it is AND
void MachineDecoder::reduce() {
  expect(2, 2);
  const std::uint32_t a = source(1);
  Inst& in = emit(Kind::kCompute);
  in.fn = reduce_lanes;
  in.d = dest(0), in.a = a;
  in.sub = has("SUM") ? 0 : has("MIN") ? 1 : has("MAX") ? 2 : has("OR") ? 4 : has("XOR") ? 5 : 3;
  if (has("S32")) in.sub |= 16;
}

// ELECT P0, UR4, PT
void MachineDecoder::elect() {
  expect(3, 3);
  const Truth among = truth(2);
  if (among.row != true_ || among.inverted) unknown("it elects among some lanes");
  Inst& in = emit(Kind::kCompute);
  in.fn = elect_lane;
  in.d2 = predicate_dest(0), in.d = dest(1);
}

// LEPC R20, place; without one it is its own
void MachineDecoder::program_counter() {
  expect(1, 2);
  const std::uint32_t statement = count() == 2 ? target(at(1)) : statement_;
  const std::uint64_t place = kMachinePlaces + 16 * std::uint64_t{statement};
  const std::uint32_t row =
      constant({static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(place >> 32)});
  const std::uint32_t d = dest(0, 2);
  for (std::uint32_t k = 0; k < 2; ++k) {
    Inst& to = compute("mov.b32");
    to.d = d + k * kRow, to.a = row + k * kRow, to.hidden = k != 0;
  }
  targets_.push_back(statement);
}

// R2UR UR4, R2: the first lane's. R2UR[.OR] P0, UR4, R2: P0 of the lanes that have something else
// (or had before). ptxas has an instruction with uniform operands run once for each value of the
// lanes': the lanes of P0 are those of the next round.
void MachineDecoder::to_uniform() {
  std::size_t i = 0;
  const std::uint32_t p = is_predicate(i) ? predicate_dest(i++) : kNoOffset;
  const std::uint32_t d = dest(i++), a = source(i++);
  if (i != count()) unknown("it has more operands than a value");
  if (has("OR") && p == kNoOffset) unknown("it gives no predicate");
  Inst& in = emit(Kind::kCompute);
  in.fn = p == kNoOffset ? first_lane_to_all : first_lane_and_others;
  in.d = d, in.d2 = p, in.a = a, in.sub = has("OR") ? 1 : 0;
}

void MachineDecoder::cluster_arrive() {
  emit(Kind::kClusterArrive);
  targets_.push_back(statement_ + 1);
}
void MachineDecoder::cluster_wait() {
  emit(Kind::kClusterWait);
  targets_.push_back(statement_ + 1);
}

}  // namespace warpmem::emulate
