// DRAM types: what a card takes from one, what the user's choice of another changes, and that no
// setting is without effect.
#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/interconnect/spec.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using model::Card;

namespace {

Card h200() { return model::load_card("h200").value(); }

Card with(std::vector<model::CardSetting> settings) {
  Card card = h200();
  const auto set = card.set(settings);
  if (!set) UNSCOPED_INFO(set.error().text());
  REQUIRE(set.ok());
  return card;
}

const model::CardEntry& entry(const Card& card, const std::string& key) {
  for (const auto& e : card.entries())
    if (e.key == key) return e;
  FAIL("no entry " << key);
  std::abort();
}

bool comes_from(const Card& card, const std::string& key, const std::string& source) {
  UNSCOPED_INFO(key << ": " << entry(card, key).source);
  return entry(card, key).source.rfind(source, 0) == 0;
}

}  // namespace

TEST_CASE("a card's own DRAM numbers go before those of its type") {
  const Card card = h200();
  CHECK(card.numbers().dram_sectors_per_kilocycle == 72100);
  CHECK(comes_from(card, "dram.sectors_per_kilocycle", "measured: "));
  CHECK(card.numbers().dram_rate_mbps == 6403);
  CHECK(entry(card, "dram.type").value == "hbm3e");
  CHECK(card.numbers().dram_banks == 64);
  CHECK(comes_from(card, "dram.banks", "documented: JESD238"));
  CHECK(card.numbers().dram_t_rc_ps == 45000);
}

TEST_CASE("every DRAM type can take the place of the card's own") {
  const char* const kTypes[] = {"gddr3", "gddr5", "gddr5x", "gddr6", "gddr6x",
                                "hbm2",  "hbm2e", "hbm3",   "hbm3e"};
  for (const std::string type : kTypes) {
    INFO(type);
    const Card card = with({{"dram.type", type}});
    const auto& n = card.numbers();
    CHECK(entry(card, "dram.type").value == type);
    if (type != "hbm3e") {
      // The pins, less refreshes that block the whole channel.
      const double pins = static_cast<double>(n.dram_channels * n.dram_width_bits) *
                          static_cast<double>(n.dram_rate_mbps) * 1000 / 256 / 1980;
      const bool all = entry(card, "dram.refresh").value == "all";
      const double lost = all ? static_cast<double>(n.dram_t_rfc_ps + n.dram_t_rp_ps) /
                                    static_cast<double>(n.dram_t_refi_ps)
                              : 0;
      CHECK(static_cast<double>(n.dram_sectors_per_kilocycle) ==
            Approx(pins * (1 - lost)).epsilon(1e-4));
      CHECK(comes_from(card, "dram.sectors_per_kilocycle", "derived: "));
      // A channel's bus is as fast as its pins while nothing refreshes it.
      CHECK(model::spec_of<model::MemoryPathSpec>(card).dram.burst_ticks ==
            Approx(64.0 * 1000 * static_cast<double>(n.dram_channels) / pins).margin(1.01));
    }
    CHECK(n.dram_row_cycles * 1'000'000 == Approx(n.dram_t_rc_ps * 1980).epsilon(0.02));
    CHECK(n.dram_turnaround_cycles > 0);
    for (const auto& e : card.entries()) CHECK_FALSE(e.source.empty());
  }
}

TEST_CASE("GDDR5X moves 64 bytes at a time, the others a sector") {
  CHECK(model::spec_of<model::MemoryPathSpec>(with({{"dram.type", "gddr5x"}})).dram.burst_sectors ==
        2);
  for (const char* type : {"gddr3", "gddr5", "gddr6", "hbm2", "hbm3"})
    CHECK(model::spec_of<model::MemoryPathSpec>(with({{"dram.type", type}})).dram.burst_sectors ==
          1);
}

TEST_CASE("a DRAM with a slower array answers later") {
  const Card own = h200(), other = with({{"dram.type", "gddr3"}});
  // tRCD + tCL: 31.4 ns in place of 31.9.
  CHECK(other.numbers().latency_dram == own.numbers().latency_dram - 1);
  const Card slow = with({{"dram.t_rcd_ps", "28750"}});  // 9.4 ns more at 1.98 GHz
  CHECK(slow.numbers().latency_dram >= own.numbers().latency_dram + 18);
  CHECK(slow.numbers().latency_dram <= own.numbers().latency_dram + 19);
  CHECK(with({{"dram.type", "gddr3"}, {"latency.dram", "400"}}).numbers().latency_dram == 400);
}

TEST_CASE("settings go together in any order, and only all of them need to make sense") {
  const std::vector<model::CardSetting> a = {
      {"dram.type", "gddr6"}, {"dram.channels", "24"}, {"dram.rate_mbps", "16000"}};
  const std::vector<model::CardSetting> b = {a[2], a[1], a[0]};
  CHECK(with(a).numbers().dram_sectors_per_kilocycle ==
        with(b).numbers().dram_sectors_per_kilocycle);
  CHECK(with(a).numbers().dram_sectors_per_kilocycle == 24 * 16 * 16000ull * 1000 / (256 * 1980));
  // Half of a refusal changes nothing.
  Card card = h200();
  const std::vector<model::CardSetting> wrong = {{"l1.size", "512KiB"}, {"l2.ways", "17"}};
  REQUIRE_FALSE(card.set(wrong).ok());
  CHECK(card.numbers().l1_bytes == 256 * 1024);
  CHECK(card.set(wrong).error().text().find("--set l1.size --set l2.ways") != std::string::npos);
}

TEST_CASE("what a number follows from changes it, unless the user says the number as well") {
  const auto own = h200().numbers();
  CHECK(with({{"dram.channels", "94"}}).numbers().dram_sectors_per_kilocycle == 36050);
  CHECK(with({{"dram.rate_mbps", "12806"}}).numbers().dram_sectors_per_kilocycle == 144200);
  CHECK(with({{"dram.channels", "94"}, {"dram.sectors_per_kilocycle", "30000"}})
            .numbers()
            .dram_sectors_per_kilocycle == 30000);
  CHECK(with({{"dram.t_rc_ps", "60000"}}).numbers().dram_row_cycles == 119);
  CHECK(with({{"dram.t_faw_ps", "30000"}}).numbers().dram_activate_permille == 14850);
  CHECK(with({{"dram.t_wtr_ps", "10000"}}).numbers().dram_turnaround_cycles !=
        own.dram_turnaround_cycles);
  CHECK(comes_from(with({{"dram.channels", "94"}}), "dram.sectors_per_kilocycle",
                   "derived: the card's own, scaled"));
}

TEST_CASE("refreshes that the model makes are not taken from the bandwidth twice") {
  // The card's rate is what is left beside refreshes of all banks: the bus itself is faster.
  const Card none = with({{"dram.refresh", "none"}}),
             all = with({{"dram.refresh", "all"}, {"dram.sectors_per_kilocycle", "60000"}}),
             same = with({{"dram.sectors_per_kilocycle", "60000"}});
  const double lost = 366.25 / 1950;
  CHECK(model::spec_of<model::MemoryPathSpec>(all).dram.burst_ticks ==
        Approx(model::spec_of<model::MemoryPathSpec>(same).dram.burst_ticks * (1 - lost))
            .margin(1.01));
  CHECK(model::spec_of<model::MemoryPathSpec>(all).dram.refresh_ticks ==
        Approx(366.25 * 1.98 * 64).margin(1));
  // One bank at a time leaves the bus alone.
  const Card bank = h200();
  CHECK(model::spec_of<model::MemoryPathSpec>(bank).dram.burst_ticks ==
        model::spec_of<model::MemoryPathSpec>(none).dram.burst_ticks);
  CHECK(model::spec_of<model::MemoryPathSpec>(bank).dram.refresh == model::DramRefresh::kBank);
  CHECK(model::spec_of<model::MemoryPathSpec>(none).dram.refresh == model::DramRefresh::kNone);
}

TEST_CASE("words that are none of a choice are refused with those there are") {
  Card card = h200();
  const auto refused = [&](const char* key, const char* value) {
    const auto set = card.set(key, value);
    REQUIRE_FALSE(set.ok());
    return set.error().text();
  };
  CHECK(refused("dram.type", "ddr4").find("choose one of: gddr3, gddr5, gddr5x") !=
        std::string::npos);
  CHECK(refused("dram.map", "random").find("choose one of: hashed, plain") != std::string::npos);
  CHECK(refused("dram.refresh", "1").find("choose one of: none, bank, all") != std::string::npos);
}
