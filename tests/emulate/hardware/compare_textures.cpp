// Texture fetches on the emulator against what an H200 gave (README.md beside this file).
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "emulate/executor/executor.hpp"
#include "emulate/executor/texture.hpp"
#include "emulate/ptx/parser.hpp"
#include "emulate/ptx/program.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/hardware/results.hpp"
#include "tests/emulate/hardware/textures.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::hardware;

namespace {

Texture object_of(const TextureCase& c, Memory& memory) {
  const std::vector<std::uint8_t> texels = texels_of(c);
  TextureImage image;
  image.bytes = texels.size();
  image.base = memory.allocate(texels.size(), warpmem::trace::AllocationKind::kDevice);
  std::memcpy(memory.host(image.base), texels.data(), texels.size());
  image.width = c.width, image.height = c.height;
  image.row_bytes = std::uint64_t{c.width} * c.texel_bytes();
  image.slice_bytes = image.row_bytes * (c.height ? c.height : 1);
  image.cubemap = c.geometry == "cube";
  if (c.layered()) image.layers = c.depth;
  else if (!image.cubemap) image.depth = c.depth;
  Texture t;
  t.levels = {image};
  t.channels = c.channels(), t.channel_bits = 8 * c.channel_bytes();
  t.kind = c.format[0] == 'f'   ? TexelKind::kFloat
           : c.format[0] == 's' ? TexelKind::kSigned
                                : TexelKind::kUnsigned;
  for (std::size_t i = 0; i < 3; ++i) t.address[i] = static_cast<AddressMode>(c.address[i]);
  t.linear_filter = c.linear, t.normalised_coordinates = c.normalised;
  t.normalised_read = c.as_float;
  return t;
}

std::vector<std::uint32_t> run(const LoadedModule& module, Memory& memory, std::size_t number) {
  const TextureCase& c = texture_cases()[number];
  auto kernel = build_kernel(module, "t" + std::to_string(number));
  if (!kernel) FAIL(kernel.error().text());
  TextureTable table;
  const std::uint64_t object = table.add(object_of(c, memory));
  const std::vector<float> at = coordinates_of(c);
  const std::uint64_t to = memory.allocate(kFetches * 16, warpmem::trace::AllocationKind::kDevice);
  const std::uint64_t from =
      memory.allocate(kFetches * 16, warpmem::trace::AllocationKind::kDevice);
  std::memcpy(memory.host(from), at.data(), at.size() * 4);
  LaunchShape shape;
  shape.grid = {kFetches / 128, 1, 1}, shape.block = {128, 1, 1};
  shape.textures = &table;
  const std::uint64_t parameters[3] = {to, object, from};
  shape.params.resize(24);
  std::memcpy(shape.params.data(), parameters, 24);
  RunStatistics statistics;
  if (auto ok = run_launch(**kernel, memory, shape, {}, nullptr, statistics); !ok)
    FAIL(c.name << ": " << ok.error().text());
  std::vector<std::uint32_t> words(kFetches * 4);
  std::memcpy(words.data(), memory.host(to), words.size() * 4);
  return words;
}

// How far texels lie apart, as the filter sees them.
double range_of(const TextureCase& c) {
  if (c.as_float) return c.format[0] == 's' ? 2 : 1;
  return c.format.starts_with("f16") ? 64 : c.whole ? 256 : 16;
}

}  // namespace

TEST_CASE("texture fetches give what an H200 gave") {
  const Results results = read_results(WARPMEM_INSTRUCTION_RESULTS);
  auto module = parse_ptx("textures", texture_module());
  REQUIRE(module.ok());
  auto memory = Memory::create(std::uint64_t{1} << 30);
  REQUIRE(memory.ok());
  auto loaded = LoadedModule::load(std::move(module).value(), *memory);
  REQUIRE(loaded.ok());
  for (std::size_t k = 0; k < texture_cases().size(); ++k) {
    const TextureCase& c = texture_cases()[k];
    if (c.name == "1d fetch f32 point clamp")
      continue;  // of linear memory only; arrays are undefined
    INFO(c.name);
    const auto got = run(**loaded, *memory, k);
    std::uint32_t different = 0, far = 0;
    for (std::uint32_t i = 0; i < kFetches; ++i) {
      if (i >= 192 && i < 195) continue;  // infinities and NaN
      bool equal = true;
      for (std::uint32_t w = 4 * i; w < 4 * i + 4; ++w) {
        const std::uint32_t hardware = results.textures[k][w];
        if (got[w] == hardware) continue;
        equal = false;
        const double distance = std::fabs(static_cast<double>(std::bit_cast<float>(got[w])) -
                                          static_cast<double>(std::bit_cast<float>(hardware)));
        far += c.linear && !(distance <= 2 * range_of(c) / 256);
      }
      different += !equal;
    }
    // Which texel a normalised coordinate falls on is decided by bits that no manual describes; and
    // the last bits of a filtered float by an order of additions. Neither moves a result far.
    const bool filtered = c.linear, thick = c.geometry == "3d";
    CHECK(far <= (c.normalised ? 10u : 0u));
    CHECK(different <= (filtered && thick && c.normalised ? 220u
                        : filtered                        ? 35u
                        : c.normalised                    ? 16u
                                                          : 0u));
  }
}
