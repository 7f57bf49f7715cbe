#include <fmt/format.h>

#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {
namespace {

// Coordinates of a geometry, without the layer and the padding that some have.
std::uint32_t dimensions_of(std::string_view g) {
  return g == "1d" || g == "a1d" ? 1 : g == "3d" || g == "cube" || g == "acube" ? 3 : 2;
}

}  // namespace

bool Decoder::texture(Modifiers& m) {
  const std::string_view b = m.base();
  if (b == "tex" || b == "tld4") return fetch(m), true;
  if (b == "suld" || b == "sust" || b == "sured") return surface(m), true;
  if (b == "txq" || b == "suq") return query(m), true;
  if (b == "istypep") unsupported();
  return false;
}

// [object, {coordinates}]: the object's register, then layer and coordinates.
void Decoder::texture_address(const Operand& o, TextureAccess& t, Type coordinates) {
  if (o.kind != Operand::Kind::kMemory || o.items.size() != 2)
    fail(
        "a texture operand is [object, {coordinates}]: objects with samplers of their own are not "
        "supported",
        "", o.at);
  const Operand& object = o.items[0];
  if (object.kind != Operand::Kind::kRegister) unsupported("a texture reference");
  t.object = source(object, Type::kU64);
  const Operand& at = o.items[1];
  const bool vector = at.kind == Operand::Kind::kVector;
  const std::size_t given = vector ? at.items.size() : 1,
                    needed = t.dimensions + (t.layered ? 1u : 0u);
  if (given < needed) fail(fmt::format("{} coordinates are needed here", needed), "", at.at);
  for (std::size_t i = 0; i < needed; ++i) {
    const Operand& item = vector ? at.items[i] : at;
    if (t.layered && i == 0) t.layer = source(item, Type::kU32);
    else
      t.at[i - (t.layered ? 1 : 0)] =
          source(item, coordinates == Type::kF32 ? Type::kF32 : Type::kB32);
  }
}

// tex{.level,.grad,.base}.geometry.v4.result.coordinates d, [object, c]{, level or gradients};
// tld4.channel
void Decoder::fetch(Modifiers& m) {
  TextureAccess t;
  const auto& o = s_->operands;
  if (m.base() == "tld4") {
    const std::string_view channel = m.take_one_of({"r", "g", "b", "a"});
    if (channel.empty()) unsupported();
    t.what = TextureAccess::What::kGather;
    t.channel = static_cast<std::uint8_t>(std::string_view("rgba").find(channel));
  }
  const bool level = m.take("level"), gradients = m.take("grad");
  m.take("base");
  const std::string_view geometry =
      m.take_one_of({"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  const Type coordinates = m.take_type(), result = m.take_type();
  const std::string_view vector = m.take_one_of({"v4", "v2"});
  all_taken(m);
  expect_operands(2, 5);
  if (geometry.empty() || (coordinates != Type::kF32 && coordinates != Type::kS32)) unsupported();
  const bool halves = result == Type::kF16x2;
  if (vector != (halves ? "v2" : "v4") ||
      (!halves && result != Type::kF32 && result != Type::kU32 && result != Type::kS32))
    unsupported();
  t.halves = halves;
  t.dimensions = dimensions_of(geometry), t.layered = geometry[0] == 'a';
  t.whole = coordinates == Type::kS32;
  texture_address(o[1], t, coordinates);
  if (level) t.level = source(o.at(2), t.whole ? Type::kB32 : Type::kF32);
  if (gradients) {  // of isotropic filtering only their length counts
    for (std::size_t g = 0; g < 2; ++g) {
      const Operand& v = o.at(2 + g);
      for (std::size_t i = 0; i < t.dimensions; ++i)
        t.gradient[g][i] = source(v.kind == Operand::Kind::kVector ? v.items.at(i) : v, Type::kF32);
    }
    t.has_gradients = true;
  }
  const Operand* d = &o[0];
  if (d->kind == Operand::Kind::kPair) {
    t.resident = predicate(d->items[1]);
    d = &d->items[0];
  }
  if (d->kind != Operand::Kind::kVector || d->items.size() != (halves ? 2u : 4u))
    fail("a texture's result is a vector", "", d->at);
  for (std::size_t i = 0; i < d->items.size(); ++i)
    t.value[i] = dest(d->items[i], result == Type::kF32 ? Type::kF32 : Type::kB32);
  emit(Kind::kTexture).extra = static_cast<std::uint32_t>(code_.textures.size());
  code_.textures.push_back(t);
}

// suld.b.geometry{.vector}.type.mode d, [object, c]; sust.b, sust.p; sured.b.op.geometry.type.mode
void Decoder::surface(Modifiers& m) {
  TextureAccess t;
  const auto& o = s_->operands;
  const std::string_view b = m.base();
  const bool load = b == "suld", reduces = b == "sured";
  t.what = load      ? TextureAccess::What::kSurfaceLoad
           : reduces ? TextureAccess::What::kSurfaceReduce
                     : TextureAccess::What::kSurfaceStore;
  const bool formatted = m.take("p");
  if (!formatted && !m.take("b")) unsupported();
  if (formatted) unsupported(".p");
  if (reduces) {
    constexpr std::pair<std::string_view, AtomicOp> kOps[] = {{"add", AtomicOp::kAdd},
                                                              {"min", AtomicOp::kMin},
                                                              {"max", AtomicOp::kMax},
                                                              {"and", AtomicOp::kAnd},
                                                              {"or", AtomicOp::kOr}};
    for (const auto& [name, op] : kOps)
      if (m.take(name)) t.reduction = op;
    if (t.reduction == AtomicOp::kNone) unsupported();
  }
  const std::string_view geometry = m.take_one_of({"1d", "2d", "3d", "a1d", "a2d"});
  m.take_one_of({"ca", "cg", "cs", "cv", "wb", "wt"});
  const std::string_view mode = m.take_one_of({"trap", "clamp", "zero"});
  t.type = m.take_type();
  const std::string_view vector = m.take_one_of({"v2", "v4"});
  all_taken(m);
  expect_operands(2, 2);
  if (geometry.empty() || t.type == Type::kNone || size_of(t.type) > 8) unsupported();
  t.bounds = mode == "clamp"  ? TextureAccess::Bounds::kClamp
             : mode == "zero" ? TextureAccess::Bounds::kZero
                              : TextureAccess::Bounds::kTrap;
  t.dimensions = dimensions_of(geometry), t.layered = geometry[0] == 'a', t.whole = true;
  t.elements = vector.empty() ? 1 : static_cast<std::uint8_t>(vector[1] - '0');
  texture_address(load ? o[1] : o[0], t, Type::kS32);
  const Operand& values = load ? o[0] : o[1];
  if ((values.kind == Operand::Kind::kVector ? values.items.size() : 1) != t.elements)
    fail(fmt::format("{} values are needed here", t.elements), "", values.at);
  for (std::size_t i = 0; i < t.elements; ++i) {
    const Operand& item = values.kind == Operand::Kind::kVector ? values.items[i] : values;
    t.value[i] = load ? dest(item, t.type, true) : source(item, t.type, true);
    t.value_bytes = static_cast<std::uint8_t>(item.kind == Operand::Kind::kRegister
                                                  ? register_bytes(item)
                                                  : std::max(2u, size_of(t.type)));
  }
  emit(Kind::kTexture).extra = static_cast<std::uint32_t>(code_.textures.size());
  code_.textures.push_back(t);
}

// txq{.level}.what.b32 d, [object]{, level}
void Decoder::query(Modifiers& m) {
  constexpr std::string_view kWhat[] = {"width",         "height",
                                        "depth",         "channel_data_type",
                                        "channel_order", "normalized_coords",
                                        "array_size",    "num_mipmap_levels",
                                        "num_samples"};
  TextureAccess t;
  t.what = TextureAccess::What::kQuery;
  const bool level = m.take("level");
  t.channel = 255;
  for (std::uint8_t i = 0; i < std::size(kWhat); ++i)
    if (m.take(kWhat[i])) t.channel = i;
  m.take("b32");
  all_taken(m);
  expect_operands(level ? 3 : 2, level ? 3 : 2);
  if (t.channel > 2 && t.channel != 5 && t.channel != 6 && t.channel != 7) unsupported();
  const Operand& where = s_->operands[1];
  if (where.kind != Operand::Kind::kMemory || where.items[0].kind != Operand::Kind::kRegister)
    unsupported("a texture reference");
  t.object = source(where.items[0], Type::kU64);
  if (level) t.level = source(s_->operands[2], Type::kB32);
  t.value[0] = dest(s_->operands[0], Type::kB32);
  emit(Kind::kTexture).extra = static_cast<std::uint32_t>(code_.textures.size());
  code_.textures.push_back(t);
}

}  // namespace warpmem::emulate
