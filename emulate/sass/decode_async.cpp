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
// halves; .ARRIVE.TRANS64 RZ, [R], bytes: an arrival that expects them, .A1T0 one that does not;
// .PHASECHK.TRANS64.TRYWAIT P0, [R], parity << 31
void MachineDecoder::mbarrier() {
  expect(3, 3);
  Access a;
  a.space = Space::kShared, a.element_bytes = 8;
  access_of(at(1), a);
  std::uint32_t value = kNoOffset, p = kNoOffset;
  auto op = MbarrierOp::kInit;
  std::uint32_t expects = 0;
  if (has("EXCH")) {
    if (!at(0).is_zero_register()) unknown("it gives what was there");
    const std::uint32_t low = source(2), half = temporary(), one = constant({1}),
                        all = constant({1u << 20});
    value = temporary();
    Inst& shift = hidden_compute("shr.u32");
    shift.d = half, shift.a = low, shift.b = one;
    Inst& count = hidden_compute("sub.u32");
    count.d = value, count.a = all, count.b = half;
  } else if (has("ARRIVE")) {
    if (!at(0).is_zero_register()) unknown("it gives the barrier's state");
    op = MbarrierOp::kArrive;
    if (!has("A1T0")) value = source(2), expects = 16;
    else if (!at(2).is_zero_register()) unknown("it counts bytes");
  } else if (has("PHASECHK") && has("TRYWAIT")) {
    op = MbarrierOp::kTestParity;
    a.waits = true;
    p = predicate_dest(0);
    if (p == kNoOffset) unknown("it gives nothing");
    const std::uint32_t parity = source(2), by = constant({31});
    value = temporary();
    Inst& shift = hidden_compute("shr.u32");
    shift.d = value, shift.a = parity, shift.b = by;
  } else {
    unknown("what it does to an mbarrier is not known");
  }
  Inst& in = emit(Kind::kMbarrier);
  in.a = value, in.d2 = p;
  in.sub = static_cast<std::uint32_t>(op) | expects;
  new_access(in) = a;
}

// UBLKCP.S.G [to, mbarrier], [from], pieces of 16 bytes; .G.S [to], [from], pieces
void MachineDecoder::bulk_copy() {
  expect(3, 3);
  const auto& m = line_->modifiers;
  const bool loads = m.size() >= 2 && m[0] == "S" && m[1] == "G";
  const bool reduces = line_->opcode == "UBLKRED";
  if (!loads && !(m.size() >= 2 && m[0] == "G" && m[1] == "S"))
    unknown("where it copies is not known");
  if (reduces && (loads || !has("ADD"))) unknown("what it does there is not known");
  const std::uint32_t to = uniform_address(0), from = uniform_address(1);
  const std::uint32_t pieces = source(2), by = constant({4}), bytes = temporary();
  Inst& shift = hidden_compute("shl.b32");
  shift.d = bytes, shift.a = pieces, shift.b = by;
  lane_row_ = first_lane();
  Access read = loads ? global_at(from) : shared_at(from);
  Access write = loads ? shared_at(to) : global_at(to);
  read.op = trace::Op::kBulkRead;
  write.op = reduces ? trace::Op::kBulkReduction : trace::Op::kBulkWrite;
  if (reduces) write.atomic = AtomicOp::kAdd, write.type = Type::kU32;
  Inst& in = emit(Kind::kBulkCopy);
  one_lane(in);
  in.a = bytes, in.b = kNoOffset, in.sub = loads ? 1 : 0;
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.push_back(read), code_.accesses.push_back(write);
  if (loads) code_.accesses.push_back(shared_at(to + 1));
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
  expect(2, 2);
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

// UTMALDG.2D [tile, mbarrier, coordinates …], [map]; UTMASTG.2D [tile, coordinates …], [map]
void MachineDecoder::tensor_copy() {
  expect(2, 2);
  TensorCopy t;
  t.store = line_->opcode == "UTMASTG";
  for (const std::string& m : line_->modifiers) t.rank = static_cast<std::uint32_t>(m[0] - '0');
  if (t.rank == 0) unknown("it does not say how many dimensions it has");
  const std::uint32_t first = uniform_address(0), map = uniform_address(1);
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
