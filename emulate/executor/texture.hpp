// Textures and surfaces as the executor reads them: where the texels lie, what they are, and how
// coordinates become texels. Whoever creates an object fills a Texture and adds it to the table
// that goes with a launch (LaunchShape::textures); the handle that add() gives is what the kernel
// holds in its 64-bit texture or surface object.
//
// Here texels lie row after row: texel (x, y, z) begins at base + x * texel_bytes() + y * row_bytes
// + z * slice_bytes. z is the depth of a 3-D image, or the layer, or the layer * 6 + face of a
// cubemap. A GPU tiles its arrays, and that is what the trace shows: TextureImage::place().
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpmem::emulate {

struct TextureImage {
  std::uint64_t base = 0;         // device address
  std::uint64_t bytes = 0;        // of the memory it may touch
  std::uint64_t row_bytes = 0;    // from a row to the next
  std::uint64_t slice_bytes = 0;  // from a slice, layer or face to the next
  std::uint32_t width = 0;        // texels; at least 1
  std::uint32_t height = 0;       // 0: one-dimensional
  std::uint32_t depth = 0;        // 0: no third dimension
  std::uint32_t layers = 0;       // 0: not layered; of a cubemap: layers, each of 6 faces
  bool cubemap = false;
  bool tiled = false;  // an array of CUDA's, which a GPU keeps in blocks

  // Where a GPU keeps what lies here at a device address of this image: in tiles of 64 bytes by 8
  // rows, in which 32 bytes are 16 of one row and 16 of the next (measured: the sectors that
  // fetches touch, kernels/micro/texture_reads.cu). Tiles of a column follow one another, up to 16
  // of them (ours: what lies behind what beyond a tile is not known).
  std::uint64_t place(std::uint64_t address) const;
  // Bytes that an array of rows of so many bytes takes in tiles.
  static std::uint64_t tiled_bytes(std::uint64_t row_bytes, std::uint64_t rows,
                                   std::uint64_t slices);
};

enum class TexelKind : std::uint8_t { kSigned, kUnsigned, kFloat };
// Numbered as cudaTextureAddressMode is.
enum class AddressMode : std::uint8_t { kWrap, kClamp, kMirror, kBorder };

struct Texture {
  // Of a mipmap one image a level; else one.
  std::vector<TextureImage> levels;
  std::uint32_t channels = 1;       // 1, 2 or 4
  std::uint32_t channel_bits = 32;  // 8, 16 or 32; of floats 16 or 32
  TexelKind kind = TexelKind::kFloat;

  // Sampling; a surface has none of it.
  bool surface = false;
  bool linear_memory = false;  // a buffer of texels, fetched by integer coordinate (tex1Dfetch)
  std::array<AddressMode, 3> address{AddressMode::kClamp, AddressMode::kClamp, AddressMode::kClamp};
  bool linear_filter = false;           // else the nearest texel
  bool normalised_coordinates = false;  // [0, 1) over each dimension; wrap and mirror need it
  bool normalised_read = false;  // 8- and 16-bit integers are read as floats in [0, 1] or [-1, 1]
  bool srgb = false;             // 8-bit values are read through the sRGB curve
  bool linear_mipmap_filter = false;
  float mipmap_bias = 0, mipmap_min = 0, mipmap_max = 0;
  std::array<float, 4> border{};

  std::uint32_t texel_bytes() const { return channels * channel_bits / 8; }
};

class TextureTable {
 public:
  std::uint64_t add(Texture texture) {
    objects_.emplace(++last_, std::move(texture));
    return last_;
  }
  bool remove(std::uint64_t handle) { return objects_.erase(handle) != 0; }
  // Null: no such object, or it has been destroyed.
  const Texture* find(std::uint64_t handle) const {
    const auto at = objects_.find(handle);
    return at == objects_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::uint64_t, Texture> objects_;
  std::uint64_t last_ = 0;  // a handle is never used twice, and 0 is none
};

}  // namespace warpmem::emulate
