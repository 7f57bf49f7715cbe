// Loads, stores, atomics and asynchronous copies of machine code.
#include <fmt/format.h>

#include "emulate/executor/memory.hpp"
#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;
constexpr std::uint32_t kConstantVariables = 3;  // the bank of __constant__ variables

struct Width {
  std::string_view modifier;
  Type type;
  std::uint8_t element_bytes, elements;
};
constexpr Width kWidths[] = {{"U8", Type::kU8, 1, 1},   {"S8", Type::kS8, 1, 1},
                             {"U16", Type::kU16, 2, 1}, {"S16", Type::kS16, 2, 1},
                             {"64", Type::kB32, 4, 2},  {"128", Type::kB32, 4, 4}};

Width width_of(const MachineLine& line) {
  for (const std::string& m : line.modifiers)
    for (const Width& w : kWidths)
      if (w.modifier == m) return w;
  return {"", Type::kB32, 4, 1};
}

}  // namespace

AtomicOp MachineDecoder::operation() const {
  struct One {
    std::string_view modifier;
    AtomicOp op;
  };
  static constexpr One kAll[] = {
      {"ADD", AtomicOp::kAdd}, {"MIN", AtomicOp::kMin}, {"MAX", AtomicOp::kMax},
      {"INC", AtomicOp::kInc}, {"DEC", AtomicOp::kDec}, {"AND", AtomicOp::kAnd},
      {"OR", AtomicOp::kOr},   {"XOR", AtomicOp::kXor}, {"EXCH", AtomicOp::kExch},
      {"CAS", AtomicOp::kCas}, {"POPC", AtomicOp::kAdd}};
  for (const std::string& m : line_->modifiers)
    for (const One& one : kAll)
      if (one.modifier == m) return one.op;  // POPC.INC: one more for each lane
  return AtomicOp::kNone;
}

Access& MachineDecoder::new_access(Inst& in) {
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  Access& a = code_.accesses.emplace_back();
  a.machine = true;
  return a;
}

// [R2.64+UR4+0x10], desc[UR4][…]: .E says that an address has 64 bits.
void MachineDecoder::access_of(const Operand& o, Access& a) {
  if (o.kind != Operand::Kind::kMemory || o.group || !o.modifiers.empty())
    unknown(fmt::format("its operand {} is no address", o.text));
  a.machine = true;
  const bool wide = a.space == Space::kGlobal || a.space == Space::kGeneric;
  a.address_bytes = wide ? 8 : 4;
  a.offset = o.value;
  a.reserved = request_.reserved_shared;
  if (o.base_signed) unknown("an address has a signed half");
  if (o.base != trace::kNoRegister && o.base != trace::kZeroRegister) a.base = reg(o.base);
  if (o.uniform != trace::kNoRegister && o.uniform != trace::kZeroUniform)
    a.uniform = uniform_base_ + kRow * o.uniform;
  a.narrow_base = wide && o.base_unsigned;
  a.scale = o.scale;
}

void MachineDecoder::values(Access& a, std::uint32_t base, bool load) {
  for (std::uint32_t k = 0; k < a.elements; ++k) {
    if (base == sink_ && load) a.values[k] = kNoOffset;
    else a.values[k] = base == zero_ ? zero_ : base + k * kRow;
    a.value_bytes[k] = 4;
  }
}

void MachineDecoder::load(Space space) {
  std::size_t i = 0;
  const std::uint32_t d = dest(i++, 4);
  if (is_predicate(i) && predicate_dest(i++) != kNoOffset) unknown("it gives a predicate");
  const std::size_t address = i++;
  if (i < count() && is_predicate(i)) {
    const Truth t = truth(i++);
    if (t.row != true_ || t.inverted) unknown("a predicate stands behind its address");
  }
  if (i != count()) unknown("it has more operands than an address");
  const Width w = width_of(*line_);
  Access a;
  a.op = trace::Op::kLoad, a.space = space, a.type = w.type;
  a.element_bytes = w.element_bytes, a.elements = w.elements;
  a.waits = has("STRONG");
  access_of(at(address), a);
  values(a, d, true);
  // A recorder sees no accesses to spilled registers; a replay puts them back from the code.
  a.reserved = space == Space::kLocal ? spills_ : a.reserved;
  Inst& in = emit(Kind::kAccess);
  new_access(in) = a;
}
void MachineDecoder::load_global() { load(Space::kGlobal); }
void MachineDecoder::load_shared() { load(Space::kShared); }
void MachineDecoder::load_local() { load(Space::kLocal); }
void MachineDecoder::load_generic() { load(Space::kGeneric); }

void MachineDecoder::store() {
  expect(2, 2);
  const Width w = width_of(*line_);
  const std::string_view name = line_->opcode;
  Access a;
  a.op = trace::Op::kStore, a.type = w.type;
  a.space = name == "STG"   ? Space::kGlobal
            : name == "STS" ? Space::kShared
            : name == "STL" ? Space::kLocal
                            : Space::kGeneric;
  a.element_bytes = w.element_bytes, a.elements = w.elements;
  access_of(at(0), a);
  const std::uint32_t from = source(1, w.elements);
  values(a, from, false);
  if (a.space == Space::kLocal) a.reserved = spills_;
  Inst& in = emit(Kind::kAccess);
  new_access(in) = a;
}

// ATOMG.E.ADD.STRONG.GPU PT, R7, desc[UR4][R2.64], R5; ATOMS.CAS R7, [R2], R4, R5; RED…
void MachineDecoder::atomic() {
  const std::string_view name = line_->opcode;
  const bool reduces = name == "RED" || name == "REDG";
  const bool casts = has("CAST");
  std::size_t i = 0;
  std::uint32_t p = kNoOffset;
  if (!reduces && is_predicate(i)) p = predicate_dest(i++);
  if (p != kNoOffset && !casts) unknown("it gives a predicate");
  const std::uint32_t d = reduces || (casts && i != 0) ? sink_ : dest(i++);
  const std::size_t address = i++;
  Access a;
  a.op = reduces ? trace::Op::kReduction : trace::Op::kAtomic;
  a.atomic = operation();
  a.space = name == "ATOMS"                     ? Space::kShared
            : name == "ATOMG" || name == "REDG" ? Space::kGlobal
                                                : Space::kGeneric;
  // RED's address is global memory's where a descriptor says so.
  if (name == "RED" && at(address).descriptor != trace::kNoRegister) a.space = Space::kGlobal;
  if (casts) a.atomic = AtomicOp::kCas;  // .SPIN: whoever does not come first tries again
  if (a.atomic == AtomicOp::kNone) unknown("its operation is not known");
  const bool wide = has("64");
  a.type = wide ? (has("S64") ? Type::kS64 : Type::kU64) : Type::kU32;
  if (has("S32")) a.type = Type::kS32;
  if (has("S64")) a.type = Type::kS64;
  if (has("F32")) a.type = Type::kF32;
  if (has("F64")) a.type = Type::kF64;
  if (has("F16x2")) a.type = Type::kF16x2;
  if (has("BF16_V2") || has("BF16x2")) a.type = Type::kBf16x2;
  a.elements = 1;
  if (has("F32x2") || has("F32x4")) {
    if (!reduces) unknown("it gives several values");
    a.type = Type::kF32, a.elements = has("F32x2") ? 2 : 4;
  }
  a.element_bytes = static_cast<std::uint8_t>(size_of(a.type));
  a.waits = a.atomic == AtomicOp::kCas || a.atomic == AtomicOp::kExch;
  access_of(at(address), a);
  const std::uint32_t words = a.element_bytes / 4u;
  const auto value = [&](std::size_t k) {
    const std::uint32_t row = source(k, words);
    return words == 2 ? joined(row) : row;
  };
  if (a.elements > 1) {
    const std::uint32_t first = source(i++, a.elements);
    for (std::uint32_t k = 0; k < a.elements; ++k)
      a.values[k] = first == zero_ ? zero_ : first + k * kRow;
  } else if (has("POPC")) {
    if (d != sink_) unknown("it gives a count");
    a.values[0] = constant({1});
  } else {
    a.values[0] = value(i++);
  }
  if (a.atomic == AtomicOp::kCas) a.values[1] = value(i++);
  if (i != count()) unknown("it has more operands than its operation takes");
  const bool gives = d != sink_ || p != kNoOffset;
  const std::uint32_t old = !gives ? kNoOffset : words == 2 || casts ? temporary() : d;
  a.values[4] = old;
  a.value_bytes[0] = a.value_bytes[1] = a.element_bytes;
  Inst& in = emit(Kind::kAccess);
  new_access(in) = a;
  if (!gives) return;
  if (casts) return tell_success(p, d, old, a.values[0], words);
  if (words == 1) return;
  Inst& split = compute("machine.split");
  split.hidden = true, split.d = d, split.a = old;
}

// What ATOMS.CAST gives: whether the old value was the expected one. Before 10.0 as 1 or 0.
void MachineDecoder::tell_success(std::uint32_t p, std::uint32_t d, std::uint32_t old,
                                  std::uint32_t expected, std::uint32_t words) {
  const std::uint32_t same = p != kNoOffset ? p : temporary(), one = constant({1});
  Inst& compare = compute(words == 2 ? "setp.eq.u64" : "setp.eq.u32");
  compare.hidden = true;
  compare.d = same, compare.d2 = kNoOffset, compare.a = old, compare.b = expected;
  for (std::uint32_t k = 0; k < words && d != sink_; ++k) {
    Inst& to = compute(k == 0 ? "selp.b32" : "mov.b32");
    to.hidden = true;
    to.d = d + k * kRow, to.a = k == 0 ? one : zero_, to.b = zero_, to.c = same;
  }
}

// LDGSTS.E.BYPASS.128 [R3], desc[UR6][R6.64] [, predicate]
void MachineDecoder::async_copy() {
  expect(2, 3);
  const Width w = width_of(*line_);
  Access write, read;
  write.op = trace::Op::kAsyncCopyWrite, write.space = Space::kShared;
  read.op = trace::Op::kAsyncCopyRead, read.space = Space::kGlobal;
  access_of(at(0), write), access_of(at(1), read);
  read.element_bytes = write.element_bytes =
      static_cast<std::uint8_t>(w.element_bytes * w.elements);
  std::uint32_t ignored = kNoOffset;
  if (count() == 3) {
    const Truth t = truth(2);  // lanes that read; the others' bytes become zeros
    if (t.row != true_ || t.inverted) {
      ignored = temporary();
      Inst& no = hidden_compute(t.inverted ? "mov.pred" : "not.pred");
      no.d = ignored, no.a = t.row;
    }
  }
  Inst& in = emit(Kind::kAsyncCopy);
  in.b = ignored;
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.push_back(read), code_.accesses.push_back(write);
}

// LDSM.16.M88.4 R4, [R2+UR4]; .MT88: turned; STSM
void MachineDecoder::matrix_load() {
  const bool loads = line_->opcode == "LDSM";
  expect(2, 2);
  Access a;
  a.op = loads ? trace::Op::kMatrixLoad : trace::Op::kMatrixStore, a.space = Space::kShared;
  a.elements = has("4") ? 4 : has("2") ? 2 : 1;
  access_of(at(loads ? 1 : 0), a);
  const std::uint32_t base = loads ? dest(0, a.elements) : source(1, a.elements);
  if (base == zero_ || base == sink_) unknown("its registers are RZ");
  for (std::uint32_t k = 0; k < a.elements; ++k) a.values[k] = base + k * kRow;
  Inst& in = emit(loads ? Kind::kMatrixLoad : Kind::kMatrixStore);
  in.sub = has("MT88") ? 1 : 0;
  new_access(in) = a;
}

// CCTL.E.PF2 [R2]; .PF1; .PML2, .RML2, .DML2: prefetch to stay, lose its rank, or be dropped, as
// PTX's
void MachineDecoder::prefetch() {
  if (has("IVALL")) return nothing();
  expect(1, 1);
  Access a;
  a.op = trace::Op::kPrefetch, a.space = Space::kGlobal, a.element_bytes = 1;
  access_of(at(0), a);
  Inst& in = emit(Kind::kAccess);
  new_access(in) = a;
}

std::uint32_t MachineDecoder::distance_from(std::uint32_t address, std::uint64_t window) {
  const std::uint32_t base = joined(constant({static_cast<std::uint32_t>(window),
                                              static_cast<std::uint32_t>(window >> 32)})),
                      distance = temporary();
  Inst& to = hidden_compute("sub.u64");
  to.d = distance, to.a = address, to.b = base;
  return distance;
}

// QSPC.E.S P0, RZ, [R2]: whether it is the CTA's own shared memory; .D: the cluster's; .L, .G
void MachineDecoder::query_space() {
  expect(3, 3);
  const Operand& o = at(2);
  if (!at(1).is_zero_register()) unknown("what else it gives is not known");
  if (o.kind != Operand::Kind::kMemory || o.value != 0 || o.group || o.base == trace::kNoRegister ||
      o.base == trace::kZeroRegister || o.uniform != trace::kNoRegister ||
      o.descriptor != trace::kNoRegister)
    unknown(fmt::format("its operand {} is no pair of registers", o.text));
  const std::uint32_t p = predicate_dest(0);
  if (p == kNoOffset) return nothing();
  const bool global = has("G");
  const std::uint64_t bytes = global ? kCodeWindow - kSharedWindow : kWindowBytes;
  const std::uint32_t address = joined(reg(o.base)),
                      distance = distance_from(address, has("L") ? kLocalWindow : kSharedWindow);
  if (has("S")) {  // the rank of the CTA stands above the address in its memory
    const std::uint32_t rank = temporary(), shifted = temporary(), by = constant({kRankShift});
    Inst& mine = emit_hidden(Kind::kSpecial);
    mine.sub = static_cast<std::uint32_t>(Special::kClusterCtarank), mine.d = rank;
    Inst& zero = hidden_compute("mov.b32");
    zero.d = rank + kRow, zero.a = zero_;
    const std::uint32_t wide = joined(rank);
    Inst& shift = hidden_compute("shr.u64");
    shift.d = shifted, shift.a = distance, shift.b = by;
    Inst& to = compute("setp.eq.u64");
    to.d = p, to.a = shifted, to.b = wide;
    return;
  }
  const std::uint32_t size = joined(
      constant({static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(bytes >> 32)}));
  Inst& to = compute(global ? "setp.ge.u64" : "setp.lt.u64");
  to.d = p, to.a = distance, to.b = size;
}

// MOVM.16.MT88 R0, a
void MachineDecoder::matrix_turn() {
  expect(2, 2);
  const std::uint32_t a = source(1);
  Inst& in = emit(Kind::kMatrixTurn);
  in.d = dest(0), in.a = a;
}

// LDC[.64] R0, c[0x0][R4+0x210]; ULDC
void MachineDecoder::load_constant() {
  expect(2, 2);
  const Operand& from = at(1);
  if (from.kind != Operand::Kind::kConstant || from.descriptor != trace::kNoRegister)
    unknown(fmt::format("its operand {} is no constant bank", from.text));
  const Width w = width_of(*line_);
  const bool fixed = (from.base == trace::kNoRegister || from.base == trace::kZeroRegister) &&
                     (from.uniform == trace::kNoRegister || from.uniform == trace::kZeroUniform);
  const std::uint32_t d = dest(0, w.elements);
  if (fixed && w.element_bytes == 4 && (from.bank != kConstantVariables || form_->uniform)) {
    const std::uint32_t row =
        bank_row(from.bank, static_cast<std::uint32_t>(from.value), w.elements);
    for (std::uint32_t k = 0; k < w.elements; ++k) {
      Inst& to = compute("mov.b32");
      to.d = d == sink_ ? sink_ : d + k * kRow, to.a = row + k * kRow, to.hidden = k != 0;
    }
    return;
  }
  known_place(from.bank, static_cast<std::uint32_t>(from.value), w.elements);
  BankLoad load;
  load.bank = from.bank, load.offset = static_cast<std::uint32_t>(from.value);
  if (from.base != trace::kNoRegister && from.base != trace::kZeroRegister)
    load.base = reg(from.base);
  if (from.uniform != trace::kNoRegister && from.uniform != trace::kZeroUniform)
    load.uniform = uniform_base_ + kRow * from.uniform;
  load.type = w.type, load.elements = w.elements, load.all_lanes = form_->uniform;
  for (std::uint32_t k = 0; k < w.elements; ++k)
    load.values[k] = d == sink_ ? kNoOffset : d + k * kRow;
  Inst& in = emit(Kind::kConstantLoad);
  in.extra = static_cast<std::uint32_t>(code_.bank_loads.size());
  code_.bank_loads.push_back(load);
}

}  // namespace warpmem::emulate
