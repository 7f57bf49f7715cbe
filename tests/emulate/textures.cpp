// Where texels lie and what fetches of them ask of the L1 and the L2, against what an H200 counted
// for each of kernels/micro/texture_reads.cu's cases.
#include <bit>
#include <map>
#include <set>
#include <sstream>

#include "emulate/executor/sample.hpp"
#include "emulate/executor/texture.hpp"
#include "model/texture/texture.hpp"
#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;
using emulate::Texture;
using emulate::TextureImage;

namespace {

constexpr std::uint64_t kBase = 0x200000000;

struct Case {
  std::string kind, format, filter, where;

  explicit Case(const std::string& label) {
    std::istringstream in(label);
    in >> kind >> format >> filter >> std::ws;
    std::getline(in, where);
  }
  bool has(const char* what) const { return kind.find(what) != std::string::npos; }
  bool flat() const { return kind == "fetch1D" || kind == "array1D"; }
  bool surface() const { return has("read") || has("write"); }
  std::uint32_t bytes() const {
    static const std::map<std::string, std::uint32_t> kBytes = {
        {"u8", 1},    {"u8n", 1},   {"f16", 2},   {"f32", 4},
        {"u8x4n", 4}, {"f16x4", 8}, {"f32x2", 8}, {"f32x4", 16}};
    return kBytes.at(format);
  }
};

Texture texture_of(const Case& c) {
  Texture t;
  TextureImage i;
  i.base = kBase;
  i.width = c.kind == "fetch1D" ? (1u << 20) / c.bytes()
            : c.flat()          ? 4096
            : c.has("3D")       ? 128
                                : 512;
  i.height = c.flat() ? 0 : c.has("3D") ? 64 : 256;
  i.depth = c.has("3D") ? 64 : 0;
  i.layers = c.kind == "layered" ? 8 : 0;
  i.row_bytes = std::uint64_t{i.width} * c.bytes();
  i.slice_bytes = i.row_bytes * std::max(1u, i.height);
  i.bytes = i.slice_bytes * std::max({1u, i.depth, i.layers});
  i.tiled = c.kind != "fetch1D" && c.kind != "pitch2D";
  t.levels.push_back(i);
  t.channels = c.bytes() >= 4 ? c.bytes() / 4 : 1;
  t.channel_bits = c.bytes() >= 4 ? 32 : c.bytes() * 8;
  t.linear_filter = c.filter == "linear";
  t.linear_memory = c.kind == "fetch1D";
  return t;
}

// As in the program: which texel each lane is at.
std::array<std::array<float, 3>, 32> places_of(const Case& c) {
  std::array<std::array<float, 3>, 32> at{};
  if (c.where == "anywhere") {
    std::uint32_t seed = 7;
    for (auto& p : at) {
      const float most[3] = {c.flat() ? 4096.0f : 128.0f, 64, 64};
      for (std::size_t k = 0; k < 3; ++k) {
        seed = seed * 1664525u + 1013904223u;
        p[k] = static_cast<float>(
            static_cast<int>(static_cast<float>(seed >> 8) / 16777216.0f * most[k]));
      }
    }
    return at;
  }
  const auto grid = [&](int w, float sx, float sy, float x, float y) {
    for (int l = 0; l < 32; ++l)
      at[static_cast<std::size_t>(l)] = {x + sx * static_cast<float>(l % w),
                                         y + sy * static_cast<float>(l / w), 0};
  };
  const std::string& s = c.where;
  if (s == "one") grid(32, 0, 0, 16, 8);
  else if (s == "8x4 odd") grid(8, 1, 1, 37, 11);
  else if (s == "8x4 by 2") grid(8, 2, 2, 32, 8);
  else if (s == "1x32 by 2") grid(1, 1, 2, 32, 8);
  else if (s == "4x4x2" || s == "1x1x32") {
    for (int l = 0; l < 32; ++l)
      at[static_cast<std::size_t>(l)] =
          s == "4x4x2" ? std::array<float, 3>{32.0f + static_cast<float>(l % 4),
                                              8.0f + static_cast<float>(l / 4 % 4),
                                              8.0f + static_cast<float>(l / 16)}
                       : std::array<float, 3>{32, 8, static_cast<float>(l)};
  } else {
    const int w = std::stoi(s);
    const auto by = s.find("by ");
    grid(w, by == s.npos ? 1 : std::stof(s.substr(by + 3)), 1, 32, 8);
  }
  return at;
}

model::TextureAccess access_of(const Case& c) {
  const Texture t = texture_of(c);
  const TextureImage& image = t.levels[0];
  model::TextureAccess a;
  a.mask = ~0u;
  a.bytes = c.bytes();
  a.gathers = c.kind == "gather2D";
  a.linear = c.kind == "fetch1D";
  a.request_lanes = (c.kind == "fetch1D" && a.bytes <= 8) || (c.surface() && !c.has("3D")) ? 8 : 4;
  const auto places = places_of(c);
  for (std::size_t l = 0; l < 32; ++l) {
    auto p = places[l];
    std::size_t k = 0;
    if (c.surface()) {
      // Clamped to the image.
      const auto inside = [](float at, std::uint32_t n) {
        return std::min(static_cast<std::uint64_t>(at), std::uint64_t{std::max(1u, n)} - 1);
      };
      a.address[0][l] = image.place(kBase + inside(p[0], image.width) * a.bytes +
                                    inside(p[1], image.height) * image.row_bytes +
                                    inside(p[2], image.depth) * image.slice_bytes);
      k = 1;
    } else {
      emulate::Fetch f;
      f.image = &image;
      f.dimensions = c.flat() ? 1 : c.has("3D") ? 3 : 2;
      f.whole = c.kind == "fetch1D";
      f.gather = a.gathers;
      f.layer = c.kind == "layered" ? static_cast<std::uint32_t>(p[2]) : 0;
      // The program asks points at texels' centres, filters at corners.
      const float middle = f.whole || c.filter == "linear" ? 0 : 0.5f;
      for (std::size_t d = 0; d < 3; ++d)
        f.at[d] = f.whole ? std::bit_cast<float>(static_cast<std::int32_t>(p[d])) : p[d] + middle;
      const emulate::Texels texels = emulate::locate(t, f);
      for (std::uint32_t i = 0; i < texels.count; ++i)
        if (texels.read >> i & 1 && texels.address[i] != 0)
          a.address[k++][l] = image.place(texels.address[i]);
    }
    for (std::size_t i = 0; i < k; ++i) a.has[i] |= 1u << l;
    a.texels = std::max(a.texels, static_cast<int>(k));
  }
  return a;
}

}  // namespace

TEST_CASE("fetches and surface accesses touch the sectors that an H200 counted") {
  int cases = 0;
  for (const auto& row : testing::hardware_rows("texture_reads.csv")) {
    INFO(row.label);
    ++cases;
    const Case c(row.label);
    model::TextureTraffic t;
    model::texture_traffic(access_of(c), c.has("write"), t);
    const std::string unit = c.has("read")    ? "surface_op_ld"
                             : c.has("write") ? "surface_op_st"
                                              : "texture";
    CHECK(t.requests == row.at("l1tex__t_requests_pipe_tex_mem_" + unit + ".sum"));
    CHECK(t.sectors == row.at("l1tex__t_sectors_pipe_tex_mem_" + unit + ".sum"));
    std::uint64_t distinct = 0;
    for (int i = 0; i < t.count; ++i)
      distinct += model::sectors_in(t.line[static_cast<std::size_t>(i)].sectors);
    CHECK(distinct == row.at(std::string("lts__t_sectors_srcunit_tex_op_") +
                             (c.has("write") ? "write" : "read") + ".sum"));
    // A sector that an earlier request of the access asked for is a hit.
    if (!c.has("write"))
      CHECK(t.sectors - distinct ==
            row.at("l1tex__t_sectors_pipe_tex_mem_" + unit + "_lookup_hit.sum"));
  }
  CHECK(cases == 421);
}

TEST_CASE("filters at texels' centres read one texel, gathers four whatever their place") {
  Texture t = texture_of(Case("array2D f32 linear one"));
  emulate::Fetch f;
  f.image = &t.levels[0];
  f.dimensions = 2;
  f.at = {5.5f, 7.5f, 0};
  CHECK(emulate::locate(t, f).read == 1);
  f.at = {5.75f, 7.5f, 0};
  CHECK(emulate::locate(t, f).read == 3);
  f.at = {5.75f, 7.25f, 0};
  CHECK(emulate::locate(t, f).read == 15);
  f.at = {5.5f, 7.5f, 0};
  f.gather = true;
  CHECK(emulate::locate(t, f).read == 15);
}

TEST_CASE("a level of detail between two levels mixes them by 256ths where the filter says so") {
  Texture t = texture_of(Case("array2D f32 linear one"));
  t.levels.resize(3, t.levels[0]);
  t.mipmap_max = 2;
  CHECK(emulate::levels_of(t, 0.4f).image == &t.levels[0]);
  CHECK(emulate::levels_of(t, 0.4f).next == nullptr);
  CHECK(emulate::levels_of(t, 1.5f).image == &t.levels[2]);
  t.linear_mipmap_filter = true;
  const emulate::Levels low = emulate::levels_of(t, 0.4f);  // an H200: 398.4375 of 0 and 1,000
  CHECK((low.image == &t.levels[0] && low.next == &t.levels[1] && low.share == 102.0f / 256));
  CHECK(emulate::levels_of(t, 1.0f).next == nullptr);
  CHECK(emulate::levels_of(t, 1.0f).image == &t.levels[1]);
  CHECK(emulate::levels_of(t, 7.0f).image == &t.levels[2]);
  t.mipmap_bias = -0.5f;
  CHECK(emulate::levels_of(t, 1.0f).share == 0.5f);
}

TEST_CASE("a border of numbers has their bits, one of fractions lies between the ends") {
  emulate::Memory memory = emulate::Memory::create(1 << 20).value();
  Texture t;
  t.border = {3.0f, 1.0f, -2.0f, 0.25f};
  t.kind = emulate::TexelKind::kSigned, t.channel_bits = 16;
  CHECK(emulate::texel(t, memory, 0)[0] == 0);  // 0x40400000, cut to 16 bits
  t.channel_bits = 32;
  CHECK(emulate::texel(t, memory, 0)[0] == 0x40400000);
  t.kind = emulate::TexelKind::kUnsigned, t.channel_bits = 8, t.normalised_read = true;
  const auto fractions = emulate::texel(t, memory, 0);
  CHECK(std::bit_cast<float>(fractions[0]) == 1.0f);
  CHECK(std::bit_cast<float>(fractions[2]) == 0.0f);
  CHECK(std::bit_cast<float>(fractions[3]) == 0.25f);
  t.kind = emulate::TexelKind::kSigned;
  CHECK(std::bit_cast<float>(emulate::texel(t, memory, 0)[2]) == -1.0f);
}

TEST_CASE("tiles hold each byte of an array once, and no more than they are given") {
  for (const auto& [row, rows, slices] :
       {std::tuple{64u, 8u, 1u}, {96u, 5u, 3u}, {256u, 200u, 2u}, {32u, 1u, 1u}, {416u, 40u, 5u}}) {
    TextureImage i;
    i.base = kBase, i.row_bytes = row, i.slice_bytes = std::uint64_t{row} * rows, i.tiled = true;
    const std::uint64_t room = TextureImage::tiled_bytes(row, rows, slices);
    std::set<std::uint64_t> seen;
    for (std::uint64_t at = 0; at < std::uint64_t{row} * rows * slices; ++at) {
      const std::uint64_t place = i.place(kBase + at);
      CHECK(place >= kBase);
      CHECK(place < kBase + room);
      seen.insert(place);
    }
    CHECK(seen.size() == std::uint64_t{row} * rows * slices);
    i.tiled = false;
    CHECK(i.place(kBase + 77) == kBase + 77);
  }
}
