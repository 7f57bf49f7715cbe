// Fetches of textures and accesses of surfaces, of machine code.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128, kAllChannels = 15;

struct Geometry {
  std::string_view name;
  std::uint32_t dimensions;
  bool layered;
};
constexpr Geometry kGeometries[] = {
    {"1D", 1, false},      {"2D", 2, false},      {"3D", 3, false},       {"CUBE", 3, false},
    {"ARRAY_1D", 1, true}, {"ARRAY_2D", 2, true}, {"ARRAY_CUBE", 3, true}};

}  // namespace

// The handle in two uniform registers, perhaps with 0 behind it; or 0 and its place in bank 0, in
// words. What it stands before.
std::size_t MachineDecoder::texture_object(TextureAccess& t, std::size_t i) {
  const bool uniform = at(i).kind == Operand::Kind::kUniformRegister;
  if (uniform) t.object = joined(source(i++, 2));
  if (uniform && (i == count() || at(i).kind != Operand::Kind::kInteger)) return i;
  if (number(i++) != 0) unknown("its handle has a fixed part");
  if (!uniform) t.object = joined(bank_row(0, 4 * number(i++), 2));
  return i;
}

// TEX.LL RZ, R9, coordinates, level, handle, 2D[, channels]; TLD.LZ: whole coordinates, no level;
// .SCR: coordinates and level in two pairs of registers. Of an array the layer is the first
// coordinate. TLD4.B R6, R4, coordinates, handle, 2D: one channel of four texels
void MachineDecoder::texture() {
  TextureAccess t;
  t.what = TextureAccess::What::kSample;
  t.whole = line_->opcode == "TLD";
  const bool gathers = line_->opcode == "TLD4";
  if (gathers) {
    t.what = TextureAccess::What::kGather;
    constexpr std::string_view kChannels[] = {"R", "G", "B", "A"};
    std::uint8_t named = 0;
    for (std::uint8_t k = 0; k < 4; ++k)
      if (has(kChannels[k])) t.channel = k, ++named;
    if (named != 1) unknown("it does not say which channel it gathers");
  }
  const bool level = has("LL");
  // Since 12.0 that is how tex without a level is written.
  if (!level && !gathers && !has("LZ") && (request_.cc < 120 || t.whole))
    unknown("its level is taken from neighbouring lanes");
  if (count() < 5) unknown("an operand is missing");
  const bool some = at(count() - 1).kind == Operand::Kind::kInteger;
  const std::size_t which_geometry = count() - (some ? 2 : 1);
  const std::string& geometry = at(which_geometry).text;
  const auto* known = std::ranges::find(kGeometries, geometry, &Geometry::name);
  if (known == std::end(kGeometries) || (gathers && geometry != "2D"))
    unknown(fmt::format("its geometry {} is not known", geometry));
  t.dimensions = known->dimensions, t.layered = known->layered;
  const std::uint32_t channels = some ? number(count() - 1) : kAllChannels;
  const std::size_t end = texture_coordinates(t, level);
  if (texture_object(t, end) != which_geometry) unknown("it has other operands than are known");
  // Results go to the second register and the one behind it, then to the first.
  std::uint32_t next = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {
    const bool wanted = channels >> k & 1;
    const std::uint32_t which = next / 2 ? 0 : 1;
    t.value[k] = !wanted ? sink_ + 4 * kRow : dest(which, 2) + next % 2 * kRow;
    next += wanted ? 1 : 0;
  }
  Inst& in = emit(Kind::kTexture);
  in.extra = static_cast<std::uint32_t>(code_.textures.size());
  code_.textures.push_back(t);
}

// Where they and the level lie; what they stand before.
std::size_t MachineDecoder::texture_coordinates(TextureAccess& t, bool level) {
  t.level = zero_;
  const std::uint32_t layer = t.layered ? 1 : 0, given = layer + t.dimensions;
  if (!has("SCR")) {
    const std::uint32_t first = source(2, given);
    if (t.layered) t.layer = first;
    for (std::uint32_t k = 0; k < t.dimensions; ++k)
      t.at[k] = first == zero_ ? zero_ : first + (layer + k) * kRow;
    if (level) t.level = source(3);
    return level ? 4 : 3;
  }
  // Two in the first pair, two in the other, as far as there are more than two.
  const std::uint32_t all = given + (level ? 1u : 0u);
  if (all > 4 || line_->opcode == "TLD4") unknown("where its coordinates are is not known");
  if (all == 2 && level) unknown("where its level is, is not known");
  const std::uint32_t first = source(2, 2), second = all > 2 ? source(3, 2) : zero_;
  const auto value = [&](std::uint32_t k) {
    return k < 2 ? first + k * kRow : second + (k - 2) * kRow;
  };
  if (t.layered) t.layer = value(0);
  for (std::uint32_t k = 0; k < t.dimensions; ++k) t.at[k] = value(layer + k);
  if (level) t.level = value(given);
  return all > 2 ? 4 : 3;
}

// SULD.D.BA.2D.TRAP R0, [coordinates], handle; SUST.… [coordinates], R0, handle
void MachineDecoder::surface() {
  const bool loads = line_->opcode == "SULD";
  TextureAccess t;
  t.what = loads ? TextureAccess::What::kSurfaceLoad : TextureAccess::What::kSurfaceStore;
  if (!has("D") || !has("BA") || !has("TRAP")) unknown("its mode is not known");
  t.dimensions = has("1D") ? 1 : has("2D") ? 2 : has("3D") ? 3 : 0;
  if (t.dimensions == 0) unknown("it does not say how many dimensions it has");
  t.whole = true, t.type = Type::kB32;
  t.elements = has("128") ? 4 : has("64") ? 2 : 1;
  if (has("U8") || has("S8") || has("U16") || has("S16"))
    unknown("its elements are narrower than 32 bits");
  const Operand& where = at(loads ? 1 : 0);
  if (where.kind != Operand::Kind::kMemory || where.base == trace::kNoRegister ||
      where.uniform != trace::kNoRegister || where.value != 0)
    unknown(fmt::format("its operand {} is no coordinates", where.text));
  for (std::uint32_t k = 0; k < t.dimensions; ++k) t.at[k] = reg(where.base) + k * kRow;
  const std::uint32_t values = loads ? dest(0, t.elements) : source(1, t.elements);
  for (std::uint32_t k = 0; k < t.elements; ++k) t.value[k] = values + k * kRow;
  t.value_bytes = 4;
  if (texture_object(t, 2) != count()) unknown("it has other operands than are known");
  Inst& in = emit(Kind::kTexture);
  in.extra = static_cast<std::uint32_t>(code_.textures.size());
  code_.textures.push_back(t);
}

}  // namespace warpmem::emulate
