// Index expressions: what they mean, and what they cost by the programming guide's arithmetic.
#include "sim/pattern/parser.hpp"
#include "sim/pattern/pattern.hpp"
#include "tests/catch.hpp"

namespace warpmem::sim::pattern {
namespace {

Result<std::vector<SiteTraffic>> cost(const std::string& text, Dim3 block = {32, 1, 1},
                                      Dim3 grid = {1, 1, 1},
                                      std::map<std::string, std::int64_t> let = {}) {
  static const auto card = model::load_card("h200");
  REQUIRE(card);
  const auto program = parse(text, let);
  if (!program) return program.error();
  return on_card(*program, {grid, block, let}, *card, {});
}

SiteTraffic one(const std::string& text, Dim3 block = {32, 1, 1}) {
  const auto all = cost(text, block);
  REQUIRE(all);
  REQUIRE(all->size() == 1);
  return all->front();
}

std::string mistake(const std::string& text) {
  const auto done = cost(text);
  REQUIRE(!done);
  CHECK(done.error().kind == ErrorKind::kUsage);
  CHECK(!done.error().fix.empty());
  return done.error().message;
}

// The column of the caret's line.
std::size_t caret(const std::string& text) {
  const std::string message = mistake(text);
  return message.size() - 1 - message.rfind('\n') - 5;
}

}  // namespace

TEST_CASE("strides and offsets of global memory cost their sectors") {
  CHECK(one("a[threadIdx.x]").sectors == 4);
  CHECK(one("a[threadIdx.x * 2]").sectors == 8);
  CHECK(one("a[threadIdx.x * 32]").sectors == 32);
  CHECK(one("a[threadIdx.x + 1]").sectors == 5);
  CHECK(one("a[0]").sectors == 1);
  CHECK(one("double a; a[threadIdx.x]").sectors == 8);
  CHECK(one("char a; a[threadIdx.x]").sectors == 1);
  CHECK(one("float4 a; a[threadIdx.x]").sectors == 16);
  CHECK(one("a[threadIdx.x * 32] = 1").op == "store");
}

TEST_CASE("a structure of three doubles takes three instructions of 24 sectors each") {
  const auto all = cost("double3 a; a[threadIdx.x]");
  REQUIRE(all);
  REQUIRE(all->size() == 3);
  for (const SiteTraffic& t : *all) {
    CHECK(t.sectors == 24);
    CHECK(t.ideal_sectors == 8);
  }
}

// Paddings and swizzles of a column's read: as many passes as lanes of a bank.
TEST_CASE("columns of shared tiles cost their passes") {
  const auto column = [](int stride) {
    return one("shared float t[32][" + std::to_string(stride) + "]; t[lane][0]").wavefronts;
  };
  CHECK(column(32) == 32);
  CHECK(column(64) == 32);
  CHECK(column(16) == 16);
  CHECK(column(33) == 1);
  const auto swizzled = [](int mask) {
    return one("shared float t[32][32]; t[lane][0 ^ (lane & " + std::to_string(mask) + ")]")
        .wavefronts;
  };
  CHECK(swizzled(31) == 1);
  CHECK(swizzled(7) == 4);
  CHECK(swizzled(3) == 8);
}

TEST_CASE("wide loads of shared memory have more passes without any conflict") {
  const SiteTraffic t = one("shared float4 s[64]; s[lane]");
  CHECK(t.wavefronts == 4);
  CHECK(t.ideal_wavefronts == 4);
}

TEST_CASE("ldmatrix takes eight rows of 16 bytes at a time") {
  CHECK(one("shared half s[64][64]; ldmatrix(&s[lane][0])").wavefronts == 32);
  CHECK(one("shared half s[64][72]; ldmatrix(&s[lane][0])").wavefronts == 4);
}

TEST_CASE("constants at different addresses are looked up one after the other") {
  CHECK(one("constant int c[64]; c[lane]").addresses == 32);
  CHECK(one("constant int c[64]; c[5]").addresses == 1);
}

TEST_CASE("loops, conditions, variables and functions") {
  CHECK(one("for k in 0..8: a[k * 32 + lane]").requests == 8);
  CHECK(one("for k in 0..64..16 { a[k + lane]; }").requests == 4);
  CHECK(one("if (lane < 8) a[lane]").lanes == 8);
  CHECK(one("i = lane * 2; a[i + (i > 10 ? 1 : 0)]").requests == 1);
  CHECK(one("a[min(lane, 3)]").sectors == 1);
  CHECK(one("a[random(lane) % 1048576]").sectors > 28);
  const auto sum = cost("a[lane] += 1");
  REQUIRE(sum);
  REQUIRE(sum->size() == 2);
  const auto let = cost("a[lane * n]", {32, 1, 1}, {1, 1, 1}, {{"n", 8}});
  REQUIRE(let);
  CHECK(let->front().sectors == 32);
}

TEST_CASE("a transpose's load and store, over blocks and grids") {
  const auto all = cost(
      "out[(blockIdx.x*16 + threadIdx.x)*1024 + blockIdx.y*16 + threadIdx.y] = "
      "in[(blockIdx.y*16 + threadIdx.y)*1024 + blockIdx.x*16 + threadIdx.x]",
      {16, 16, 1}, {4, 4, 1});
  REQUIRE(all);
  REQUIRE(all->size() == 2);
  CHECK((*all)[0].requests == 128);
  CHECK((*all)[0].sectors == 128 * 16);  // the store
  CHECK((*all)[1].sectors == 128 * 4);
}

TEST_CASE("a mistake has a caret under it") {
  CHECK(caret("a[lane * m]") == 9);
  CHECK(caret("a[lane") == 6);
  CHECK(caret("a[lane] + $") == 10);
  CHECK(caret("a[3 / (lane - lane)]") == 4);
  CHECK(caret("a[lane - 5]") == 7);
  CHECK(caret("shared float t[4][4]; t[lane][0]") == 24);
  CHECK(mistake("sharde float t[4]; t[0]").find("sharde") != std::string::npos);
  CHECK(mistake("x = 3").find("accesses nothing") != std::string::npos);
  CHECK(mistake("for k in 0..10..0: a[k]").find("step is 0") != std::string::npos);
  CHECK(mistake(std::string(5000, '(') + "a[0]").find("nested") != std::string::npos);
  CHECK(mistake("a[0]; float a; a[1]").find("declared after") != std::string::npos);
  CHECK(caret("a[0x-1]") == 2);
}

TEST_CASE("loops in loops have a limit together") {
  const auto rounds = [](const std::string& text, std::uint64_t most) {
    Shape shape;
    shape.most_rounds = most;
    return run_warp(parse(text, {}).value(), shape, 0, 0, [](auto, auto, const auto&) {});
  };
  const std::string text = "for i in 0..10: for j in 0..10: a[i * j]";
  CHECK(rounds(text, 110));
  const auto stopped = rounds(text, 109);
  REQUIRE(!stopped);
  CHECK(stopped.error().message.find("more than 109 times") != std::string::npos);
}

TEST_CASE("a pattern of any length is costed or refused") {
  const auto sum = [](int terms) {
    std::string text = "a[0";
    for (int i = 1; i < terms; ++i) text += "+0";
    return text + "]";
  };
  CHECK(one(sum(900)).sectors == 1);
  CHECK(mistake(sum(50000)).find("too many operators") != std::string::npos);
  // Elements are counted up to what addresses can tell apart.
  CHECK(one("char a[65536][65536]; a[65535][65535]").sectors == 1);
  CHECK(mistake("char a[65536][65537]; a[0][0]").find("2^32") != std::string::npos);
  CHECK(mistake("int a[4294967296][4294967296][4294967296]; a[1][1][1]").find("2^32") !=
        std::string::npos);
}

}  // namespace warpmem::sim::pattern
