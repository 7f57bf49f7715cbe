// Copies with a tensor map, and kernels that change tensor maps.
#include <fmt/format.h>

#include "emulate/executor/tensor_map.hpp"
#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {

// cp.async.bulk.tensor.2d.shared::cluster.global{.tile,
// .im2col}.mbarrier::complete_tx::bytes{.multicast::cluster}
//   [tile], [map, {coordinates}], [mbarrier]{, {offsets}}{, mask}{, policy}
// cp{.reduce}.async.bulk.tensor.2d.global.shared::cta{.op}{.tile}.bulk_group [map, {coordinates}],
// [tile]{, policy}
void Decoder::tensor_copy(Modifiers& m, AtomicOp reduction) {
  const auto& o = s_->operands;
  TensorCopy t;
  t.reduction = reduction;
  const bool prefetch = m.take("prefetch");
  const std::string_view rank = m.take_one_of({"1d", "2d", "3d", "4d", "5d"});
  if (rank.empty()) unsupported();
  t.rank = static_cast<std::uint32_t>(rank[0] - '0');
  m.take("tile");
  t.im2col = m.take("im2col") || m.take("im2col_no_offs");
  while (!m.take_prefix("L2::").empty()) {
  }
  if (prefetch) {
    m.take("global"), m.take("L2");
    all_taken(m);
    emit(Kind::kNothing);
    return;
  }
  t.counts = m.take("mbarrier::complete_tx::bytes");
  m.take("bulk_group");
  const bool multicast = m.take("multicast::cluster");
  t.store = !m.pieces().empty() && m.pieces().front() == "global";
  m.take("global");
  if (!m.take("shared::cluster") && !m.take("shared::cta")) unsupported();
  all_taken(m);
  const bool offsets = t.im2col && !t.store;
  expect_operands(t.store ? 2u : 3u + multicast + offsets, t.store ? 3u : 4u + multicast + offsets);
  const Operand& map = t.store ? o[0] : o[1];
  if (map.kind != Operand::Kind::kMemory || map.items.size() != 2)
    fail("a tensor operand is [map, {coordinates}]", "", map.at);
  const Operand& at = map.items[1];
  if ((at.kind == Operand::Kind::kVector ? at.items.size() : 1) != t.rank)
    fail(fmt::format("{} coordinates are needed here", t.rank), "", at.at);
  for (std::uint32_t k = 0; k < t.rank; ++k)
    t.at[k] = source(at.kind == Operand::Kind::kVector ? at.items[k] : at, Type::kS32);
  t.map.space = Space::kGeneric;
  address(map, t.map);
  t.tile.space = t.barrier.space = Space::kShared;
  address(t.store ? o[1] : o[0], t.tile);
  if (!t.store) address(o[2], t.barrier);
  if (offsets) {
    if (t.rank < 3) unsupported();
    const bool vector = o[3].kind == Operand::Kind::kVector;
    if ((vector ? o[3].items.size() : 1) != t.rank - 2)
      fail(fmt::format("{} offsets are needed here", t.rank - 2), "", o[3].at);
    for (std::uint32_t k = 0; k + 2 < t.rank; ++k)
      t.offset[k] = source(vector ? o[3].items[k] : o[3], Type::kU16);
  }
  if (multicast) t.multicast = source(o[3 + offsets], Type::kB16);
  emit(Kind::kTensorCopy).extra = static_cast<std::uint32_t>(code_.tensors.size());
  code_.tensors.push_back(t);
}

// tensormap.replace.tile.field{.global, .shared::cta}.b1024.type [map]{, ordinal}, value
// tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.sem.scope.sync.aligned [to],
// [from], 128
void Decoder::tensor_map(Modifiers& m) {
  const auto& o = s_->operands;
  Access a;
  a.element_bytes = 16;
  if (m.take("cp_fenceproxy")) {
    Access from = a;
    a.space = Space::kGlobal, from.space = Space::kShared;
    if (!m.take("global") || !m.take("shared::cta")) unsupported();
    m.take("tensormap::generic"), take_order(m), m.take("sync"), m.take("aligned");
    all_taken(m);
    expect_operands(3, 3);
    if (number(o[2]) != sizeof(TensorMap)) fail("a tensor map has 128 bytes", "", o[2].at);
    address(o[0], a);
    address(o[1], from);
    Inst& in = emit(Kind::kTensorMap);
    in.sub = static_cast<std::uint32_t>(MapField::kAll);
    new_access(in) = a;
    code_.accesses.push_back(from);
    return;
  }
  if (!m.take("replace") || !m.take("tile")) unsupported();
  constexpr std::pair<std::string_view, MapField> kFields[] = {
      {"global_address", MapField::kAddress},
      {"rank", MapField::kRank},
      {"box_dim", MapField::kBox},
      {"global_dim", MapField::kSize},
      {"global_stride", MapField::kStride},
      {"element_stride", MapField::kElementStride},
      {"elemtype", MapField::kType},
      {"interleave_layout", MapField::kInterleave},
      {"swizzle_mode", MapField::kSwizzle},
      {"swizzle_atomicity", MapField::kAtomicity},
      {"fill_mode", MapField::kFill}};
  MapField field = MapField::kAll;
  for (const auto& [name, f] : kFields)
    if (m.take(name)) field = f;
  if (field == MapField::kAll) unsupported();
  a.space = take_space(m, &a);
  m.take("b1024");
  const Type type = m.take_type();
  all_taken(m);
  const bool listed = field == MapField::kBox || field == MapField::kSize ||
                      field == MapField::kStride || field == MapField::kElementStride;
  expect_operands(listed ? 3 : 2, listed ? 3 : 2);
  const std::uint64_t ordinal = listed ? number(o[1]) : 0;
  if (ordinal >= (field == MapField::kStride ? 4u : 5u))
    fail("a tensor map has five dimensions", "", o[1].at);
  address(o[0], a);
  const std::uint32_t value =
      source(o[listed ? 2 : 1], size_of(type) == 8 ? Type::kB64 : Type::kB32);
  Inst& in = emit(Kind::kTensorMap);
  in.sub = static_cast<std::uint32_t>(field);
  in.a = value, in.target = static_cast<std::uint32_t>(ordinal), in.negate_c = size_of(type) == 8;
  new_access(in) = a;
}

}  // namespace warpmem::emulate
