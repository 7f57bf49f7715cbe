// Texture and surface fetches held against hardware: what is fetched from, how, and where.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::emulate::hardware {

constexpr std::uint32_t kFetches = 512;  // of each case; a result is four 32-bit words

struct TextureCase {
  std::string name;
  std::string geometry;  // PTX: 1d, 2d, 3d, a1d, a2d, cube
  std::string kind;      // of the fetch: "tex" by floats, "fetch" by integers, "tld4.r" …, "lod"
  std::string format;    // of a texel: f32, f32x4, u8x4, s8x2, u16x1, s16x2, u32x1, s32x2, f16x4
  std::uint32_t width = 1, height = 0, depth = 0;  // depth: layers when layered, 6 faces of a cube
  bool linear = false, normalised = false,
       as_float = false;       // as_float: 8 and 16 bits read as 0…1 or -1…1
  int address[3] = {0, 0, 0};  // 0 wrap, 1 clamp, 2 mirror, 3 border
  bool whole = false;          // texels are small whole numbers
  std::uint32_t channels() const {
    return static_cast<std::uint32_t>(format.back() - '0') < 5 && format[format.size() - 2] == 'x'
               ? static_cast<std::uint32_t>(format.back() - '0')
               : 1;
  }
  std::uint32_t channel_bytes() const;
  std::uint32_t texel_bytes() const { return channels() * channel_bytes(); }
  std::uint64_t texels() const {
    return std::uint64_t{width} * (height ? height : 1) * (depth ? depth : 1);
  }
  bool layered() const { return geometry[0] == 'a'; }
};

const std::vector<TextureCase>& texture_cases();
std::vector<std::uint8_t> texels_of(const TextureCase& c);
// Four floats a fetch: x, y, z and the layer (as a number); what the geometry does not need is
// there anyway.
std::vector<float> coordinates_of(const TextureCase& c);
// Kernels "t0", "t1" …: t(d, texture, coordinates), kFetches threads.
std::string texture_module();

}  // namespace warpmem::emulate::hardware
