// Fetches of textures and accesses of surfaces, of machine code.
#include <fmt/format.h>

#include "emulate/sass/decoder.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kRow = 128;

}  // namespace

// The handle in two uniform registers; behind it stands what of it is fixed, 0.
void MachineDecoder::texture_object(TextureAccess& t, std::size_t i) {
  if (at(i).kind != Operand::Kind::kUniformRegister)
    unknown(fmt::format("its operand {} is no handle", at(i).text));
  t.object = joined(source(i, 2));
}

// TEX.LL RZ, R9, coordinates, level, handle, 0x0, 2D, channels; TLD.LZ: whole coordinates, no level
void MachineDecoder::texture() {
  TextureAccess t;
  t.what = TextureAccess::What::kSample;
  t.whole = line_->opcode == "TLD";
  const bool level = has("LL");
  if (!level && !has("LZ")) unknown("its level is taken from neighbouring lanes");
  expect(level ? 8 : 7, level ? 8 : 7);
  std::size_t i = 2;
  const std::uint32_t at_ = source(i++, 3);
  const std::uint32_t by = level ? source(i++) : zero_;
  texture_object(t, i++);
  if (number(i++) != 0) unknown("its handle has a fixed part");
  const std::string& geometry = at(i++).text;
  if (geometry != "1D" && geometry != "2D" && geometry != "3D")
    unknown(fmt::format("its geometry {} is not known", geometry));
  t.dimensions = static_cast<std::uint32_t>(geometry[0] - '0');
  const std::uint32_t channels = number(i++);
  for (std::uint32_t k = 0; k < t.dimensions; ++k) t.at[k] = at_ + k * kRow;
  t.level = by;
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

// SULD.D.BA.2D.TRAP R0, [coordinates], handle, 0x0; SUST.… [coordinates], R0, handle, 0x0
void MachineDecoder::surface() {
  expect(4, 4);
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
  texture_object(t, 2);
  if (number(3) != 0) unknown("its handle has a fixed part");
  Inst& in = emit(Kind::kTexture);
  in.extra = static_cast<std::uint32_t>(code_.textures.size());
  code_.textures.push_back(t);
}

}  // namespace warpmem::emulate
