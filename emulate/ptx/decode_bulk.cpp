#include <fmt/format.h>

#include "emulate/executor/bulk.hpp"
#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {

// The address of the same variable in the memory of another CTA of the cluster.
void Decoder::address_in_cluster(Modifiers& m) {
  const auto& o = s_->operands;
  const bool shared = m.take("shared::cluster");
  const Type type = m.take_type();
  all_taken(m);
  expect_operands(3, 3);
  const std::uint32_t a = source(o[1], type), rank = source(o[2], Type::kU32);
  Inst& in = emit(Kind::kMapa);
  in.a = a, in.b = rank, in.d = dest(o[0], type);
  in.sub = size_of(type) | (shared ? 16u : 0u);
}

void Decoder::rank_of_address(Modifiers& m) {
  const auto& o = s_->operands;
  m.take("shared::cluster");
  const Type type = m.take_type();
  all_taken(m);
  expect_operands(2, 2);
  const std::uint32_t a = source(o[1], type);
  Inst& in = emit(Kind::kRankOf);
  in.a = a, in.d = dest(o[0], Type::kU32), in.sub = size_of(type);
}

// Copies are done already: what is left is the arrival.
void Decoder::copies_arrive(Modifiers& m) {
  const auto& o = s_->operands;
  m.take("async"), m.take("mbarrier"), m.take("arrive");
  const bool counts = m.take("noinc");
  Access a;
  a.space = take_space(m, &a);
  m.take("b64");
  all_taken(m);
  expect_operands(1, 1);
  if (!counts) {
    emit(Kind::kNothing);
    return;
  }
  a.element_bytes = 8;
  address(o[0], a);
  Inst& in = emit(Kind::kMbarrier);
  in.sub = static_cast<std::uint32_t>(MbarrierOp::kArrive);
  new_access(in) = a;
}

// Of a state that an arrival returned.
void Decoder::pending_count(Modifiers& m) {
  const auto& o = s_->operands;
  m.take("b64");
  all_taken(m);
  expect_operands(2, 2);
  const std::uint32_t state = source(o[1], Type::kB64);
  Inst& in = emit(Kind::kMbarrier);
  in.a = state, in.d = dest(o[0], Type::kU32);
  in.sub = static_cast<std::uint32_t>(MbarrierOp::kPendingCount);
  new_access(in) = {};
}

void Decoder::mbarrier(Modifiers& m) {
  const auto& o = s_->operands;
  if (m.take("pending_count")) return pending_count(m);
  const std::string_view what =
      m.take_one_of({"init", "inval", "arrive", "arrive_drop", "test_wait", "try_wait", "expect_tx",
                     "complete_tx"});
  const bool expect = m.take("expect_tx") || what == "expect_tx", parity = m.take("parity");
  m.take("noComplete");  // a promise: the phase does not end with it
  m.take_one_of({"acquire", "release", "relaxed"}), m.take_one_of({"cta", "cluster"});
  Access a;
  a.space = take_space(m, &a);
  m.take("b64");
  all_taken(m);
  a.element_bytes = 8;
  a.waits = what.ends_with("wait");
  MbarrierOp op = what == "init"          ? MbarrierOp::kInit
                  : what == "inval"       ? MbarrierOp::kInvalidate
                  : what == "arrive"      ? MbarrierOp::kArrive
                  : what == "arrive_drop" ? MbarrierOp::kArriveDrop
                  : what == "complete_tx" ? MbarrierOp::kComplete
                  : what == "expect_tx"   ? MbarrierOp::kExpect
                  : parity                ? MbarrierOp::kTestParity
                                          : MbarrierOp::kTest;
  if (what.empty()) unsupported();
  const bool arrives = op == MbarrierOp::kArrive || op == MbarrierOp::kArriveDrop;
  const bool result = arrives || op == MbarrierOp::kTest || op == MbarrierOp::kTestParity;
  const std::size_t at = result && !(arrives && o.at(0).kind == Operand::Kind::kMemory) ? 1 : 0;
  expect_operands(at + 1, at + 3);
  address(o[at], a);
  std::uint32_t value = kNoOffset, state = kNoOffset, p = kNoOffset;
  if (op == MbarrierOp::kTest) value = source(o.at(at + 1), Type::kB64);
  else if (o.size() > at + 1) value = source(o[at + 1], Type::kU32);
  if (at && arrives && o[0].kind != Operand::Kind::kSink) state = dest(o[0], Type::kB64);
  if (at && !arrives) p = predicate(o[0]);
  Inst& in = emit(Kind::kMbarrier);
  in.a = value, in.d = state, in.d2 = p;
  in.sub = static_cast<std::uint32_t>(op) | (expect && arrives ? 16u : 0u);
  new_access(in) = a;
}

void Decoder::bulk_prefetch(Modifiers& m) {
  const auto& o = s_->operands;
  m.take("L2"), m.take("global");
  while (!m.take_prefix("L2::").empty()) {
  }
  all_taken(m);
  expect_operands(2, 3);
  Access a;
  a.op = trace::Op::kPrefetch, a.space = Space::kGlobal;
  address(o.at(0), a);
  const std::uint32_t bytes = source(o.at(1), Type::kU32);
  Inst& in = emit(Kind::kBulkCopy);
  in.a = bytes, in.sub = kBulkPrefetch;
  new_access(in) = a;
}

void Decoder::bulk_copy(Modifiers& m, AtomicOp reduction, Type type) {
  const auto& o = s_->operands;
  // The first space is the destination's, the second the source's.
  while (!m.take_prefix("L2::").empty()) {
  }
  const bool multicast = m.take("multicast::cluster");
  const bool counted = m.take("mbarrier::complete_tx::bytes");
  m.take("bulk_group");
  const bool to_global = !m.pieces().empty() && m.pieces().front() == "global";
  Access write, read;
  write.op = trace::Op::kBulkWrite, read.op = trace::Op::kBulkRead;
  write.space = to_global ? Space::kGlobal : Space::kShared,
  read.space = to_global ? Space::kShared : Space::kGlobal;
  if (to_global) m.take("global");
  if (!m.take("shared::cluster") && !m.take("shared::cta")) unsupported();
  if (!to_global && !m.take("global")) {  // to another CTA's
    if (!m.take("shared::cta")) unsupported();
    read.space = Space::kShared;
  }
  all_taken(m);
  expect_operands((counted ? 4u : 3u) + multicast, (counted ? 5u : 4u) + multicast);
  if (reduction != AtomicOp::kNone)
    write.op = trace::Op::kBulkReduction, write.atomic = reduction, write.type = type;
  address(o[0], write);
  address(o[1], read);
  const std::uint32_t bytes = source(o[2], Type::kU32);
  Access barrier;
  barrier.space = Space::kShared;
  barrier.element_bytes = 8;
  if (counted) address(o[3], barrier);
  const std::uint32_t targets = multicast ? source(o[counted ? 4 : 3], Type::kB16) : kNoOffset;
  Inst& in = emit(Kind::kBulkCopy);
  in.a = bytes, in.b = targets, in.sub = counted ? 1 : 0;
  new_access(in) = read;
  code_.accesses.push_back(write);
  code_.accesses.push_back(barrier);
}

// cp.async.bulk and cp.reduce.async.bulk.
void Decoder::bulk_group(Modifiers& m) {
  AtomicOp reduction = AtomicOp::kNone;
  Type type = Type::kB8;
  if (m.take("reduce")) {
    if (!m.has("tensor")) type = m.take_type();
    m.take("noftz");
    reduction = take_operation(m);
    if (reduction == AtomicOp::kNone || type == Type::kNone) unsupported();
  }
  m.take("async"), m.take("bulk");
  if (m.take("tensor")) return tensor_copy(m, reduction);
  if (m.take("commit_group")) {
    all_taken(m);
    emit(Kind::kBulkCommit);
  } else if (m.take("wait_group")) {
    m.take("read");
    all_taken(m);
    emit(Kind::kBulkWait);
  } else if (m.take("prefetch")) {
    bulk_prefetch(m);
  } else {
    bulk_copy(m, reduction, type);
  }
}

bool Decoder::bulk(Modifiers& m) {
  const std::string_view b = m.base();
  if (b == "mapa") return address_in_cluster(m), true;
  if (b == "getctarank") return rank_of_address(m), true;
  if (b == "cp" && m.has("async") && m.has("mbarrier")) return copies_arrive(m), true;
  if (b == "mbarrier") return mbarrier(m), true;
  if (b == "tensormap") return tensor_map(m), true;
  if ((b == "st" || b == "red") && m.has("async")) return asynchronous(m), true;
  if (b != "cp" || !m.has("async") || !m.has("bulk")) return false;
  return bulk_group(m), true;
}

// st.async and red.async: [address], value or vector, [mbarrier], both in the cluster's shared
// memory.
void Decoder::asynchronous(Modifiers& m) {
  const auto& o = s_->operands;
  const bool reduction = m.base() == "red";
  Access a, barrier;
  a.op = reduction ? trace::Op::kReduction : trace::Op::kStore;
  m.take("async");
  take_order(m);
  a.space = take_space(m, &a);
  a.remote = true;
  if (!m.take("mbarrier::complete_tx::bytes") ||
      (a.space != Space::kShared && a.space != Space::kGeneric))
    unsupported();
  a.space = Space::kShared;
  a.type = m.take_type();
  if (a.type == Type::kNone) unsupported();
  if (reduction) {
    a.atomic = take_operation(m);
    if (a.atomic == AtomicOp::kNone) unsupported();
  }
  const std::string_view vector = m.take_one_of({"v2", "v4"});
  all_taken(m);
  expect_operands(3, 3);
  a.elements = vector.empty() ? 1 : static_cast<std::uint8_t>(vector[1] - '0');
  a.element_bytes = static_cast<std::uint8_t>(size_of(a.type));
  if (reduction) a.values[0] = source(o[1], a.type);
  else values_of(o[1], a, false);
  address(o[0], a);
  barrier.space = Space::kShared, barrier.element_bytes = 8;
  address(o[2], barrier);
  Inst& in = emit(Kind::kAsyncStore);
  new_access(in) = a;
  code_.accesses.push_back(barrier);
}

}  // namespace warpmem::emulate
