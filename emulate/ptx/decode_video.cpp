#include <fmt/format.h>

#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::pair<std::string_view, VideoOp> kOps[] = {
    {"vadd", VideoOp::kAdd}, {"vsub", VideoOp::kSub}, {"vabsdiff", VideoOp::kAbsdiff},
    {"vmin", VideoOp::kMin}, {"vmax", VideoOp::kMax}, {"vavrg", VideoOp::kAverage},
    {"vset", VideoOp::kSet}, {"vshl", VideoOp::kShl}, {"vshr", VideoOp::kShr},
    {"vmad", VideoOp::kMad}};

}  // namespace

// vadd.d.a.b{.sat}{.second} d{.part}, a{.part}, b{.part}{, c}; vadd2 and vadd4 on parts.
bool Decoder::video(Modifiers& m) {
  std::string_view base = m.base();
  Video v{};
  v.parts = 1;
  if (base.ends_with('2') || base.ends_with('4')) {
    v.parts = static_cast<std::uint8_t>(base.back() - '0');
    base.remove_suffix(1);
  }
  bool known = false;
  for (const auto& [name, op] : kOps)
    if (name == base) v.op = op, known = true;
  if (!known) return false;
  const auto sign = [&] {
    const std::string_view t = m.left();
    if (t != "u32" && t != "s32") unsupported();
    m.take(t);
    return t == "s32";
  };
  v.signed_d = v.op == VideoOp::kSet ? false : sign();
  v.signed_a = sign();
  v.signed_b = sign();
  v.saturate = m.take("sat");
  if (v.op == VideoOp::kSet) {
    constexpr std::string_view kComparisons[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    v.mode = 6;
    for (std::uint8_t i = 0; i < 6; ++i)
      if (m.take(kComparisons[i])) v.mode = i;
    if (v.mode == 6) unsupported();
  }
  if (v.op == VideoOp::kShl || v.op == VideoOp::kShr) {
    const std::string_view mode = m.take_one_of({"wrap", "clamp"});
    if (mode.empty()) unsupported();
    v.mode = mode == "wrap";
  }
  if (v.saturate && (v.op == VideoOp::kShl || v.op == VideoOp::kMad))
    unsupported(".sat");  // hardware's differ from the manual
  const std::string_view second = m.take_one_of({"add", "min", "max"});
  v.second = second == "add" ? 1 : second == "min" ? 2 : second == "max" ? 3 : 0;
  if (v.second > 1)
    unsupported(second);  // what hardware compares there is not what the manual says
  all_taken(m);
  const auto& o = s_->operands;
  expect_operands(3, 4);
  const bool merges = o.size() == 4;
  v.part_d = o[0].part, v.part_a = o[1].part, v.part_b = o[2].part;
  if ((v.parts > 1 || v.op == VideoOp::kMad || v.second != 0 || v.part_d != 0) != merges)
    fail(fmt::format("{} has {} operands", s_->opcode, o.size()));
  if (v.parts > 1 && (v.part_d || v.part_a || v.part_b)) unsupported();
  for (const Operand& x : o)
    if (x.minus) unsupported("-");
  const std::uint32_t a = source(o[1], Type::kU32), b = source(o[2], Type::kU32),
                      c = merges ? source(o[3], Type::kU32) : kNoOffset;
  Inst& in = emit_handler(v.parts > 1 ? "video.parts" : "video");
  in.a = a, in.b = b, in.c = c, in.d = dest(o[0], Type::kU32), in.sub = v.pack();
  return true;
}

}  // namespace warpmem::emulate
