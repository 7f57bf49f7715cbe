#include "emulate/executor/sample.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "emulate/executor/half.hpp"

namespace warpmem::emulate {
namespace {

// A texel's number in a dimension of n, by the address mode; -1: the border.
std::int64_t addressed(std::int64_t i, std::int64_t n, AddressMode mode, bool normalised) {
  if (i >= 0 && i < n) return i;
  if (!normalised && (mode == AddressMode::kWrap || mode == AddressMode::kMirror))
    mode = AddressMode::kClamp;
  switch (mode) {
    case AddressMode::kWrap: return ((i % n) + n) % n;
    case AddressMode::kMirror: {
      const std::int64_t period = ((i % (2 * n)) + 2 * n) % (2 * n);
      return period < n ? period : 2 * n - 1 - period;
    }
    case AddressMode::kBorder: return -1;
    default: return i < 0 ? 0 : n - 1;
  }
}

// The whole number at or below v, which is far from 63 bits. (std::floor is a call where the
// processor's rounding instruction may not be assumed.)
std::int64_t whole_below(double v) {
  const auto i = static_cast<std::int64_t>(v);
  return i - static_cast<std::int64_t>(static_cast<double>(i) > v);
}

struct Axis {
  std::int64_t first = 0, second = 0;
  std::uint32_t fraction = 0;  // of the second, in 256ths
};

// Coordinates in texels, far ones brought near enough for whole numbers.
Axis along(float at, std::uint32_t size, AddressMode mode, bool normalised, const Fetch& f,
           bool linear) {
  const auto n = static_cast<std::int64_t>(size);
  double x = f.whole ? 0 : static_cast<double>(at);
  if (f.whole) {
    const auto i = std::bit_cast<std::int32_t>(at);
    return {addressed(i, n, AddressMode::kBorder, false), -1, 0};
  }
  if (x != x) x = 0;
  if (normalised && !std::isfinite(x)) x = 0;
  x = std::clamp(x, -1e9, 1e9);
  // Normalised coordinates are cut to 21 bits behind the point before they are multiplied.
  if (normalised)
    x = static_cast<double>(whole_below(x * 0x1p21)) * 0x1p-21 * static_cast<double>(n);
  const auto fixed = [&](double v) { return whole_below(v * 256 + 0.5); };
  if (!linear) {
    const auto i = whole_below(x);
    return {addressed(i, n, mode, normalised), -1, 0};
  }
  const std::int64_t p = fixed(x) - 128;
  const std::int64_t i = p >> 8;
  return {addressed(i, n, mode, normalised), addressed(i + 1, n, mode, normalised),
          static_cast<std::uint32_t>(p & 255)};
}

// Weights in 256ths. Products of fractions are rounded, and what a corner gets more its neighbours
// get less, so that the weights of a side still add up to that side's fraction.
void split(const Axis* axes, std::uint32_t dimensions, std::int32_t* weights) {
  const auto product = [](std::int32_t a, std::int32_t b) { return (a * b + 128) >> 8; };
  const auto a = static_cast<std::int32_t>(axes[0].fraction),
             b = static_cast<std::int32_t>(axes[1].fraction),
             c = static_cast<std::int32_t>(axes[2].fraction);
  const std::int32_t ab = product(a, b), ac = product(a, c), bc = product(b, c);
  const std::int32_t abc = (a * b * c + 32768) >> 16;
  if (dimensions == 1) {
    weights[0] = 256 - a, weights[1] = a;
  } else if (dimensions == 2) {
    weights[3] = ab, weights[1] = a - ab, weights[2] = b - ab, weights[0] = 256 - a - b + ab;
  } else {
    weights[7] = abc, weights[3] = ab - abc, weights[5] = ac - abc, weights[6] = bc - abc;
    weights[1] = a - ab - ac + abc, weights[2] = b - ab - bc + abc, weights[4] = c - ac - bc + abc;
    weights[0] = 256 - a - b - c + ab + ac + bc - abc;
  }
}

// The face that a direction meets, and where, in [-1, 1].
void face_of(const std::array<float, 3>& d, std::uint32_t& face, float& s, float& t) {
  const float ax = std::fabs(d[0]), ay = std::fabs(d[1]), az = std::fabs(d[2]);
  float m, u, v;
  if (az >= ax && az >= ay)
    face = d[2] >= 0 ? 4 : 5, m = az, u = d[2] >= 0 ? d[0] : -d[0], v = -d[1];
  else if (ay >= ax) face = d[1] >= 0 ? 2 : 3, m = ay, u = d[0], v = d[1] >= 0 ? d[2] : -d[2];
  else face = d[0] >= 0 ? 0 : 1, m = ax, u = d[0] >= 0 ? -d[2] : d[2], v = -d[1];
  s = (u / m + 1) / 2, t = (v / m + 1) / 2;
}

// A byte as a float in [0, 1] or [-1, 1].
float byte_as_float(std::int64_t v, bool is_signed) {
  static const auto kTables = [] {
    std::array<std::array<float, 256>, 2> t{};
    for (std::size_t i = 0; i < 256; ++i) {
      t[0][i] = static_cast<float>(i) / 255.0f;
      t[1][i] = std::max(-1.0f, static_cast<float>(static_cast<std::int8_t>(i)) / 127.0f);
    }
    return t;
  }();
  return kTables[is_signed][static_cast<std::uint8_t>(v)];
}

float srgb(float v) { return v <= 0.04045f ? v / 12.92f : std::pow((v + 0.055f) / 1.055f, 2.4f); }

}  // namespace

Levels levels_of(const Texture& texture, float lod) {
  if (texture.levels.size() == 1) return {&texture.levels[0], nullptr, 0};
  const float biased = std::clamp(lod + texture.mipmap_bias, texture.mipmap_min,
                                  std::max(texture.mipmap_min, texture.mipmap_max));
  const std::size_t last = texture.levels.size() - 1;
  const float level = biased != biased ? 0 : std::clamp(biased, 0.0f, static_cast<float>(last));
  const auto fixed = static_cast<std::size_t>(std::floor(level * 256 + 0.5f));
  if (!texture.linear_mipmap_filter || fixed % 256 == 0)
    return {&texture.levels[static_cast<std::size_t>(std::floor(level + 0.5f))], nullptr, 0};
  return {&texture.levels[fixed / 256], &texture.levels[fixed / 256 + 1],
          static_cast<float>(fixed % 256) / 256};
}

Texels locate(const Texture& t, const Fetch& f) {
  const TextureImage& image = *f.image;
  const bool linear = f.gather || (t.linear_filter && !f.whole);
  std::array<float, 3> at = f.at;
  std::uint32_t slice = f.layer, dimensions = f.dimensions;
  bool normalised = t.normalised_coordinates;
  if (image.cubemap) {
    std::uint32_t face = 0;
    face_of(f.at, face, at[0], at[1]);
    slice = f.layer * 6 + face;
    dimensions = 2;
    normalised = true;
  }
  Axis axes[3];
  const std::uint32_t sizes[3] = {image.width, image.height, image.depth};
  for (std::uint32_t k = 0; k < dimensions; ++k)
    axes[k] = along(at[k], std::max(1u, sizes[k]),
                    image.cubemap ? AddressMode::kClamp : t.address[k], normalised, f, linear);
  const auto address = [&](std::int64_t x, std::int64_t y, std::int64_t z) -> std::uint64_t {
    if (x < 0 || y < 0 || z < 0) return 0;
    return image.base + static_cast<std::uint64_t>(x) * t.texel_bytes() +
           static_cast<std::uint64_t>(y) * image.row_bytes +
           (static_cast<std::uint64_t>(z) + slice) * image.slice_bytes;
  };
  Texels out;
  if (f.gather) {  // counter-clockwise from the lower left, as textureGather has it
    out.count = 4, out.read = 15;
    const std::int64_t xs[4] = {axes[0].first, axes[0].second, axes[0].second, axes[0].first};
    const std::int64_t ys[4] = {axes[1].second, axes[1].second, axes[1].first, axes[1].first};
    for (std::uint32_t i = 0; i < 4; ++i) out.address[i] = address(xs[i], ys[i], 0);
    return out;
  }
  if (!linear) {
    out.count = out.read = 1;
    out.weight[0] = 1;
    out.address[0] = address(axes[0].first, dimensions > 1 ? axes[1].first : 0,
                             dimensions > 2 ? axes[2].first : 0);
    return out;
  }
  // An image of one row is filtered across it too, where the second dimension has a border.
  if (dimensions == 1 && image.layers == 0 && !t.linear_memory &&
      t.address[1] == AddressMode::kBorder)
    axes[1] = {-1, 0, 128}, dimensions = 2;
  out.count = 1u << dimensions;
  std::int32_t weights[8];
  split(axes, dimensions, weights);
  for (std::uint32_t i = 0; i < out.count; ++i) {
    std::int64_t where[3] = {0, 0, 0};
    bool weighs = true;
    for (std::uint32_t k = 0; k < dimensions; ++k) {
      const bool second = i >> k & 1;
      where[k] = second ? axes[k].second : axes[k].first;
      weighs = weighs && !(second && axes[k].fraction == 0);
    }
    out.read |= static_cast<std::uint32_t>(weighs) << i;
    out.address[i] = address(where[0], where[1], where[2]);
    out.weight[i] = static_cast<float>(weights[i]) / 256.0f;
  }
  return out;
}

bool reads_floats(const Texture& t) { return t.kind == TexelKind::kFloat || t.normalised_read; }

std::array<std::uint32_t, 4> texel(const Texture& t, const Memory& memory, std::uint64_t address) {
  std::array<std::uint32_t, 4> out{};
  if (address != 0 && t.channel_bits == 32) {
    if (t.channels == 1 && t.kind == TexelKind::kFloat)
      return std::memcpy(out.data(), memory.host(address), 4), out;
    std::memcpy(out.data(), memory.host(address), t.channels * std::size_t{4});
    if (!t.normalised_read || t.kind == TexelKind::kFloat) return out;
  }
  const bool floats = reads_floats(t);
  std::uint64_t packed = 0;  // all channels of 8 or 16 bits
  if (address != 0 && t.channel_bits < 32) {
    const std::byte* from = memory.host(address);
    switch (t.texel_bytes()) {
      case 1: std::memcpy(&packed, from, 1); break;
      case 2: std::memcpy(&packed, from, 2); break;
      case 4: std::memcpy(&packed, from, 4); break;
      default: std::memcpy(&packed, from, 8);
    }
  }
  for (std::uint32_t c = 0; c < 4; ++c) {
    if (address == 0) {
      // Of numbers the bits as they are given, cut to the texel's; what reads as a fraction is one.
      out[c] = std::bit_cast<std::uint32_t>(t.border[c]);
      if (!floats) {
        const std::uint32_t shift = 32 - t.channel_bits;
        out[c] =
            t.kind == TexelKind::kSigned
                ? static_cast<std::uint32_t>(static_cast<std::int32_t>(out[c] << shift) >> shift)
                : out[c] << shift >> shift;
      } else if (t.kind != TexelKind::kFloat) {
        out[c] = std::bit_cast<std::uint32_t>(
            std::clamp(t.border[c], t.kind == TexelKind::kSigned ? -1.0f : 0.0f, 1.0f));
      }
      continue;
    }
    if (c >= t.channels) {
      continue;
    }
    auto bits = static_cast<std::uint32_t>(packed);
    if (t.channel_bits == 32) std::memcpy(&bits, memory.host(address + c * std::uint64_t{4}), 4);
    else bits &= (1u << t.channel_bits) - 1, packed >>= t.channel_bits;
    if (t.kind == TexelKind::kFloat) {
      out[c] = t.channel_bits == 16 ? std::bit_cast<std::uint32_t>(static_cast<float>(
                                          half_value(static_cast<std::uint16_t>(bits))))
                                    : bits;
      continue;
    }
    const std::uint32_t shift = 32 - t.channel_bits;
    const bool is_signed = t.kind == TexelKind::kSigned;
    const std::int64_t v = is_signed ? static_cast<std::int32_t>(bits << shift) >> shift
                                     : static_cast<std::int64_t>(bits);
    if (!floats) {
      out[c] = static_cast<std::uint32_t>(v);
      continue;
    }
    const auto most =
        static_cast<float>((std::uint64_t{1} << (t.channel_bits - (is_signed ? 1 : 0))) - 1);
    float f = t.channel_bits == 8 ? byte_as_float(v, is_signed)
                                  : std::max(-1.0f, static_cast<float>(v) / most);
    if (t.srgb && c < 3) f = srgb(f);
    out[c] = std::bit_cast<std::uint32_t>(f);
  }
  return out;
}

std::array<std::uint32_t, 4> filtered(const Texture& t, const Memory& memory,
                                      const Texels& texels) {
  if (texels.count == 1) return texel(t, memory, texels.address[0]);
  // Channels that the texels lack stay 0, unless a border has them.
  std::uint32_t channels = t.channels;
  for (std::uint32_t i = 0; i < texels.count; ++i)
    if (texels.address[i] == 0) channels = 4;
  double sum[4] = {};
  for (std::uint32_t i = 0; i < texels.count; ++i) {
    if (texels.weight[i] == 0) continue;
    const auto v = texel(t, memory, texels.address[i]);
    for (std::uint32_t c = 0; c < channels; ++c)
      sum[c] +=
          static_cast<double>(texels.weight[i]) * static_cast<double>(std::bit_cast<float>(v[c]));
  }
  std::array<std::uint32_t, 4> out{};
  for (std::uint32_t c = 0; c < channels; ++c) {
    double v = sum[c];
    // The filter's result has the texel's precision, whole numbers 16 bits.
    if (t.kind == TexelKind::kFloat && t.channel_bits == 16) v = half_value(half_of(v));
    const double unit = t.kind == TexelKind::kSigned ? 32767 : 65535;
    if (t.kind != TexelKind::kFloat) v = static_cast<double>(whole_below(v * unit + 0.5)) / unit;
    out[c] = std::bit_cast<std::uint32_t>(static_cast<float>(v));
  }
  return out;
}

}  // namespace warpmem::emulate
