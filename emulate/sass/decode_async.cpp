// Bulk copies, copies with tensor maps, and the mbarriers that count them. Their operands are
// uniform registers that follow each other: an instruction is one copy, whatever lanes come to it.
#include <fmt/format.h>

#include "emulate/executor/bulk.hpp"
#include "emulate/sass/decoder.hpp"
#include "emulate/sass/warp_handlers.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;

}  // namespace

// The lowest of the lanes that come to it does it.
void MachineDecoder::one_lane(Inst& in) { in.guard = lane_row_, in.guard_negated = false; }

Access MachineDecoder::shared_at(std::uint32_t uniform) const {
  Access a;
  a.machine = true, a.space = Space::kShared, a.address_bytes = 4;
  a.element_bytes = 8, a.reserved = request_.reserved_shared;
  a.uniform = uniform_base_ + kRow * uniform;
  return a;
}

Access MachineDecoder::global_at(std::uint32_t uniform) const {
  Access a;
  a.machine = true, a.space = Space::kGlobal, a.address_bytes = 8;
  a.uniform = uniform_base_ + kRow * uniform;
  return a;
}

std::uint32_t MachineDecoder::uniform_address(std::size_t i) const {
  const Operand& o = at(i);
  if (o.kind != Operand::Kind::kMemory || o.uniform == trace::kNoRegister ||
      o.uniform == trace::kZeroUniform || o.base != trace::kNoRegister || o.value != 0)
    unknown(fmt::format("its operand {} is no uniform register alone", o.text));
  return o.uniform;
}

// SYNCS.EXCH.64 URZ, [UR6], UR4: an mbarrier begins, whose arrivals UR4 counts down from 2^20, in
// halves; .CCTL.IV [UR6]: it ends. .ARRIVE.TRANS64 R2, [R], value: R2 and R3 get the barrier's
// state before; the value is bytes that one arrival expects, with .ART0 arrivals; .A1T0: one
// arrival, .A0TR expects bytes and .A0TX completes them without one, .A0T1 expects one; .OPTOUT:
// whoever arrives leaves. .PHASECHK.TRANS64[.TRYWAIT] P0, [R], state: bit 31 of it is the phase.
void MachineDecoder::mbarrier() {
  if (has("CCTL")) return end_mbarrier();
  expect(3, 3);
  Access a;
  a.space = Space::kShared, a.element_bytes = 8;
  access_of(at(1), a);
  if (has("EXCH")) return begin_mbarrier(a);
  if (has("ARRIVE")) return arrive(a);
  if (!has("PHASECHK")) unknown("what it does to an mbarrier is not known");
  a.waits = true;
  const std::uint32_t p = predicate_dest(0);
  if (p == kNoOffset) unknown("it gives nothing");
  const std::uint32_t state = source(2), by = constant({31}), parity = temporary();
  Inst& shift = hidden_compute("shr.u32");
  shift.d = parity, shift.a = state, shift.b = by;
  Inst& in = emit(Kind::kMbarrier);
  in.a = parity, in.d2 = p, in.sub = static_cast<std::uint32_t>(MbarrierOp::kTestParity);
  new_access(in) = a;
}

void MachineDecoder::begin_mbarrier(const Access& a) {
  if (!at(0).is_zero_register()) unknown("it gives what was there");
  const std::uint32_t low = source(2), half = temporary(), one = constant({1}),
                      all = constant({1u << 20}), arrivals = temporary();
  Inst& shift = hidden_compute("shr.u32");
  shift.d = half, shift.a = low, shift.b = one;
  Inst& count = hidden_compute("sub.u32");
  count.d = arrivals, count.a = all, count.b = half;
  Inst& in = emit(Kind::kMbarrier);
  in.a = arrivals, in.sub = static_cast<std::uint32_t>(MbarrierOp::kInit);
  new_access(in) = a;
}

void MachineDecoder::end_mbarrier() {
  expect(1, 1);
  Access a;
  a.space = Space::kShared, a.element_bytes = 8;
  access_of(at(0), a);
  Inst& in = emit(Kind::kMbarrier);
  in.sub = static_cast<std::uint32_t>(MbarrierOp::kInvalidate);
  new_access(in) = a;
}

void MachineDecoder::arrive(const Access& a) {
  const bool leaves = has("OPTOUT");
  MbarrierOp op = leaves ? MbarrierOp::kArriveDrop : MbarrierOp::kArrive;
  std::uint32_t value = kNoOffset, expects = 0;
  const bool bytes_alone = has("A0TR") || has("A0TX") || has("A0T1");
  if (has("A1T0") || has("A0T1")) {
    if (!at(2).is_zero_register()) unknown("it counts what its modifier does not");
  } else {
    value = source(2);
  }
  if (bytes_alone) {
    op = has("A0TX") ? MbarrierOp::kComplete : MbarrierOp::kExpect;
    if (leaves || !at(0).is_zero_register()) unknown("it does more than to count bytes");
  } else if (!has("A1T0") && !has("ART0")) {
    expects = 16;
  }
  // .TMASK asks which lanes arrived with it, to count theirs: each arrives by itself here.
  const std::uint32_t d = dest(0, 2), state = d == sink_ ? kNoOffset : temporary();
  Inst& in = emit(Kind::kMbarrier);
  in.a = value, in.d = state, in.sub = static_cast<std::uint32_t>(op) | expects;
  new_access(in) = a;
  if (d == sink_) return;
  Inst& give = emit(Kind::kCompute);
  give.hidden = true, give.fn = state_of_mbarrier, give.d = d, give.a = state;
}

// ARRIVES.LDGSTSBAR.64.TRANSCNT [R], .ARVCNT: the lane's copies so far are complete, which counts a
// byte, or an arrival.
void MachineDecoder::copies_arrive() {
  expect(1, 1);
  if (has("TRANSCNT") == has("ARVCNT")) unknown("what it counts is not known");
  Access a;
  a.space = Space::kShared, a.element_bytes = 8;
  access_of(at(0), a);
  Inst& in = emit(Kind::kMbarrier);
  in.sub = static_cast<std::uint32_t>(has("ARVCNT") ? MbarrierOp::kArrive : MbarrierOp::kComplete);
  new_access(in) = a;
}

// A policy for the L2 behind the operands: desc[UR6]. It changes no result.
void MachineDecoder::expect_and_policy(std::size_t operands) {
  const Operand* last = count() == operands + 1 ? &at(operands) : nullptr;
  if (last && (last->kind != Operand::Kind::kMemory || last->descriptor == trace::kNoRegister ||
               last->group || last->base != trace::kNoRegister || last->value != 0))
    unknown(fmt::format("its operand {} is no policy", last->text));
  if (!last) expect(operands, operands);
}

// Half of a register, in a row of 16 bits.
std::uint32_t MachineDecoder::half_of_row(std::uint32_t row, std::uint32_t shift) {
  const std::uint32_t to = temporary();
  Inst& in = hidden_compute("machine.half");
  in.d = to, in.a = row, in.sub = shift;
  return to;
}

// What a copy in bulk adds up: .ADD, .MAX.S32, .MIN.F16.RN
void MachineDecoder::bulk_reduction(Access& write) {
  write.op = trace::Op::kBulkReduction;
  write.atomic = operation();
  const bool adds = write.atomic == AtomicOp::kAdd,
             orders = write.atomic == AtomicOp::kMin || write.atomic == AtomicOp::kMax;
  if (write.atomic == AtomicOp::kNone || write.atomic == AtomicOp::kCas ||
      write.atomic == AtomicOp::kExch)
    unknown("what it does there is not known");
  struct One {
    std::string_view modifier;
    Type type;
    bool adds, orders, other;  // with which of the operations there is such a type
  };
  static constexpr One kAll[] = {
      {"S32", Type::kS32, true, true, false},  {"U64", Type::kU64, true, true, true},
      {"S64", Type::kS64, false, true, false}, {"F32", Type::kF32, true, false, false},
      {"F64", Type::kF64, true, false, false}, {"F16", Type::kF16, true, true, false},
      {"BF16", Type::kBf16, true, true, false}};
  write.type = Type::kU32;
  for (const One& one : kAll)
    if (has(one.modifier)) {
      write.type = one.type;
      if (!(adds ? one.adds : orders ? one.orders : one.other))
        unknown("there is no such operation on its type");
    }
}

// UBLKCP.S.G [to, mbarrier], [from], pieces of 16 bytes; .MULTICAST: in the upper half of that the
// CTAs it goes to; .S.S: to another CTA; .G.S [to], [from], pieces. UBLKRED adds them up there.
void MachineDecoder::bulk_copy() {
  expect_and_policy(3);
  const auto& m = line_->modifiers;
  if (m.size() < 2 || m[0].size() != 1 || m[1].size() != 1 || (m[0] == "G" && m[1] == "G"))
    unknown("where it copies is not known");
  const bool to_shared = m[0] == "S", from_shared = m[1] == "S";
  const bool reduces = line_->opcode == "UBLKRED", multicast = has("MULTICAST");
  if ((multicast && (!to_shared || from_shared)) || (reduces && !from_shared))
    unknown("where it copies is not known");
  const std::uint32_t to = uniform_address(0), from = uniform_address(1);
  std::uint32_t pieces = source(2), targets = kNoOffset;
  if (multicast) {
    targets = half_of_row(pieces, 16);
    const std::uint32_t low = temporary(), mask = constant({0xffff});
    Inst& cut = hidden_compute("and.b32");
    cut.d = low, cut.a = pieces, cut.b = mask;
    pieces = low;
  }
  const std::uint32_t by = constant({4}), bytes = temporary();
  Inst& shift = hidden_compute("shl.b32");
  shift.d = bytes, shift.a = pieces, shift.b = by;
  lane_row_ = first_lane();
  Access read = from_shared ? shared_at(from) : global_at(from);
  Access write = to_shared ? shared_at(to) : global_at(to);
  read.op = trace::Op::kBulkRead, write.op = trace::Op::kBulkWrite;
  if (reduces) bulk_reduction(write);
  Inst& in = emit(Kind::kBulkCopy);
  one_lane(in);
  in.a = bytes, in.b = targets, in.sub = to_shared ? 1 : 0;
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.push_back(read), code_.accesses.push_back(write);
  if (to_shared) code_.accesses.push_back(shared_at(to + 1));
}

// STAS[.64, .128] [R2.64], R4: to the shared memory of a CTA of the cluster, at R2; its bytes count
// at the mbarrier at R3. REDAS.ADD adds them up.
void MachineDecoder::async_store() {
  expect(2, 2);
  const bool reduces = line_->opcode == "REDAS";
  const Operand& where = at(0);
  if (where.kind != Operand::Kind::kMemory || where.group || !where.wide || where.value != 0 ||
      where.base == trace::kNoRegister || where.base == trace::kZeroRegister ||
      where.uniform != trace::kNoRegister || where.descriptor != trace::kNoRegister)
    unknown(fmt::format("its operand {} is no pair of addresses", where.text));
  Access a, barrier;
  a.machine = barrier.machine = true, a.remote = true;
  a.space = barrier.space = Space::kShared;
  a.address_bytes = barrier.address_bytes = 4;
  a.reserved = barrier.reserved = request_.reserved_shared;
  a.base = reg(where.base), barrier.base = reg(where.base) + kRow, barrier.element_bytes = 8;
  a.op = reduces ? trace::Op::kReduction : trace::Op::kStore;
  const std::uint32_t words = has("128") ? 4 : has("64") ? 2 : 1;
  const std::uint32_t from = source(1, words);
  if (reduces) {
    a.atomic = operation();
    if (a.atomic == AtomicOp::kNone || a.atomic == AtomicOp::kCas || a.atomic == AtomicOp::kExch ||
        (words == 2 && a.atomic != AtomicOp::kAdd))
      unknown("what it does there is not known");
    a.type = words == 2 ? Type::kU64 : has("S32") ? Type::kS32 : Type::kU32;
    a.element_bytes = static_cast<std::uint8_t>(4 * words), a.elements = 1;
    a.values[0] = words == 2 ? joined(from) : from, a.value_bytes[0] = a.element_bytes;
  } else {
    a.type = Type::kB32, a.elements = static_cast<std::uint8_t>(words);
    values(a, from, false);
  }
  Inst& in = emit(Kind::kAsyncStore);
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.push_back(a), code_.accesses.push_back(barrier);
}

// A predicate that the lowest of the active lanes alone has.
std::uint32_t MachineDecoder::first_lane() {
  const std::uint32_t row = temporary();
  Inst& none = hidden_compute("machine.plop3");
  none.d = row, none.a = none.b = none.c = true_;  // through empty tables
  Inst& first = emit(Kind::kCompute);
  first.hidden = true, first.fn = first_lane_alone, first.d = row;
  return row;
}

// UBLKPF.L2 [from], pieces
void MachineDecoder::bulk_prefetch() {
  expect_and_policy(2);
  Access a = global_at(uniform_address(0));
  a.op = trace::Op::kPrefetch;
  const std::uint32_t pieces = source(1), by = constant({4}), bytes = temporary();
  Inst& shift = hidden_compute("shl.b32");
  shift.d = bytes, shift.a = pieces, shift.b = by;
  lane_row_ = first_lane();
  Inst& in = emit(Kind::kBulkCopy);
  one_lane(in);
  in.a = bytes, in.sub = kBulkPrefetch;
  new_access(in) = a;
}

// UTMALDG.2D [tile, mbarrier, coordinates …], [map] [, more]: its upper half names the CTAs of a
// .MULTICAST, the lower one has the offsets of an .IM2COL load; UTMASTG.2D [tile, coordinates …],
// [map]; UTMAREDG.2D.ADD
void MachineDecoder::tensor_copy() {
  TensorCopy t;
  t.store = line_->opcode != "UTMALDG";
  t.im2col = has("IM2COL");
  const bool multicast = has("MULTICAST"), more = multicast || (t.im2col && !t.store);
  expect_and_policy(more ? 3 : 2);
  for (const std::string& m : line_->modifiers)
    if (m.size() == 2 && m[1] == 'D') t.rank = static_cast<std::uint32_t>(m[0] - '0');
  if (t.rank == 0) unknown("it does not say how many dimensions it has");
  if (t.im2col && t.rank < 3) unknown("it has too few dimensions");
  if (line_->opcode == "UTMAREDG") {
    t.reduction = operation();
    if (t.reduction == AtomicOp::kNone) unknown("what it does there is not known");
  }
  const std::uint32_t first = uniform_address(0), map = uniform_address(1);
  if (more) {
    const std::uint32_t row = source(2);
    if (multicast) t.multicast = half_of_row(row, 16);
    // Of one offset 16 bits, of two 8 each, of three 5.
    const std::uint32_t bits = t.rank == 3 ? 16 : t.rank == 4 ? 8 : 5;
    for (std::uint32_t k = 0; t.im2col && k + 2 < t.rank; ++k) {
      const std::uint32_t shifted = temporary(), by = constant({bits * k}),
                          mask = constant({(1u << bits) - 1});
      Inst& shift = hidden_compute("shr.u32");
      shift.d = shifted, shift.a = row, shift.b = by;
      Inst& cut = hidden_compute("and.b32");
      cut.d = shifted, cut.a = shifted, cut.b = mask;
      t.offset[k] = half_of_row(shifted, 0);
    }
  }
  lane_row_ = first_lane();
  t.map = global_at(map);
  t.map.space = Space::kGeneric;
  t.tile = shared_at(first);
  t.barrier = shared_at(first + 1);
  t.counts = !t.store;
  for (std::uint32_t k = 0; k < t.rank; ++k)
    t.at[k] = uniform_base_ + kRow * (first + (t.store ? 1u : 2u) + k);
  Inst& in = emit(Kind::kTensorCopy);
  one_lane(in);
  in.extra = static_cast<std::uint32_t>(code_.tensors.size());
  code_.tensors.push_back(t);
}

}  // namespace warpmem::emulate
