#include <fmt/format.h>

#include "emulate/executor/builtins.hpp"
#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {

bool Decoder::control(Modifiers& m) {
  const std::string_view b = m.base();
  if (b == "bra" || b == "brx") return branch(), true;
  if (b == "ret" || b == "exit") {
    m.take("uni");
    all_taken(m);
    // An entry's ret ends the thread.
    emit(b == "exit" || f_.is_entry ? Kind::kExit : Kind::kReturn);
    return true;
  }
  if (b == "trap" || b == "brkpt") return emit(Kind::kTrap), true;
  if (b == "nanosleep" || b == "griddepcontrol" || b == "setmaxnreg" || b == "pmevent" ||
      b == "createpolicy" || b == "nop") {
    if (b ==
        "createpolicy") {  // hints have no effect on results; the policy value itself is opaque
      const std::uint32_t zero = constant(0, 8);
      Inst& in = emit_handler("mov.b64");
      in.d = dest(s_->operands.at(0), Type::kB64), in.a = zero;
      return true;
    }
    return emit(Kind::kNothing), true;
  }
  if (b == "alloca" || b == "stacksave" ||
      b == "stackrestore") {  // alloca.u64 address, bytes{, alignment}
    const Type type = m.take_type();
    all_taken(m);
    const auto& o = s_->operands;
    const bool takes = b == "alloca", saves = b == "stacksave";
    expect_operands(takes ? 2 : 1, takes ? 3 : 1);
    if (type != Type::kU64 && type != Type::kU32) unsupported();
    const std::uint32_t a = saves ? kNoOffset : source(takes ? o[1] : o[0], type);
    const auto align = static_cast<std::uint32_t>(o.size() > 2 ? number(o[2]) : 8);
    if (align == 0 || (align & (align - 1)) || align > 4096)
      fail("an alignment must be a power of two");
    Inst& in = emit(takes ? Kind::kStackTake : saves ? Kind::kStackSave : Kind::kStackRestore);
    in.a = a, in.sub = size_of(type), in.target = align;
    if (takes || saves) in.d = dest(o[0], type);
    return true;
  }
  if (b == "call") return call(m), true;
  if (b == "bar" || b == "barrier") return barrier(m), true;
  if (b == "vote" || b == "match" || b == "shfl" || b == "redux" || b == "activemask" ||
      b == "elect")
    return warp_operation(m), true;
  return false;
}

void Decoder::branch() {
  const auto& o = s_->operands;
  if (s_->opcode.starts_with("bra")) {
    const std::uint32_t label = o[0].number;
    emit(Kind::kBranch).target = label;
    return;
  }
  expect_operands(2, 2);
  const auto list = f_.branch_targets.find(o[1].name);
  if (list == f_.branch_targets.end())
    fail(fmt::format("there is no .branchtargets list '{}'", o[1].name), "", o[1].at);
  std::vector<std::uint32_t> targets{kNoOffset};
  targets.insert(targets.end(), list->second.begin(), list->second.end());
  const std::uint32_t a = source(o[0], Type::kU32);
  Inst& in = emit(Kind::kBranchIndexed);
  in.a = a;
  in.extra = static_cast<std::uint32_t>(code_.lists.size());
  code_.lists.push_back(std::move(targets));
}

// call (results), function, (arguments) {, prototype}.
void Decoder::call(Modifiers& m) {
  m.take("uni");
  all_taken(m);
  const auto& o = s_->operands;
  CallSite site;
  std::size_t at = 0;
  const auto slots = [&](const Operand& list) {
    std::vector<ParamSlot> out;
    for (const Operand& item : list.items) {
      if (!item.variable || item.variable->space != Space::kParam)
        fail("arguments and results of calls must be .param variables", "", item.at);
      out.push_back(param_slot(item.variable));
    }
    return out;
  };
  if (at < o.size() && o[at].kind == Operand::Kind::kVector) site.results = slots(o[at++]);
  if (at >= o.size()) fail("call needs a function");
  const Operand& callee = o[at++];
  if (at < o.size() && o[at].kind == Operand::Kind::kVector) site.arguments = slots(o[at++]);
  if (callee.kind == Operand::Kind::kRegister) {
    site.pointer = source(callee, Type::kU64);
    site.function = kNoOffset;
    code_.calls_pointers = true;
  } else {
    const auto& named = loaded_.module().function_named;
    const auto found = named.find(callee.name);
    if (found == named.end())
      fail(fmt::format("function '{}' is not declared", callee.name), "", callee.at);
    const Function* f = found->second;
    if (const Builtin b = builtin_named(f->name); b != Builtin::kNone && !f->has_body) {
      site.builtin = static_cast<std::uint32_t>(b);
      site.function = kNoOffset;
    } else {
      if (!f->has_body)
        fail(fmt::format(
                 "function '{}' has no body in this file and the emulator has none of its own",
                 f->name),
             f->name.starts_with("__cudaCDP2") || f->name.starts_with("cuda")
                 ? "it is CUDA's device runtime's; of that there are launches, streams, events, "
                   "copies and memory"
                 : "emulate the whole program instead of one file",
             callee.at);
      if (f->params.size() != site.arguments.size())
        fail(fmt::format("'{}' takes {} arguments, not {}", f->name, f->params.size(),
                         site.arguments.size()),
             "", callee.at);
      const auto known = kernel_.numbers.find(f);
      if (known != kernel_.numbers.end()) {
        site.function = known->second;
      } else {
        site.function = static_cast<std::uint32_t>(kernel_.numbers.size());
        kernel_.numbers[f] = site.function;
      }
      reached_.push_back(f);
    }
  }
  Inst& in = emit(Kind::kCall);
  in.extra = static_cast<std::uint32_t>(code_.calls.size());
  code_.calls.push_back(std::move(site));
}

void Decoder::barrier(Modifiers& m) {
  const auto& o = s_->operands;
  if (m.take("warp")) {
    m.take("sync");
    all_taken(m);
    expect_operands(1, 1);
    const std::uint32_t a = source(o[0], Type::kU32);
    emit(Kind::kWarpSync).a = a;
    return;
  }
  if (m.take("cluster")) {
    const bool arrive = m.take("arrive");
    if (!arrive && !m.take("wait")) unsupported();
    m.take_one_of({"release", "relaxed", "acquire"}), m.take("aligned");
    all_taken(m);
    emit(arrive ? Kind::kClusterArrive : Kind::kClusterWait);
    return;
  }
  m.take("cta"), m.take("aligned");
  const bool arrive = m.take("arrive"), reduce = m.take("red");
  if (!arrive && !reduce && !m.take("sync")) unsupported();
  if (reduce) {
    const std::string_view op = m.take_one_of({"popc", "and", "or"});
    const Type type = m.take_type();
    all_taken(m);
    const bool counted = o.size() == 4;
    expect_operands(3, 4);
    const std::uint32_t a = source(o[1], Type::kU32),
                        b = counted ? source(o[2], Type::kU32) : kNoOffset;
    const Operand& p = o[counted ? 3 : 2];
    const std::uint32_t c = predicate(p);
    Inst& in = emit(Kind::kBarrierReduce);
    in.a = a, in.b = b, in.c = c, in.negate_c = p.negated;
    in.sub = op == "popc" ? 0 : op == "and" ? 1 : 2;
    in.d = type == Type::kPred ? predicate(o[0]) : dest(o[0], Type::kU32);
    return;
  }
  all_taken(m);
  expect_operands(arrive ? 2 : 1, 2);
  const std::uint32_t a = source(o[0], Type::kU32),
                      b = o.size() > 1 ? source(o[1], Type::kU32) : kNoOffset;
  Inst& in = emit(arrive ? Kind::kBarrierArrive : Kind::kBarrier);
  in.a = a, in.b = b;
}

void Decoder::warp_operation(Modifiers& m) {
  const std::string_view b = m.base();
  const auto& o = s_->operands;
  if (b == "activemask") {
    const Type type = m.take_type();
    all_taken(m);
    emit(Kind::kActiveMask).d = dest(o.at(0), type);
    return;
  }
  if (!m.take("sync")) unsupported();
  if (b == "elect") {
    all_taken(m);
    expect_operands(2, 2);
    const std::uint32_t members = source(o[1], Type::kU32);
    const bool pair = o[0].kind == Operand::Kind::kPair;
    Inst& in = emit(Kind::kElect);
    in.e = members;
    if (pair) in.d = dest(o[0].items[0], Type::kU32), in.d2 = predicate(o[0].items[1]);
    else in.d2 = predicate(o[0]);
    return;
  }
  if (b == "vote") {
    const std::string_view what = m.take_one_of({"all", "any", "uni", "ballot"});
    const Type type = m.take_type();
    all_taken(m);
    expect_operands(3, 3);
    const std::uint32_t a = predicate(o[1]), members = source(o[2], Type::kU32);
    Inst& in = emit(Kind::kVote);
    in.a = a, in.negate_c = o[1].negated, in.e = members;
    in.sub = what == "all" ? 0 : what == "any" ? 1 : what == "uni" ? 2 : 3;
    in.d = type == Type::kPred ? predicate(o[0]) : dest(o[0], Type::kU32);
    return;
  }
  if (b == "match") {
    const std::string_view what = m.take_one_of({"any", "all"});
    const Type type = m.take_type();
    all_taken(m);
    expect_operands(3, 3);
    const std::uint32_t a = source(o[1], type), members = source(o[2], Type::kU32);
    const bool pair = o[0].kind == Operand::Kind::kPair;
    Inst& in = emit(Kind::kMatch);
    in.a = a, in.e = members, in.sub = (what == "all" ? 1u : 0u) | size_of(type) << 8;
    in.d = dest(pair ? o[0].items[0] : o[0], Type::kU32);
    if (pair) in.d2 = predicate(o[0].items[1]);
    return;
  }
  if (b == "redux") {
    const std::string_view op = m.take_one_of({"add", "min", "max", "and", "or", "xor"});
    const bool absolute = m.take("abs"), nan = m.take("NaN");
    const Type type = m.take_type();
    all_taken(m);
    expect_operands(3, 3);
    const bool real = type == Type::kF32;
    if ((absolute || nan) && !real) unsupported();
    if (real && op != "min" && op != "max") unsupported();
    const std::uint32_t a = source(o[1], type), members = source(o[2], Type::kU32);
    Inst& in = emit(Kind::kReduceSync);
    in.a = a, in.e = members, in.d = dest(o[0], type);
    in.sub = op == "add"   ? 0
             : op == "min" ? 1
             : op == "max" ? 2
             : op == "and" ? 3
             : op == "or"  ? 4
                           : 5;
    if (type == Type::kS32) in.sub |= 16;
    if (real) in.sub |= 32u | (absolute ? 64u : 0u) | (nan ? 128u : 0u);
    return;
  }
  // shfl.sync.{up,down,bfly,idx}.b32 d|p, a, b, c, members
  const std::string_view mode = m.take_one_of({"up", "down", "bfly", "idx"});
  m.take("b32");
  all_taken(m);
  expect_operands(5, 5);
  const std::uint32_t a = source(o[1], Type::kB32), by = source(o[2], Type::kU32),
                      c = source(o[3], Type::kU32), members = source(o[4], Type::kU32);
  const bool pair = o[0].kind == Operand::Kind::kPair;
  Inst& in = emit(Kind::kShuffle);
  in.a = a, in.b = by, in.c = c, in.e = members;
  in.sub = mode == "up" ? 0 : mode == "down" ? 1 : mode == "bfly" ? 2 : 3;
  in.d = dest(pair ? o[0].items[0] : o[0], Type::kB32);
  if (pair) in.d2 = predicate(o[0].items[1]);
}

}  // namespace warpmem::emulate
