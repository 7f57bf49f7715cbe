// Drawings of lanes, and the sentences beside them.
#include "views/lanes.hpp"
#include "tests/catch.hpp"

namespace warpmem::views {
namespace {

LaneAccess strided(std::uint64_t stride, std::uint32_t bytes, bool shared) {
  LaneAccess a;
  a.mask = ~0u, a.bytes = bytes, a.shared = shared;
  for (std::size_t l = 0; l < 32; ++l) a.address[l] = 0x1000 + stride * l;
  return a;
}

}  // namespace

TEST_CASE("lanes of one bank are named, and the passes that they cost") {
  CHECK(lanes_words(strided(16, 4, true)) ==
        "lanes 0, 8, 16, 24 share bank 0: 4 passes, 3 too many");
  CHECK(lanes_words(strided(128, 4, true)) == "lanes 0 to 31 share bank 0: 32 passes, 31 too many");
  CHECK(lanes_words(strided(132, 4, true)).starts_with("no two lanes meet in a bank: 1 pass"));
  CHECK(lanes_words(strided(16, 16, true)) ==
        "no two lanes meet in a bank: 4 passes, none too many (16 bytes a lane: 8 lanes are served "
        "together)");
}

TEST_CASE("sectors that nobody needs are counted") {
  CHECK(lanes_words(strided(4, 4, false)) ==
        "32 lanes ask for 128 B in 4 sectors of 1 line; none is too many");
  CHECK(lanes_words(strided(8, 4, false)) ==
        "32 lanes ask for 128 B in 8 sectors of 2 lines; 4 would do: 4 too many, and 16.0 of each "
        "sector's 32 "
        "bytes are used");
}

TEST_CASE("a drawing has a row a line and a letter a lane") {
  const std::string text = lanes_text(strided(8, 4, false), {});
  CHECK(text.find("0x1000  |0·1·2·3·|4·5·6·7·|8·9·a·b·|c·d·e·f·|\n") != std::string::npos);
  CHECK(text.find("0x1080  |g·h·i·j·|k·l·m·n·|o·p·q·r·|s·t·u·v·|\n") != std::string::npos);
}

TEST_CASE("a picture is a document of its own, its text escaped") {
  const LaneAccess a = strided(128, 4, true);
  const std::string svg = lanes_svg({{&a, "a[i < 3 & \"x\"]"}});
  CHECK(svg.starts_with("<svg xmlns="));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(svg.find("a[i &lt; 3 &amp; &quot;x&quot;]") != std::string::npos);
}

}  // namespace warpmem::views
