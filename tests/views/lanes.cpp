// Drawings of lanes, and the sentences beside them.
#include "views/lanes.hpp"
#include "tests/catch.hpp"

namespace warpmem::views {
namespace {

LaneAccess strided(std::uint64_t stride, std::uint32_t bytes) {
  LaneAccess a;
  a.mask = ~0u, a.bytes = bytes;
  for (std::size_t l = 0; l < 32; ++l) a.address[l] = 0x1000 + stride * l;
  return a;
}

// Of shared memory: what a card's rules count of it, and who waits at the bank that has most to do.
LaneAccess of_banks(std::uint64_t stride, std::uint64_t passes, std::uint64_t ideal,
                    std::uint32_t waiting) {
  LaneAccess a = strided(stride, 4);
  a.shared = true, a.passes = passes, a.ideal_passes = ideal, a.waiting = waiting;
  return a;
}

// Pieces of `bytes` that lie one after the other.
LaneAccess of_pieces(std::uint64_t stride, std::uint32_t bytes, std::uint32_t count,
                     std::uint64_t ideal) {
  LaneAccess a = strided(stride, 4);
  for (std::uint32_t i = 0; i < count; ++i)
    a.moved.push_back({0x1000 + std::uint64_t{i} * bytes, bytes, 1});
  a.sectors = count * bytes / 32, a.ideal_sectors = ideal;
  return a;
}

}  // namespace

TEST_CASE("lanes of one bank are named, and the passes that they cost") {
  CHECK(lanes_words(of_banks(16, 4, 1, 0x01010101)) ==
        "lanes 0, 8, 16, 24 share bank 0: 4 passes, 3 too many");
  CHECK(lanes_words(of_banks(128, 32, 1, ~0u)) ==
        "lanes 0 to 31 share bank 0: 32 passes, 31 too many");
  CHECK(lanes_words(of_banks(132, 1, 1, 1)) ==
        "no two lanes meet in a bank: 1 pass, none too many");
  LaneAccess wide = of_banks(16, 4, 4, 1);
  wide.bytes = 16, wide.together = 8;
  CHECK(lanes_words(wide) ==
        "no two lanes meet in a bank: 4 passes, none too many (16 bytes a lane: 8 lanes are served "
        "together)");
  LaneAccess atomic = of_banks(0, 32, 1, ~0u);
  atomic.atomic = true;
  CHECK(lanes_words(atomic) ==
        "lanes 0 to 31 change words of bank 0, one after the other: 32 passes, 31 too many");
}

TEST_CASE("sectors that nobody needs are counted") {
  CHECK(lanes_words(of_pieces(4, 32, 4, 4)) ==
        "32 lanes ask for 128 B in 4 sectors of 1 line; none is too many");
  CHECK(lanes_words(of_pieces(8, 32, 8, 4)) ==
        "32 lanes ask for 128 B in 8 sectors of 2 lines; 4 would do: 4 too many, and 16.0 of each "
        "sector's 32 bytes are used");
  CHECK(lanes_words(of_pieces(4, 64, 2, 4)) ==
        "32 lanes ask for 128 B in 2 transactions of 64 B, 4 sectors of 1 line; none is too many");
}

TEST_CASE("rounds of an atomic send a sector again") {
  LaneAccess a = of_pieces(0, 32, 1, 1);
  a.atomic = true, a.moved[0].times = 32, a.sectors = 32;
  CHECK(lanes_words(a) ==
        "32 lanes change 4 B in 1 sector of 1 line, sent 32 times in all; 1 would do: 31 too many");
}

TEST_CASE("a drawing has a row a line and a letter a lane") {
  const std::string text = lanes_text(of_pieces(8, 32, 8, 4), {});
  CHECK(text.find("0x1000  |0·1·2·3·|4·5·6·7·|8·9·a·b·|c·d·e·f·|\n") != std::string::npos);
  CHECK(text.find("0x1080  |g·h·i·j·|k·l·m·n·|o·p·q·r·|s·t·u·v·|\n") != std::string::npos);
}

TEST_CASE("a transaction moves as a whole") {
  const std::string text = lanes_text(of_pieces(0, 128, 1, 1), {});
  CHECK(text.find("0x1000  |*·······|········|········|········|\n") != std::string::npos);
}

TEST_CASE("a picture is a document of its own, its text escaped") {
  const LaneAccess a = of_banks(128, 32, 1, ~0u);
  const std::string svg = lanes_svg({{&a, "a[i < 3 & \"x\"]"}});
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a[i &lt; 3 &amp; &quot;x&quot;]") != std::string::npos);
}

}  // namespace warpmem::views
