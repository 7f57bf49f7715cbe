// Every number of a card, set to what makes no sense: it is refused in words, or the replay ends.
#include "model/card/fields/card_fields.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// CTAs whose warps load, store, add, use shared memory and constants, and meet; its
// code is larger than one piece, and runs round.
Kernel everything_at_once() {
  Kernel k = kernel(140, 64);
  std::vector<Line> text = {{"LDC R4, c[0x3][R4] ;", control(2, 1)},
                            {"LDG.E R6, desc[UR4][R2.64] ;", control(2, 0, kNone, 2)},
                            {"STS [R8], R6 ;", control(2, kNone, 2, 1)},
                            {"BAR.SYNC 0x0 ;", control(5)},
                            {"LDS R7, [R9] ;", control(2, 0)},
                            {"RED.E.ADD [R10.64], R7 ;", control(2, kNone, 2, 1)},
                            {"STG.E desc[UR4][R2.64], R7 ;", control(2, kNone, 2, 1)}};
  while (text.size() < 60) text.push_back({"FFMA R12, R12, R13, R14 ;", control(4)});
  text.push_back({"@P0 BRA 0x0 ;", control(4)});
  text.push_back({"EXIT ;"});
  k.code = lines(text);
  k.sites = {{0x00, Op::kLoad, Space::kConstant, 4}, {0x10, Op::kLoad, Space::kGlobal, 4},
             {0x20, Op::kStore, Space::kShared, 4},  {0x30, Op::kBarrier, Space::kNone, 0},
             {0x40, Op::kLoad, Space::kShared, 4},   {0x50, Op::kReduction, Space::kGlobal, 4},
             {0x60, Op::kStore, Space::kGlobal, 4}};
  k.text.resize(k.sites.size());
  k.launch.static_shared = 4096;
  k.fill = [](Warp& w) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      const std::uint64_t warp = w.cta * 2 + w.warp;
      w.records.push_back(regular(0, (std::uint64_t{3} << 32) + i * 4096, 64));
      w.records.push_back(regular(1, kA + (warp * 3 + i) * 4096, 128));
      w.records.push_back(regular(2, w.warp * 128, 8));
      w.records.push_back(regular(3, 0, 0));
      w.records.push_back(regular(4, w.warp * 128, 4));
      w.records.push_back(regular(5, kB + i * 64, 0));
      w.records.push_back(regular(6, kB + (1 << 20) + warp * 4096, 32));
    }
  };
  return k;
}

}  // namespace

TEST_CASE("every number of a card, zero, tiny or absurd, is refused in words or can be replayed") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {everything_at_once()});
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions replay;
  replay.time = true;
  const auto cycles_on = [&](const model::Card& card) -> Result<std::uint64_t> {
    const auto result = sim::replay(reader, card, replay);
    if (!result) return result.error();
    CHECK(result->details.at(0).time->forced.count == 0);
    return result->details.at(0).time->cycles;
  };
  CHECK(must(cycles_on(h200())) > 3000);
  std::size_t refused = 0, replayed = 0;
  for (const model::CardField& f : model::card_fields())
    for (const char* value :
         {"0", "1", "999999", "1000000000", "4294967295", "18446744073709551615"}) {
      model::Card card = h200();
      INFO(f.key << " = " << value);
      Result<std::uint64_t> cycles = std::uint64_t{0};
      if (const auto set = card.set(f.key, value); !set) cycles = set.error();
      else cycles = cycles_on(card);  // which also refuses what a CTA has no room on
      if (cycles) {
        ++replayed;
        CHECK(*cycles > 0);
        continue;
      }
      ++refused;
      CHECK(cycles.error().kind == ErrorKind::kUsage);
      CHECK(cycles.error().text().find("fix: ") != std::string::npos);
    }
  // Neither is everything refused nor nothing.
  CHECK(refused > 400);
  CHECK(replayed > 150);
}
