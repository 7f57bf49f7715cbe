// Lines and sectors of a warp access: the H200's gathers, and the slow twin byte by byte.
#include <random>

#include "model/access/access.hpp"
#include "model/cache/tag_banks.hpp"
#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"
#include "tests/model/reference/coalescing.hpp"

using namespace warpmem;
using model::LineList;
using model::WarpAccess;

namespace {

// Empty when the list says the same as the set of bytes, else what differs.
std::string differs(const LineList& list, const std::set<std::uint64_t>& bytes, bool with_bytes) {
  const auto lines = reference::lines_touched(bytes);
  if (lines.size() != static_cast<std::size_t>(list.count)) return "number of lines";
  for (int i = 0; i < list.count; ++i) {
    const model::LineTouch touch = list[i];
    const auto it = lines.find(touch.line);
    if (it == lines.end()) return "a line that is not touched";
    unsigned sectors = 0, full = 0;
    for (unsigned s : it->second.sectors) {
      sectors |= 1u << s;
      if (it->second.bytes.at(s) == ~0u) full |= 1u << s;
      if (with_bytes && touch.bytes[s] != it->second.bytes.at(s)) return "bytes of a sector";
    }
    if (touch.sectors != sectors) return "sectors";
    if (with_bytes && touch.full != full) return "full sectors";
  }
  return "";
}

}  // namespace

TEST_CASE("gathers touch the lines and sectors that an H200 counted") {
  int cases = 0;
  for (const auto& row : testing::hardware_rows("instructions.csv")) {
    if (!row.starts("gather_lines,")) continue;
    ++cases;
    WarpAccess a;
    a.mask = ~0u;
    a.bytes = static_cast<std::uint32_t>(row.number("bytes"));
    for (std::size_t l = 0; l < 32; ++l) a.address[l] = l * row.number("step");
    LineList lines;
    model::touch_lines(a, false, lines);
    INFO(row.label);
    const auto sectors = static_cast<std::uint64_t>(model::sector_count(lines));
    CHECK(sectors == row.at("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"));
    CHECK(sectors == row.at("l1tex__m_xbar2l1tex_read_sectors.sum"));
    // The kernel's own store of 32 words: one line, four sectors.
    CHECK(static_cast<std::uint64_t>(lines.count) + 1 == row.at("memory_l1_tag_requests_global"));
    CHECK(sectors + 4 == row.at("memory_l2_theoretical_sectors_global"));
    CHECK(static_cast<std::uint64_t>(model::tag_passes(lines)) ==
          row.at("l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"));
  }
  CHECK(cases == 26);
}

TEST_CASE("coalescing equals the slow twin's for all masks of eight lanes, strides and widths") {
  for (std::uint32_t bytes : {1u, 4u, 16u})
    for (std::int64_t stride :
         {std::int64_t{0}, std::int64_t{bytes}, std::int64_t{36}, std::int64_t{-20}})
      for (std::uint64_t base : {std::uint64_t{4096}, std::uint64_t{4096 + 120}})
        for (unsigned mask = 0; mask < 256; ++mask) {
          WarpAccess a;
          a.mask = mask;
          a.bytes = bytes;
          for (std::size_t l = 0; l < 8; ++l)
            a.address[l] = base + static_cast<std::uint64_t>(stride * static_cast<std::int64_t>(l));
          LineList lines;
          for (bool with_bytes : {false, true}) {
            model::touch_lines(a, with_bytes, lines);
            const std::string what = differs(lines, reference::bytes_touched(a), with_bytes);
            if (!what.empty())
              FAIL(what << ": mask " << mask << ", stride " << stride << ", " << bytes
                        << " bytes, base " << base);
          }
        }
  SUCCEED();
}

TEST_CASE("coalescing equals the slow twin's for random warps, straddling lanes included") {
  std::mt19937_64 random(3);
  for (int round = 0; round < 20000; ++round) {
    WarpAccess a;
    a.bytes = 1u << random() % 5;
    a.mask = random() % 2 ? ~0u : static_cast<std::uint32_t>(random());
    const std::uint64_t span = random() % 2 ? 512 : 1 << 20;
    for (auto& address : a.address) address = 0x7f0000000000 + random() % span;
    LineList lines;
    model::touch_lines(a, true, lines);
    const std::string what = differs(lines, reference::bytes_touched(a), true);
    INFO("round " << round << ": " << what);
    CHECK(what.empty());
  }
}

TEST_CASE("a fully divergent warp, each with a line of its own, is listed as any other") {
  std::mt19937_64 random(4);
  int alone = 0;
  for (int round = 0; round < 20000; ++round) {
    WarpAccess a;
    a.bytes = 1u << random() % 5;
    a.mask = ~0u;
    // Few enough lines that two lanes meet now and then, and some that differ in upper bits alone.
    for (auto& address : a.address)
      address = (random() % (1 << 18) + (random() % 2 << 40)) / a.bytes * a.bytes;
    LineList lines;
    model::touch_lines(a, false, lines);
    const std::string what = differs(lines, reference::bytes_touched(a), false);
    INFO("round " << round << ": " << what);
    CHECK(what.empty());
    for (int l = 0; lines.count == 32 && l < 32; ++l)
      CHECK(lines.line[static_cast<std::size_t>(l)] ==
            a.address[static_cast<std::size_t>(l)] / 128);
    alone += lines.count == 32;
  }
  CHECK(alone > 1000);
  CHECK(alone < 19000);
}

TEST_CASE("lines come in the order in which the lowest lanes reach them") {
  WarpAccess a;
  a.mask = 0b10110;
  a.bytes = 4;
  a.address = {0, 1280, 128, 9999, 1284};
  LineList lines;
  model::touch_lines(a, false, lines);
  REQUIRE(lines.count == 2);
  CHECK(lines.line[0] == 10);
  CHECK(lines.line[1] == 1);
}

TEST_CASE("the short way for contiguous lanes says the same as the long one") {
  for (std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u})
    for (unsigned lanes = 1; lanes <= 32; ++lanes)
      for (std::uint64_t base = 4096; base < 4096 + 160; ++base) {
        WarpAccess a;
        a.mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
        a.bytes = bytes;
        for (std::size_t l = 0; l < 32; ++l) a.address[l] = base + l * bytes;
        LineList slow, fast;
        model::touch_lines(a, true, slow);
        model::touch_contiguous(base, std::uint64_t{lanes} * bytes, true, fast);
        bool same = slow.count == fast.count;
        for (int i = 0; same && i < slow.count; ++i) {
          const model::LineTouch x = slow[i], y = fast[i];
          same = x.line == y.line && x.sectors == y.sectors && x.full == y.full;
          for (unsigned s = 0; s < 4; ++s)
            if (x.sectors >> s & 1) same = same && x.bytes[s] == y.bytes[s];
        }
        if (!same) FAIL(lanes << " lanes of " << bytes << " bytes at " << base);
      }
  SUCCEED();
}
