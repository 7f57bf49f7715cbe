// Which records of bulk copies are of one instruction, and what runs between them.
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using testing::Paths;
using trace::Piece;

namespace {

constexpr std::uint32_t kBody = 100;  // instructions of the loop, without the copy and the branch

// A loop with one copy, behind which nothing leaves a record.
std::vector<Line> looped(const std::string& copy) {
  std::vector<Line> text(kBody, Line{"FFMA R1, R1, R3, R4 ;", control(4)});
  text.push_back({copy, control(2)});
  text.push_back({"@P0 BRA 0x0 ;", control(5)});
  text.push_back({"EXIT ;"});
  return text;
}
constexpr std::uint32_t kCopyAt = 16 * kBody, kExitAt = kCopyAt + 32;

// Copies of `rows` rows each, by lane 5; those of every other tile lie outside the tensor, so that
// nothing is read for them.
Kernel tiles(std::uint32_t copies, std::uint32_t rows) {
  Kernel k = kernel();
  k.level = trace::Level::kPtxSass;
  k.code = lines(looped("UTMALDG.2D [UR8], [UR6] ;"));
  k.sites = {{kCopyAt, Op::kBulkRead, Space::kGlobal, 64},
             {kCopyAt, Op::kBulkWrite, Space::kShared, 64}};
  k.text.resize(2);
  k.launch.static_shared = 4096;
  k.fill = [=](Warp& w) {
    for (std::uint32_t c = 0; c < copies; ++c)
      for (std::uint32_t row = 0; row < rows; ++row) {
        Piece piece = row ? Piece::kFurther : Piece::kFirst;
        const auto put = [&](std::uint32_t site, std::uint64_t at) {
          w.records.push_back(trace::piece_record(5, at, piece));
          w.records.back().site = site;
          piece = Piece::kFurther;
        };
        if (c % 2 == 0) put(0, kA + (c * rows + row) * 256);
        put(1, row * 64);
      }
  };
  return k;
}

std::uint64_t instructions(const Kernel& k) { return timed(k, h200()).time->instructions; }

}  // namespace

TEST_CASE("time: pieces of a bulk copy are one instruction, a loop's next copy is another") {
  const std::uint64_t once = instructions(tiles(1, 1));
  CHECK(once == kBody + 1);
  CHECK(instructions(tiles(1, 16)) == once);
  // Each further copy is once round the loop, whether or not it or the one before it read anything.
  CHECK(instructions(tiles(2, 16)) == once + kBody + 2);
  CHECK(instructions(tiles(3, 1)) == once + 2 * (kBody + 2));
  CHECK(instructions(tiles(6, 16)) == once + 5 * (kBody + 2));
}

TEST_CASE("time: what pieces of a bulk copy move is what as many copies would move") {
  Kernel one = tiles(4, 8);
  const auto pieces = timed(one, h200());
  const auto fill = one.fill;
  one.fill = [&](Warp& w) {
    fill(w);
    for (trace::Record& r : w.records)
      r = {.base = r.base + 5u * static_cast<unsigned>(r.stride), .mask = r.mask, .site = r.site};
  };
  const auto plain = timed(one, h200());
  CHECK(pieces.metrics.metrics.size() == plain.metrics.metrics.size());
  for (const auto& metric : pieces.metrics.metrics) {
    const auto& name = metric.first;
    const auto& value = metric.second;
    INFO(name);
    const auto other = std::find_if(plain.metrics.metrics.begin(), plain.metrics.metrics.end(),
                                    [&](const auto& m) { return m.first == name; });
    REQUIRE(other != plain.metrics.metrics.end());
    if (name.starts_with("lts__t_sectors")) CHECK(value.value == other->second.value);
  }
}

TEST_CASE("time: an asynchronous copy that follows itself has gone round its loop") {
  for (const auto& [read, write] :
       {std::pair{Op::kAsyncCopyRead, Op::kAsyncCopyWrite}, {Op::kBulkRead, Op::kBulkWrite}}) {
    const bool bulk = read == Op::kBulkRead;
    trace::Program p = program(
        looped(bulk ? "UBLKCP.S.G [UR8], [UR6], UR4 ;" : "LDGSTS.E [R5], desc[UR4][R2.64] ;"));
    const std::vector<Site> sites = {{kCopyAt, read, Space::kGlobal, 16},
                                     {kCopyAt, write, Space::kShared, 16},
                                     {kExitAt, Op::kCtaEnd, Space::kNone, 0}};
    {
      Paths recorded(sites, p);
      CHECK(recorded.between(0, 1).instructions == 0);
      CHECK(recorded.between(1, 0).instructions == kBody + 2);
      CHECK(recorded.between(1, 2).instructions == 2);
    }
    // Traces of an emulator before format 1.4 have rows of a tile that do not say what they are.
    p.level = trace::Level::kPtxSass;
    Paths emulated(sites, p);
    CHECK(emulated.between(0, 1).instructions == 0);
    CHECK(emulated.between(1, 0).instructions == (bulk ? 0 : kBody + 2));
    CHECK(emulated.between(1, 0, true).instructions == kBody + 2);
    CHECK(emulated.between(1, 0).instructions == (bulk ? 0 : kBody + 2));
  }
}
