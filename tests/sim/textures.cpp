// Records of texture fetches and surface accesses as the engines take them.
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// Fetches of two texels a lane each, a row of 32 words and the one 4 KiB behind it.
Kernel fetches(std::uint32_t n) {
  Kernel k = kernel();
  k.code = lines({{"TEX.LL RZ, R4, R2, R6, UR4, 0x0, 2D, 0x1 ;", control(2, 0)},
                  {"FADD R5, R4, R5 ;", control(5, kNone, kNone, 1)},
                  {"@P0 BRA 0x0 ;", control(5)},
                  {"EXIT ;"}});
  k.sites = {{0, Op::kLoad, Space::kTexture, 4}, {0, Op::kTexel, Space::kTexture, 4}};
  k.text.resize(2);
  k.fill = [n](Warp& w) {
    for (std::uint64_t i = 0; i < n; ++i) {
      w.records.push_back(regular(0, kA + 8192 * i, 4));
      w.records.push_back(regular(1, kA + 8192 * i + 4096, 4));
    }
  };
  return k;
}

}  // namespace

TEST_CASE("a fetch and its further texels are one access, wherever their records lie") {
  const model::Card card = h200();
  // Eight requests a fetch, each of a sector of either row, 16 bytes of which it asks for.
  for (const std::size_t piece : {std::size_t{1000000}, std::size_t{1}, std::size_t{3}}) {
    INFO("records in a block: " << piece);
    const auto c = count(fetches(10), card, {.piece = piece});
    CHECK(c.texture.requests == 80);
    CHECK(c.texture.sectors == 160);
    CHECK(c.texture.hits == 80);
    CHECK(c.l1_fill_sectors == 80);
    CHECK(c.records == 20);
  }
}

TEST_CASE("time: a fetch counts as in the counts engine, and its use waits for it") {
  const auto metric = [](const sim::ReplayedLaunch& l, const std::string& name) {
    for (const auto& [n, m] : l.metrics.metrics)
      if (n == name) return m.value;
    return -1.0;
  };
  const auto ten = timed(fetches(10), h200()), twenty = timed(fetches(20), h200());
  CHECK(metric(ten, "l1tex__t_requests_pipe_tex_mem_texture.sum") == 80);
  CHECK(metric(ten, "l1tex__t_sectors_pipe_tex_mem_texture.sum") == 160);
  CHECK(metric(ten, "l1tex__t_sectors_pipe_tex_mem_texture_lookup_hit.sum") == 80);
  const model::Card card = h200();
  const auto& n = card.numbers();
  // Each is of lines that nobody has read, and each use waits for its own.
  CHECK(twenty.time->cycles - ten.time->cycles >
        10 * (n.latency_texture + n.latency_coordinates + n.latency_dram));
}

TEST_CASE("surface loads and stores count by themselves, reductions nothing") {
  const model::Card card = h200();
  Kernel k = kernel();
  const auto load =
      k.site(Op::kLoad, Space::kSurface, 4, "SULD.D.BA.2D.STRONG.SM R4, [R2], UR4, 0x0 ;");
  const auto store =
      k.site(Op::kStore, Space::kSurface, 4, "SUST.D.BA.2D.STRONG.SM [R2], R4, UR4, 0x0 ;");
  const auto volume =
      k.site(Op::kLoad, Space::kSurface, 4, "SULD.D.BA.3D.STRONG.SM R4, [R2], UR4, 0x0 ;");
  const auto red =
      k.site(Op::kReduction, Space::kSurface, 4, "SURED.D.BA.2D.ADD [R2], R4, UR4, 0x0 ;");
  k.fill = [=](Warp& w) {
    w.records = {regular(load, kA, 4), regular(store, kB, 4), regular(volume, kA + 65536, 4),
                 regular(red, kB + 65536, 4)};
  };
  const auto c = count(k, card);
  CHECK(c.surface_ld.requests == 4 + 8);  // eight lanes a request, four of a volume
  CHECK(c.surface_ld.sectors == 4 + 8);
  CHECK(c.surface_ld.hits == 4);
  CHECK(c.surface_st.requests == 4);
  CHECK(c.surface_st.sectors == 4);
  CHECK(c.l1_write_sectors == 4);
  CHECK(c.texture.requests == 0);
}
