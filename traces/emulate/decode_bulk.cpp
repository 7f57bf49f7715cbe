#include "traces/emulate/bulk.hpp"
#include "traces/emulate/decoder.hpp"

namespace warpmem::emulate {

bool Decoder::bulk(Modifiers& m) {
  const auto& o = s_->operands;
  const std::string_view b = m.base();
  if (b == "mapa") {  // the address of the same variable in the memory of another CTA of the cluster
    const bool shared = m.take("shared::cluster");
    const Type type = m.take_type();
    all_taken(m);
    expect_operands(3, 3);
    const std::uint32_t a = source(o[1], type), rank = source(o[2], Type::kU32);
    Inst& in = emit(Kind::kMapa);
    in.a = a, in.b = rank, in.d = dest(o[0], type);
    in.sub = size_of(type) | (shared ? 16u : 0u);
    return true;
  }
  if (b == "mbarrier") {
    const std::string_view what = m.take_one_of({"init", "inval", "arrive", "test_wait", "try_wait", "expect_tx"});
    const bool expect = m.take("expect_tx") || what == "expect_tx", parity = m.take("parity");
    m.take_one_of({"acquire", "release", "relaxed"}), m.take_one_of({"cta", "cluster"});
    Access a;
    a.space = take_space(m, &a);
    m.take("b64");
    all_taken(m);
    a.element_bytes = 8;
    a.waits = what.ends_with("wait");
    MbarrierOp op = what == "init" ? MbarrierOp::kInit : what == "inval" ? MbarrierOp::kInvalidate : what == "arrive" ? MbarrierOp::kArrive
                    : what == "expect_tx" ? MbarrierOp::kExpect : parity ? MbarrierOp::kTestParity : MbarrierOp::kTest;
    if (what.empty()) unsupported();
    const bool result = op == MbarrierOp::kArrive || op == MbarrierOp::kTest || op == MbarrierOp::kTestParity;
    const std::size_t at = result && !(op == MbarrierOp::kArrive && o.at(0).kind == Operand::Kind::kMemory) ? 1 : 0;
    expect_operands(at + 1, at + 3);
    address(o[at], a);
    std::uint32_t value = kNoOffset, state = kNoOffset, p = kNoOffset;
    if (op == MbarrierOp::kTest) value = source(o.at(at + 1), Type::kB64);
    else if (o.size() > at + 1) value = source(o[at + 1], Type::kU32);
    if (at && op == MbarrierOp::kArrive) state = dest(o[0], Type::kB64);
    if (at && op != MbarrierOp::kArrive) p = predicate(o[0]);
    Inst& in = emit(Kind::kMbarrier);
    in.a = value, in.d = state, in.d2 = p;
    in.sub = static_cast<std::uint32_t>(op) | (expect && op == MbarrierOp::kArrive ? 16u : 0u);
    new_access(in) = a;
    return true;
  }
  if (b != "cp" || !m.has("async") || !m.has("bulk")) return false;
  AtomicOp reduction = AtomicOp::kNone;
  Type type = Type::kB8;
  if (m.take("reduce")) {
    type = m.take_type();
    m.take("noftz");
    constexpr std::pair<std::string_view, AtomicOp> kOps[] = {{"add", AtomicOp::kAdd}, {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax}, {"inc", AtomicOp::kInc},
        {"dec", AtomicOp::kDec}, {"and", AtomicOp::kAnd}, {"or", AtomicOp::kOr}, {"xor", AtomicOp::kXor}};
    for (const auto& [name, op] : kOps)
      if (m.take(name)) reduction = op;
    if (reduction == AtomicOp::kNone || type == Type::kNone || m.has("tensor")) unsupported();
  }
  m.take("async"), m.take("bulk");
  if (m.has("tensor")) unsupported();
  if (m.take("commit_group")) return all_taken(m), emit(Kind::kBulkCommit), true;
  if (m.take("wait_group")) {
    m.take("read");
    all_taken(m);
    return emit(Kind::kBulkWait), true;
  }
  if (m.take("prefetch")) {
    m.take("L2"), m.take("global");
    while (!m.take_prefix("L2::").empty()) {}
    all_taken(m);
    return emit(Kind::kNothing), true;
  }
  // The first space is the destination's, the second the source's.
  while (!m.take_prefix("L2::").empty()) {}
  if (m.has("multicast::cluster")) unsupported();
  const bool counted = m.take("mbarrier::complete_tx::bytes");
  m.take("bulk_group");
  const bool to_global = !m.pieces().empty() && m.pieces().front() == "global";
  Access write, read;
  write.op = trace::Op::kBulkWrite, read.op = trace::Op::kBulkRead;
  write.space = to_global ? Space::kGlobal : Space::kShared, read.space = to_global ? Space::kShared : Space::kGlobal;
  if (to_global) m.take("global");
  if (!m.take("shared::cluster") && !m.take("shared::cta")) unsupported();
  if (!to_global && !m.take("global")) unsupported();  // shared to another CTA's shared
  all_taken(m);
  expect_operands(counted ? 4 : 3, counted ? 5 : 4);
  if (reduction != AtomicOp::kNone) write.op = trace::Op::kBulkReduction, write.atomic = reduction, write.type = type;
  address(o[0], write);
  address(o[1], read);
  const std::uint32_t bytes = source(o[2], Type::kU32);
  Access barrier;
  barrier.space = Space::kShared;
  barrier.element_bytes = 8;
  if (counted) address(o[3], barrier);
  Inst& in = emit(Kind::kBulkCopy);
  in.a = bytes, in.sub = counted ? 1 : 0;
  new_access(in) = read;
  code_.accesses.push_back(write);
  code_.accesses.push_back(barrier);
  return true;
}

}  // namespace warpmem::emulate
