#include <fmt/format.h>

#include <algorithm>

#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {

bool Decoder::memory(Modifiers& m) {
  const std::string_view b = m.base();
  if (b == "ld" || b == "ldu") return load_store(m, true), true;
  if (b == "st" && !m.has("async")) return load_store(m, false), true;
  if (b == "atom") return atomic(m, false), true;
  if (b == "red" && !m.has("async")) return atomic(m, true), true;
  if (b == "cp" && m.has("async") && !m.has("bulk") && !m.has("mbarrier") && !m.has("tensor"))
    return async_copy(m), true;
  if (b == "prefetch" || b == "prefetchu" || b == "applypriority" || b == "discard") {
    Access a;
    a.op = trace::Op::kPrefetch;
    if (m.has("tensormap")) {
      emit(Kind::kNothing);
      return true;
    }
    m.take_prefix("L1"), m.take_prefix("L2");
    a.space = take_space(m, &a);
    all_taken(m);
    a.element_bytes = 1;
    address(s_->operands.at(0), a);
    Inst& in = emit(Kind::kAccess);
    new_access(in) = a;
    return true;
  }
  if (b == "membar" || b == "fence") {  // memory is always in order here
    const bool far = m.has("gl") || m.has("gpu") || m.has("sys");
    return emit(far ? Kind::kFence : Kind::kNothing), true;
  }
  if (b == "isspacep") {
    const std::string_view space =
        m.take_one_of({"global", "shared", "shared::cta", "shared::cluster", "local", "const",
                       "param", "param::entry"});
    all_taken(m);
    expect_operands(2, 2);
    const std::uint32_t a = source(s_->operands[1], Type::kU64);
    // In a window: (address - window) < its size. Global: in neither.
    const auto inside = [&](std::uint64_t window, std::uint64_t bytes) {
      const std::uint32_t distance = temporary(8), p = temporary(1);
      const std::uint32_t base = constant(window, 8), size = constant(bytes, 8);
      Inst& sub = emit_hidden(Kind::kCompute);
      sub.fn = find_handler("sub.u64"), sub.a = a, sub.b = base, sub.d = distance;
      Inst& cmp = emit_hidden(Kind::kCompute);
      cmp.fn = find_handler("setp.lt.u64"), cmp.a = distance, cmp.b = size, cmp.d = p;
      return p;
    };
    const std::uint32_t to = predicate(s_->operands[0]);
    if (space == "global") {
      const std::uint32_t p = inside(kSharedWindow, kCodeWindow - kSharedWindow);
      Inst& in = emit_handler("not.pred");
      in.a = p, in.d = to;
    } else {
      const bool own = space != "shared::cluster";
      const auto [low, high] = loaded_.constants();
      const std::uint32_t p =
          space == "const"             ? inside(low, high - low)
          : space.starts_with("param") ? inside(loaded_.memory().param_base(), kParamBytes)
          : space == "local"
              ? inside(kLocalWindow, kWindowBytes)
              : inside(kSharedWindow, own ? std::uint64_t{1} << kRankShift : kWindowBytes);
      Inst& in = emit_handler("mov.pred");
      in.a = p, in.d = to;
    }
    return true;
  }
  return false;
}

Access& Decoder::new_access(Inst& in) {
  in.extra = static_cast<std::uint32_t>(code_.accesses.size());
  code_.accesses.emplace_back();
  return code_.accesses.back();
}

Space Decoder::take_space(Modifiers& m, Access* access) {
  if (m.take("global")) return Space::kGlobal;
  if (m.take("shared") || m.take("shared::cta")) return Space::kShared;
  if (m.take("shared::cluster")) {
    if (access) access->remote = true;
    return Space::kShared;
  }
  if (m.take("local")) return Space::kLocal;
  if (m.take("const")) return Space::kConst;
  if (m.take("param") || m.take("param::entry") || m.take("param::func")) return Space::kParam;
  return Space::kGeneric;
}

// Ordering, scope, cache operators and hints: the trace keeps them in the instruction's text, and
// execution needs none of them, because every access is done at once and in order.
void Decoder::take_order(Modifiers& m) {
  m.take("mmio");  // always with .relaxed
  m.take_one_of({"weak", "volatile", "relaxed", "acquire", "release", "acq_rel"});
  m.take_one_of({"cta", "cluster", "gpu", "sys"});
  m.take_one_of({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  m.take("nc");
  while (!m.take_prefix("L1::").empty() || !m.take_prefix("L2::").empty()) {
  }
  m.take("unified");
}

// [register + offset], [variable + offset], [number].
void Decoder::address(const Operand& o, Access& access) {
  if (o.kind != Operand::Kind::kMemory || o.items.empty())
    fail("this operand must be an address in brackets", "", o.at);
  const Operand& base = o.items[0];
  access.offset = o.offset;
  if (base.kind == Operand::Kind::kRegister) {
    access.address_bytes = static_cast<std::uint8_t>(register_bytes(base));
    if (access.address_bytes != 4 && access.address_bytes != 8)
      fail("an address must have 32 or 64 bits", "", base.at);
    access.base = slot(base.number);
    return;
  }
  if (base.kind == Operand::Kind::kInteger) {
    access.address_bytes = 0;
    access.offset += static_cast<std::int64_t>(base.value);
    return;
  }
  std::uint64_t value = 0;
  if (address_constant(base, value)) {
    access.address_bytes = 0;
    access.offset += static_cast<std::int64_t>(value);
    if (access.space == Space::kGeneric && base.variable && base.variable->space == Space::kShared)
      access.offset += static_cast<std::int64_t>(kSharedWindow);
    return;
  }
  access.address_bytes = 8;
  access.base = source(base, Type::kU64);
}

// The registers of a load or store, one or a vector.
void Decoder::values_of(const Operand& o, Access& access, bool load) {
  const Type type = access.type;
  const bool vector = o.kind == Operand::Kind::kVector;
  const std::size_t n = vector ? o.items.size() : 1;
  if (n != access.elements)
    fail(fmt::format("{} needs {} values, not {}", s_->opcode, access.elements, n), "", o.at);
  for (std::size_t i = 0; i < n; ++i) {
    const Operand& item = vector ? o.items[i] : o;
    access.value_bytes[i] = std::max(2u, size_of(type));
    if (item.kind == Operand::Kind::kRegister) access.value_bytes[i] = register_bytes(item);
    if (load && item.kind == Operand::Kind::kSink) continue;
    access.values[i] = load ? dest(item, type, true) : source(item, type, true);
  }
}

void Decoder::load_store(Modifiers& m, bool load) {
  Access a;
  a.op = load ? trace::Op::kLoad : trace::Op::kStore;
  const auto& o = s_->operands;
  a.type = m.take_type();
  if (a.type == Type::kNone || a.type == Type::kPred) unsupported();
  a.waits = load && (m.has("volatile") || m.has("relaxed") || m.has("acquire") || m.has("cv") ||
                     m.has("mmio"));
  take_order(m);
  a.space = take_space(m, &a);
  const std::string_view vector = m.take_one_of({"v2", "v4", "v8"});
  a.elements = vector.empty() ? 1 : static_cast<std::uint8_t>(vector[1] - '0');
  all_taken(m);
  expect_operands(2, 3);  // a third one is a cache policy
  a.element_bytes = static_cast<std::uint8_t>(size_of(a.type));
  if (a.bytes() > 32) unsupported();
  const Operand& where = load ? o[1] : o[0];
  values_of(load ? o[0] : o[1], a, load);
  if (a.space == Space::kParam) return param_access(where, a, load);
  address(where, a);
  Inst& in = emit(Kind::kAccess);
  new_access(in) = a;
}

// A GPU has a kernel's parameters side by side, and ptxas takes an offset that leads from one to
// the next.
void Decoder::require_inside(const Operand& where, const Access& a, std::uint32_t at,
                             std::uint64_t bytes, const char* what) {
  const std::int64_t end = static_cast<std::int64_t>(bytes) - a.bytes(), first = std::int64_t{at};
  if (where.offset >= -first && where.offset <= end - first) return;
  fail(fmt::format("the access is outside {}: {} bytes at offset {}, and there are {}", what,
                   a.bytes(), where.offset, bytes - std::min<std::uint64_t>(at, bytes)),
       "check the offset, and the type of the parameter", where.at);
}

// Parameters: the kernel's own lie in constant memory, those of calls in the frame.
void Decoder::param_access(const Operand& where, Access a, bool load) {
  if (where.kind != Operand::Kind::kMemory)
    fail("this operand must be an address in brackets", "", where.at);
  const Operand& base = where.items[0];
  const bool kernels =
      base.kind == Operand::Kind::kRegister ||
      (base.variable && f_.is_entry && base.variable->space == Space::kParam &&
       std::find(f_.params.begin(), f_.params.end(), base.variable) != f_.params.end());
  if (kernels) {
    if (!load) fail("a kernel cannot write its parameters");
    a.space = Space::kConst;
    address(where, a);
    // Of another kernel, which this one launches, the parameters are not laid out here, nor is its
    // code run.
    if (base.variable && &f_ == kernel_.entry)
      require_inside(where, a, base.variable->offset, kernel_.param_bytes,
                     "the kernel's parameters");
    if (a.address_bytes == 0) {
      Inst& in = emit(Kind::kParamLoad);
      a.base = kNoOffset;
      a.offset -= static_cast<std::int64_t>(loaded_.memory().param_base());
      new_access(in) = a;
    } else {
      Inst& in = emit(Kind::kAccess);
      new_access(in) = a;
    }
    return;
  }
  if (!base.variable || base.variable->space != Space::kParam)
    fail("this is not a parameter", "", base.at);
  const ParamSlot p = param_slot(base.variable);
  require_inside(where, a, 0, p.bytes, "the parameter");
  a.space = Space::kParam;
  a.base = p.offset, a.register_bytes = 0, a.offset = where.offset;
  a.address_bytes = 0;
  Inst& in = emit(load ? Kind::kParamLoad : Kind::kParamStore);
  in.sub = p.bytes;
  new_access(in) = a;
}

AtomicOp Decoder::take_operation(Modifiers& m) {
  constexpr std::pair<std::string_view, AtomicOp> kOps[] = {
      {"add", AtomicOp::kAdd}, {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax},
      {"inc", AtomicOp::kInc}, {"dec", AtomicOp::kDec}, {"and", AtomicOp::kAnd},
      {"or", AtomicOp::kOr},   {"xor", AtomicOp::kXor}, {"exch", AtomicOp::kExch},
      {"cas", AtomicOp::kCas}};
  for (const auto& [name, op] : kOps)
    if (m.take(name)) return op;
  return AtomicOp::kNone;
}

void Decoder::atomic(Modifiers& m, bool reduction) {
  Access a;
  a.op = reduction ? trace::Op::kReduction : trace::Op::kAtomic;
  const auto& o = s_->operands;
  a.type = m.take_type();
  m.take("noftz");
  take_order(m);
  a.space = take_space(m, &a);
  a.atomic = take_operation(m);
  const std::string_view vector = m.take_one_of({"v2", "v4", "v8"});
  all_taken(m);
  if (a.atomic == AtomicOp::kNone || a.type == Type::kNone) unsupported();
  a.elements = vector.empty() ? 1 : static_cast<std::uint8_t>(vector[1] - '0');
  a.element_bytes = static_cast<std::uint8_t>(size_of(a.type));
  if (a.element_bytes == 16 && a.atomic != AtomicOp::kCas && a.atomic != AtomicOp::kExch)
    unsupported();
  const bool cas = a.atomic == AtomicOp::kCas;
  const std::size_t first = reduction ? 0 : 1;
  expect_operands(first + (cas ? 3 : 2), first + (cas ? 4 : 3));  // one more: a cache policy
  address(o[first], a);
  std::uint32_t d[4] = {kNoOffset, kNoOffset, kNoOffset, kNoOffset};
  const auto element = [&](const Operand& operand, std::size_t i) -> const Operand& {
    return operand.kind == Operand::Kind::kVector ? operand.items.at(i) : operand;
  };
  if (a.elements > 4 || (cas && a.elements > 1)) unsupported();
  for (std::size_t i = 0; i < a.elements; ++i) {
    a.values[i] = source(element(o[first + 1], i), a.type);
    if (!reduction) d[i] = dest(element(o[0], i), a.type);
  }
  const std::uint32_t c = cas ? source(o[first + 2], a.type) : kNoOffset;
  // ptxas turns an atomic whose result nobody reads into a reduction, and so must the trace.
  const bool unused =
      !reduction && o[0].kind == Operand::Kind::kRegister && mentions_[o[0].number] == 1;
  if ((unused || (!reduction && o[0].kind == Operand::Kind::kSink)) && !cas &&
      a.atomic != AtomicOp::kExch)
    a.op = trace::Op::kReduction;
  a.waits = cas || a.atomic == AtomicOp::kExch;
  Inst& in = emit(Kind::kAccess);
  if (cas) a.values[1] = c;
  for (std::size_t i = 0; i < 4; ++i) a.values[4 + i] = d[i];
  new_access(in) = a;
}

// cp.async.{ca,cg}.shared.global [dst], [src], bytes {, source bytes | ignore} {, policy}.
void Decoder::async_copy(Modifiers& m) {
  m.take("async");
  const auto& o = s_->operands;
  if (m.take("commit_group")) {
    all_taken(m);
    emit(Kind::kAsyncCommit);
    return;
  }
  if (m.take("wait_all")) {
    all_taken(m);
    Inst& in = emit(Kind::kAsyncWait);
    in.sub = 0;
    return;
  }
  if (m.take("wait_group")) {
    all_taken(m);
    expect_operands(1, 1);
    const auto n = static_cast<std::uint32_t>(number(o[0]));
    emit(Kind::kAsyncWait).sub = n;
    return;
  }
  m.take_one_of({"ca", "cg"});
  while (!m.take_prefix("L2::").empty()) {
  }
  if (!m.take("shared") && !m.take("shared::cta")) unsupported();
  if (!m.take("global")) unsupported();
  all_taken(m);
  expect_operands(3, 5);
  Access write, read;
  write.op = trace::Op::kAsyncCopyWrite, write.space = Space::kShared;
  read.op = trace::Op::kAsyncCopyRead, read.space = Space::kGlobal;
  const std::uint64_t bytes = number(o[2]);
  if (bytes != 4 && bytes != 8 && bytes != 16)
    fail("cp.async copies 4, 8 or 16 bytes", "", o[2].at);
  write.element_bytes = read.element_bytes = static_cast<std::uint8_t>(bytes);
  address(o[0], write);
  address(o[1], read);
  std::uint32_t limit = kNoOffset, ignore = kNoOffset;
  if (o.size() > 3) {
    if (o[3].kind == Operand::Kind::kRegister && f_.registers[o[3].number] == Type::kPred)
      ignore = predicate(o[3]);
    else if (o[3].kind == Operand::Kind::kInteger || register_bytes(o[3]) == 4)
      limit = source(o[3], Type::kU32);
  }
  Inst& in = emit(Kind::kAsyncCopy);
  in.a = limit, in.b = ignore;
  new_access(in) = read;
  code_.accesses.push_back(write);  // follows the read
}

}  // namespace warpmem::emulate
