#include "tests/emulate/hardware/textures.hpp"

#include <cmath>
#include <cstring>
#include <limits>

namespace warpmem::emulate::hardware {
namespace {

std::uint64_t mixed(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
std::uint64_t seed_of(const std::string& name) {
  std::uint64_t h = 0xcbf29ce484222325u;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}

}  // namespace

std::uint32_t TextureCase::channel_bytes() const {
  if (format.starts_with("u8") || format.starts_with("s8")) return 1;
  if (format.find("16") != std::string::npos) return 2;
  return 4;
}

const std::vector<TextureCase>& texture_cases() {
  static const std::vector<TextureCase> all = [] {
    std::vector<TextureCase> v;
    const char* modes[] = {"wrap", "clamp", "mirror", "border"};
    const auto add = [&](TextureCase c) {
      c.name = c.geometry + " " + c.kind + " " + c.format + (c.linear ? " linear" : " point") +
               (c.normalised ? " normalised" : "") + (c.as_float ? " as float" : "") + " " +
               modes[c.address[0]] + (c.whole ? " whole" : "");
      v.push_back(c);
    };
    const auto make = [](const char* geometry, const char* kind, const char* format, bool linear,
                         bool normalised, int mode) {
      TextureCase c;
      c.geometry = geometry, c.kind = kind, c.format = format, c.linear = linear,
      c.normalised = normalised;
      for (int& a : c.address) a = mode;
      const std::string g = geometry;
      if (g == "1d") c.width = 13;
      if (g == "2d") c.width = 13, c.height = 7;
      if (g == "3d") c.width = 5, c.height = 6, c.depth = 7;
      if (g == "a1d") c.width = 11, c.depth = 3;
      if (g == "a2d") c.width = 9, c.height = 5, c.depth = 3;
      if (g == "cube") c.width = 8, c.height = 8, c.depth = 6;
      return c;
    };
    for (const char* g : {"1d", "2d", "3d", "a1d", "a2d"})
      for (const bool linear : {false, true})
        for (const bool normalised : {false, true})
          for (int mode = normalised ? 0 : 1; mode < 4; mode += normalised ? 1 : 2) {
            auto c = make(g, "tex", "f32", linear, normalised, mode);
            add(c);
            c.whole = true;
            if (linear) add(c);
          }
    for (const char* f : {"f32x4", "f16x4", "u8x4", "s8x2", "u16x1", "s16x2"})
      for (const bool linear : {false, true}) {
        auto c = make("2d", "tex", f, linear, false, 1);
        c.as_float = f[0] != 'f';
        add(c);
      }
    for (const char* f : {"u8x4", "s8x2", "u16x1", "s16x2", "u32x1", "s32x2", "f32x4"})
      add(make("2d", "tex", f, false, false, 3)), add(make("2d", "fetch", f, false, false, 1));
    for (const char* g : {"1d", "3d", "a1d", "a2d"}) add(make(g, "fetch", "f32", false, false, 1));
    for (const char* channel : {"tld4.r", "tld4.g", "tld4.b", "tld4.a"}) {
      auto c = make("2d", channel, "f32x4", false, false, 1);
      add(c);
      c.normalised = true, c.address[0] = c.address[1] = 0;
      add(c);
    }
    for (const bool linear : {false, true}) add(make("cube", "tex", "f32", linear, true, 1));
    return v;
  }();
  return all;
}

std::vector<std::uint8_t> texels_of(const TextureCase& c) {
  std::vector<std::uint8_t> bytes(c.texels() * c.texel_bytes());
  const std::uint64_t seed = seed_of(c.name);
  for (std::uint64_t i = 0; i < c.texels() * c.channels(); ++i) {
    const std::uint64_t r = mixed(seed + i);
    if (c.format.starts_with("f32")) {
      const float f =
          c.whole ? static_cast<float>(r & 255)
                  : static_cast<float>(static_cast<std::int64_t>(r >> 40) - (1 << 23)) * 0x1p-20f;
      std::memcpy(&bytes[i * 4], &f, 4);
    } else if (c.format.starts_with("f16")) {
      const auto h = static_cast<std::uint16_t>((r & 0x83ff) | (12 + (r >> 20) % 8) << 10);
      std::memcpy(&bytes[i * 2], &h, 2);
    } else {
      std::memcpy(&bytes[i * c.channel_bytes()], &r, c.channel_bytes());
    }
  }
  return bytes;
}

std::vector<float> coordinates_of(const TextureCase& c) {
  std::vector<float> v(kFetches * 4);
  const std::uint64_t seed = seed_of(c.name) ^ 0x5555;
  const float sizes[3] = {static_cast<float>(c.width), static_cast<float>(c.height ? c.height : 1),
                          static_cast<float>(c.layered() ? 1
                                             : c.depth   ? c.depth
                                                         : 1)};
  for (std::uint32_t i = 0; i < kFetches; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const float n = sizes[k];
      const std::uint64_t r = mixed(seed + i * 4 + k);
      const float edges[] = {
          0,        -0.0f,     0.25f, 0.5f,      0.75f,        1,           1.5f,         n - 1,
          n - 0.5f, n - 0.25f, n,     n + 0.5f,  n + 1,        2 * n,       2 * n + 0.5f, -0.25f,
          -0.5f,    -1,        -n,    -n - 0.5f, 0.501953125f, 0.50390625f, 0.498046875f, 3 * n,
          1000,     -1000,     1e9f,  -1e9f};
      float x;
      if (i < 192) x = edges[r % (sizeof edges / sizeof *edges)];
      else x = (static_cast<float>(r >> 40) * 0x1p-24f * 3 - 1) * n;
      if (c.geometry == "cube") x = static_cast<float>(r >> 40) * 0x1p-23f - 1;
      else if (c.normalised) x /= n;
      v[i * 4 + k] = x;
    }
    if (i == 192) v[i * 4] = std::numeric_limits<float>::infinity();
    if (i == 193) v[i * 4] = -std::numeric_limits<float>::infinity();
    if (i == 194) v[i * 4] = std::numeric_limits<float>::quiet_NaN();
    v[i * 4 + 3] = static_cast<float>(mixed(seed + i * 4 + 3) % (c.depth ? c.depth : 1));
    if (c.layered() && i % 16 == 15) v[i * 4 + 3] = i % 32 == 15 ? -2 : 5;  // clamped
  }
  return v;
}

std::string texture_module() {
  std::string text = ".version 8.5\n.target sm_90\n.address_size 64\n";
  const auto& all = texture_cases();
  for (std::size_t k = 0; k < all.size(); ++k) {
    const TextureCase& c = all[k];
    text += "\n// " + c.name + "\n.visible .entry t" + std::to_string(k) +
            "(.param .u64 d, .param .u64 t, .param .u64 a)\n{\n";
    text += "  .reg .b64 %x<8>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b32 %o<4>;\n";
    text +=
        "  mov.u32 %r0, %ctaid.x; mov.u32 %r1, %ntid.x; mov.u32 %r2, %tid.x; mad.lo.u32 %r3, %r0, "
        "%r1, %r2; mul.wide.u32 %x0, %r3, 16;\n";
    text +=
        "  ld.param.u64 %x1, [a]; add.u64 %x1, %x1, %x0; ld.param.u64 %x2, [t]; ld.param.u64 %x3, "
        "[d]; add.u64 %x3, %x3, %x0;\n";
    text += "  ld.global.v4.f32 {%f0, %f1, %f2, %f3}, [%x1]; cvt.rzi.s32.f32 %r4, %f3;\n";
    const bool whole = c.kind == "fetch";
    const std::string& g = c.geometry;
    if (whole)
      text += "  cvt.rzi.s32.f32 %r5, %f0; cvt.rzi.s32.f32 %r6, %f1; cvt.rzi.s32.f32 %r7, %f2;\n";
    const std::string x = whole ? "%r5" : "%f0", y = whole ? "%r6" : "%f1",
                      z = whole ? "%r7" : "%f2", layer = whole ? "%r4" : "%r4";
    std::string at;
    if (g == "1d") at = "{" + x + "}";
    if (g == "2d") at = "{" + x + ", " + y + "}";
    if (g == "3d" || g == "cube") at = "{" + x + ", " + y + ", " + z + ", " + z + "}";
    if (g == "a1d") at = "{" + layer + ", " + x + "}";
    if (g == "a2d") at = "{" + layer + ", " + x + ", " + y + ", " + y + "}";
    const bool number = c.format[0] == 'f' || c.as_float;
    const std::string result = number ? "f32" : c.format[0] == 's' ? "s32" : "u32";
    const std::string regs = number ? "{%f4, %f5, %f6, %f7}" : "{%o0, %o1, %o2, %o3}";
    const std::string op = c.kind.starts_with("tld4") ? c.kind : "tex";
    text += "  " + op + "." + g + ".v4." + result + (whole ? ".s32 " : ".f32 ") + regs +
            ", [%x2, " + at + "];\n";
    text += "  st.global.v4." + std::string(number ? "f32" : "b32") + " [%x3], " + regs +
            ";\n  ret;\n}\n";
  }
  return text;
}

}  // namespace warpmem::emulate::hardware
