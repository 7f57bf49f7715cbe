// What a texture unit makes of coordinates: texels, filtered or not, and where they lie.
//
// Coordinates become 8 bits of fraction for the filter, as the CUDA guide says; what it leaves open
// (how those bits are rounded, how half an image wraps) is as an H200 does it
// (tests/emulate/hardware).
#pragma once

#include <array>
#include <cstdint>

#include "emulate/executor/memory.hpp"
#include "emulate/executor/texture.hpp"

namespace warpmem::emulate {

// Up to eight texels of one fetch; `valid` ones are inside the image.
struct Texels {
  std::uint32_t count = 0;
  // Bit i: the texture unit reads texel i. It leaves those out that have no weight because a
  // coordinate meets a texel's centre (measured: filters there touch the sectors of one texel).
  std::uint32_t read = 0;
  std::array<std::uint64_t, 8> address{};  // 0: the border
  std::array<float, 8> weight{};
};

struct Fetch {
  const TextureImage* image = nullptr;
  std::array<float, 3> at{};  // x, y, z, or direction of a cubemap
  std::uint32_t dimensions = 1;
  std::uint32_t layer = 0;  // of a layered texture, already clamped
  bool whole = false;       // `at` holds texel numbers
  bool gather = false;      // tld4: the four neighbours, unfiltered
};

Texels locate(const Texture& texture, const Fetch& fetch);
// The images of a level of detail: the nearest one, or, where levels are blended, the two beside it
// and the share of the second, in 256ths as an H200 has it.
struct Levels {
  const TextureImage* image = nullptr;
  const TextureImage* next = nullptr;  // null: one image is all
  float share = 0;
};
Levels levels_of(const Texture& texture, float lod);

// One texel's channels, missing ones 0 0 0 1: numbers as 32-bit patterns, or floats when the
// texture reads as floats.
std::array<std::uint32_t, 4> texel(const Texture& texture, const Memory& memory,
                                   std::uint64_t address);
bool reads_floats(const Texture& texture);
// The filtered result (or the one texel) as four 32-bit patterns.
std::array<std::uint32_t, 4> filtered(const Texture& texture, const Memory& memory,
                                      const Texels& texels);

}  // namespace warpmem::emulate
