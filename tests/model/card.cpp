// GPU cards: every contradiction is refused with its place, and numbers can be overridden.
#include "model/card/card.hpp"

#include <algorithm>
#include <bit>
#include <fstream>
#include <sstream>

#include "model/cache/spec.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/card/spec_of.hpp"
#include "model/l2/spec.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using model::Card;

namespace {

std::string text_of(const std::string& name) {
  std::ifstream in(std::string(WARPMEM_CARDS) + "/" + name + ".toml");
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

// The H200's card with one piece of text replaced.
std::string changed(const std::string& from, const std::string& to) {
  std::string text = text_of("h200");
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

Card h200() { return model::load_card("h200").value(); }

std::string refusal(const std::string& text) {
  const auto card = Card::parse(text, "test");
  REQUIRE_FALSE(card.ok());
  CHECK(card.error().kind == ErrorKind::kUsage);
  CHECK_FALSE(card.error().fix.empty());
  CHECK(card.error().place.find("test.toml") == 0);
  return card.error().text();
}

// The text holds all of the pieces.
template <class... Piece>
bool says(const std::string& text, const Piece&... piece) {
  UNSCOPED_INFO(text);
  return ((text.find(piece) != std::string::npos) && ...);
}

}  // namespace

TEST_CASE("every built-in card is whole, and every number has a unit, a meaning and a source") {
  for (const std::string& name : model::card_names()) {
    const auto card = model::load_card(name);
    INFO(name);
    REQUIRE(card.ok());
    CHECK_FALSE(card->full_name().empty());
    CHECK_FALSE(card->compute_capability().empty());
    CHECK(card->instructions().rows().size() > 50);
    for (const auto& e : card->entries()) {
      INFO(e.key);
      const bool known =
          e.source.rfind("measured: ", 0) == 0 || e.source.rfind("documented: ", 0) == 0 ||
          e.source.rfind("assumed: ", 0) == 0 || e.source.rfind("derived: ", 0) == 0 ||
          e.source.rfind("default: ", 0) == 0 || e.source.rfind("as ", 0) == 0;
      CHECK(known);
      CHECK_FALSE(e.value.empty());
      CHECK_FALSE(e.unit.empty());
      CHECK_FALSE(e.meaning.empty());
      CHECK_FALSE(e.overridden);
    }
  }
}

TEST_CASE("the H200's card says what the device says") {
  const Card c = h200();
  CHECK(c.numbers().sm_count == 132);
  CHECK(c.numbers().dram_bus_bits == 6144);  // as its driver says
  CHECK(c.numbers().l2_bytes == 62914560);
  CHECK(c.numbers().shared_configs.back() == 228 * 1024);
  CHECK(c.compute_capability() == "9.0");
  CHECK(model::spec_of<model::L1Spec>(c).lines(32 * 1024) == 1736);
  CHECK(model::spec_of<model::L1Spec>(c).lines(1 << 30) == 4);  // never nothing
  CHECK(model::spec_of<model::L2Spec>(c).fetch_sectors == 2);
  CHECK(std::popcount(model::spec_of<model::L2Spec>(c).home_mask) == 7);
}

TEST_CASE("an unknown card names the nearest") {
  const auto card = model::load_card("h20");
  REQUIRE_FALSE(card.ok());
  CHECK(says(card.error().text(), "--gpu h20", "did you mean 'h200'?"));
  CHECK(says(model::load_card("zzzzzz").error().text(), "known cards: "));
}

TEST_CASE("text that is no card is refused with its line") {
  CHECK(says(refusal("name = \"x\"\n[sm\n"), "test.toml, line 2", "not valid TOML"));
  CHECK(says(refusal(""), "is missing"));
  CHECK(says(refusal("speed = 3\n"), "unknown key 'speed'"));
  CHECK(says(refusal(changed("[l2]\nsize", "[l2]\nsiz")), "unknown key 'l2.siz'",
             "did you mean 'l2.size'?"));
  CHECK(says(refusal(changed("[l2]\nsize", "[l2]\nqqqqqqqqqq")), "unknown key 'l2.qqqqqqqqqq'",
             "remove it"));
}

TEST_CASE("a number without a value or a source is refused") {
  CHECK(says(refusal(changed("count = { value = 132, source = \"documented: device attribute\" }",
                             "count = { value = 132 }")),
             "'sm.count' needs a value and a source"));
  CHECK(says(refusal(changed("count = { value = 132,", "count = {")),
             "'sm.count' needs a value and a source"));
  CHECK(says(refusal(changed("count = { value = 132, source = \"documented: device attribute\" }",
                             "count = 132")),
             "'sm.count' needs a value and a source"));
  CHECK(says(refusal(changed("value = 132", "value = -1")), "sm.count = -1 is less than 1"));
  CHECK(says(refusal(changed("value = 132", "value = \"many\"")),
             "sm.count = \"many\" is not a whole number", "test.toml, line 13"));
  CHECK(says(refusal(changed("value = 132", "value = true")),
             "sm.count = true is not a whole number"));
  CHECK(says(refusal(changed("value = 132", "value = 132.0")),
             "sm.count = 132 is not a whole number"));
  CHECK(says(refusal(changed("value = 132", "value = \"132KiB\"")),
             "sm.count = \"132KiB\" is not a whole number"));
  CHECK(says(refusal(changed("value = [12, 13, 15", "value = [12, \"x\", 15")),
             "l2.home_bits = \"x\" is not a whole number"));
  CHECK(says(refusal(changed("source = \"documented: device attribute\"", "source = 5")),
             "sm.count.source = 5 is not a text in quotes"));
  CHECK(says(refusal(changed("name = \"NVIDIA H200\"", "name = 200")),
             "name = 200 is not a text in quotes"));
  CHECK(says(refusal(changed("compute_capability = \"9.0\"", "compute_capability = 9.0")),
             "compute_capability = 9 is not a text in quotes"));
  CHECK(says(refusal(changed("compute_capability = \"9.0\"", "compute_capability = \"sm_90\"")),
             "compute_capability is 'sm_90'"));
  CHECK(says(refusal(changed("value = [12, 13, 15, 17, 19, 21, 22]", "value = 12")),
             "'l2.home_bits' is not a list"));
}

TEST_CASE("every number is needed") {
  const Card card = h200();
  std::istringstream lines(text_of("h200"));
  // What the DRAM's type says as well, what follows from it, and choices of components, of which
  // each has a default.
  const std::vector<std::string> spare = {"dram.sectors_per_kilocycle",
                                          "dram.activate_permille",
                                          "dram.row_cycles",
                                          "dram.turnaround_cycles",
                                          "dram.rate_mbps",
                                          "dram.refresh",
                                          "dram.t_refi_ps",
                                          "dram.t_rfc_bank_ps",
                                          "shared.banks",
                                          "shared.bank_bytes",
                                          "l1.line",
                                          "l1.cache",
                                          "l1.index",
                                          "l1.ways",
                                          "l1.replacement",
                                          "l2.index",
                                          "access.rule",
                                          "shared.rule",
                                          "shared.default",
                                          "l1.sector",
                                          "l1.allocate",
                                          "l1.write",
                                          "l2.replacement",
                                          "lsu.queue",
                                          "lsu.cycles",
                                          "lsu.return_bytes",
                                          "sm.issue_interval",
                                          "reached.shared",
                                          "reached.l1",
                                          "reached.l2"};
  int dropped = 0;
  std::string group;
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind("[", 0) == 0) group = line.substr(1, line.find(']') - 1);
    const auto end = line.find(" = { value = ");
    if (end == std::string::npos || line.find("source") == std::string::npos || line.back() != '}')
      continue;
    const std::string key = group + "." + line.substr(0, end);
    if (std::find(spare.begin(), spare.end(), key) != spare.end()) {
      CHECK(Card::parse(changed("\n" + line + "\n", "\n"), "test").ok());
      continue;
    }
    ++dropped;
    CHECK(says(refusal(changed("\n" + line + "\n", "\n")), "'" + key + "' is missing"));
  }
  CHECK(dropped > 20);
}

TEST_CASE("numbers that contradict each other are refused") {
  struct Case {
    const char *key, *value, *message;
  };
  constexpr Case kCases[] = {
      {"sm.count", "0", "'0' is less than 1"},
      {"sm.warps", "0", "'0' is less than 1"},
      {"sm.ctas", "0", "'0' is less than 1"},
      {"sm.threads", "0", "'0' is less than 1"},
      {"sm.registers", "0", "'0' is less than 1"},
      {"sm.threads", "31", "give sm.threads at least 32"},
      {"sm.registers", "1023",
       "a scheduler has 255 registers (sm.registers / sm.schedulers), less than sm.register_unit "
       "(256)"},
      {"sm.registers", "1023", "give sm.registers at least 1,024"},
      {"sm.register_unit", "16385", "give sm.registers at least 65,540"},
      {"shared.unit", "1MiB", "give shared.unit at most 228 KiB"},
      {"dram.ecc", "on", "dram.ecc_permille"},
      {"sm.register_unit", "0", "'0' is less than 1"},
      {"shared.unit", "0", "'0' is less than 1"},
      {"latency.dram", "0", "'0' is less than 1"},
      {"dram.channels", "0", "'0' is less than 1"},
      {"dram.width_bits", "0", "'0' is less than 1"},
      {"dram.rate_mbps", "0", "'0' is less than 1"},
      {"latency.shared", "0", "'0' is less than 1"},
      {"bulk.cycles", "0", "'0' is less than 1"},
      {"l2.slices", "95", "l2.slices is 95, no multiple of 4"},
      {"l2.slices", "95", "give 92 or 96"},
      {"dram.sectors_per_kilocycle", "1000000000", "more than all SMs' ports carry"},
      {"lrc.merge", "0", "'0' is less than 1"},
      {"l2.sides", "3", "l2.sides is 3: it must be 1 or 2"},
      {"l2.sides", "0", "l2.sides is 0: it must be 1 or 2"},
      {"l2.ways", "65", "give a whole number from 1 to 64"},
      {"l2.dirty_ways", "0", "must rise in this order"},
      {"l2.dirty_ways", "17", "must rise in this order"},
      {"l2.partial_ways", "8", "must rise in this order"},
      {"l2.size", "2KiB", "leaves less than a set a side"},
      {"l2.fetch", "96", "it must be 32, 64 or 128 bytes"},
      {"shared.configs", "32KiB,16KiB", "shared.configs must be an ascending list"},
      {"l1.size", "15KiB", "leaves nothing for the L1"},
      {"shared.configs", "8KiB,256KiB", "leaves nothing for the L1"},
      {"shared.configs", "8KiB,256KiB", "give l1.size at least 269,824 B"},
      {"l1.size", "64MiB", "'64MiB' is more than 4 MiB"},
      {"l2.size", "1TiB", "'1TiB' is more than 4 GiB"},
      {"shared.per_cta", "18446744073709551615", "is more than 4 GiB"},
      {"l2.home_bits", "6", "l2.home_bits must lie in 7"},
      {"l2.home_bits", "64", "l2.home_bits must lie in 7"},
      {"l2.home_bits", "", "l2.home_bits is empty"},
      {"l2.home_bits", "12,13,12", "names a bit twice"},
      {"l2.home_bits", "33,40", "8 GiB at a time"},
      {"l2.home_bits", "26,40", "64 MiB at a time, more than l2.size"},
      {"latency.l1", "0", "'0' is less than 1"},
      {"latency.l2_near", "0", "'0' is less than 1"},
      {"latency.l2_near", "34", "latency.l2_near (34) is not more than latency.l1 (34)"},
      {"lrc.way_cycles", "245", "latency.l2_near (245) is not more than lrc.way_cycles (245)"},
      {"lrc.way_cycles", "245", "give latency.l2_near at least 246"},
      {"latency.l2_far", "0", "'0' is less than 1"},
      {"latency.host", "0", "'0' is less than 1"},
      {"latency.remote", "0", "'0' is less than 1"},
      {"driver.malloc", "1,2,3", "driver.malloc has 3 numbers"},
      {"sm.clock_mhz", "0", "'0' is less than 1"},
      {"sm.warps", "65", "'65' is more than 64"},
      {"l2.slices", "8192", "'8192' is more than 4,096"},
      {"dram.channels", "5000", "'5000' is more than 4,096"},
      {"l2.size", "62914561", "l2.size is 62,914,561 B, no multiple of 4 KiB"},
      {"l2.size", "62914561", "give 60 MiB or 62,918,656 B"},
      {"l2.ways", "11", "l2.size is 60 MiB, no multiple of 2,816 B"},
      {"l1.size", "262272", "give 256 KiB or 262,656 B"},
      {"l1.reserved", "128", "give 512 B"},
      {"shared.configs", "8KiB,16.25KiB", "give 16 KiB or 16,896 B"},
      {"constant.size", "2305", "give 2,304 B or 2,560 B"},
      {"constant.group_size", "65537", "give 64 KiB or 65,792 B"},
      {"launch.dirty_sectors", "73702", "give 73,700 or 73,704"},
      {"shared.per_cta", "228KiB", "more than the largest of shared.configs"},
      {"port.host_permille", "1000000", "port.host_permille is 1,000,000, more than the 64,000"},
      {"dram.sectors_per_kilocycle", "77000", "its channels carry 75,"},
      {"dram.sectors_per_kilocycle", "77000", "raise dram.rate_mbps or dram.channels"},
      {"dram.interleave", "384", "dram.interleave must be a power of two"},
      {"dram.interleave", "2KiB", "dram.row a multiple of it"},
      {"dram.burst", "7", "a burst (dram.width_bits x dram.burst) must be a power of two"},
      {"dram.burst", "64", "at most 128 bytes"},
      {"dram.t_rc_ps", "35000", "dram.t_rc_ps is less than dram.t_rcd_ps and dram.t_rp_ps"},
      {"dram.t_faw_ps", "2000", "dram.t_faw_ps, four activations, is less"},
      {"dram.t_rfc_ps", "300000", "the card does not use 'dram.t_rfc_ps': dram.refresh is bank"},
      {"dram.refresh", "all", "less refreshes"},
      {"time.queue_cycles", "5000000000", "'5000000000' is more than 1,000,000"},
      {"sm.count", "nan", "write a whole number of SMs from 1 to 4,096"},
      {"sm.count", "64KiB", "'64KiB' is not a whole number"},
      {"time.cta_millicycles", "0", "'0' is less than 1"},
      {"l2.read_permille", "0", "'0' is less than 1"},
      {"l2.atomic_part_permille", "1000001", "'1000001' is more than 1,000,000"},
      {"dram.sectors_per_kilocycle", "187", "a channel would take more than 1,000 cycles"},
      {"l2.read_permille", "15", "give 16 or more"},
      {"remote.read", "1", "less than the 64th of a cycle"},
      {"port.receive_permille", "64001", "from 1 to 64,000"},
      {"constant.misses", "0", "'0' is less than 1"},
      {"constant.line", "8GiB", "'8GiB' is more than 1 KiB"},

      {"constant.size", "128", "constant.size is less than a set"},
      {"constant.group_line", "96", "constant.group_line is 96 B, no multiple of 64 B"},
      {"constant.group_size", "128", "constant.group_size is less than constant.group_line"},
      {"constant.group_size", "4GiB", "'4GiB' is more than 4 MiB"},
      {"constant.memory_cycles", "80", "constant.memory_cycles is less than constant.group_cycles"},
      {"code.size", "256KiB", "code.size is more than code.group_size"},
      {"code.group_size", "16KiB", "code.size is more than code.group_size"},
      {"code.group_again_cycles", "52", "code.group_again_cycles is less than code.again_cycles"},
      {"launch.dirty_sectors", "4000000",
       "launch.dirty_sectors (4,000,000) is more than the L2 has"},
  };
  for (const Case& c : kCases) {
    Card card = h200();
    const auto before = model::spec_of<model::L2Spec>(card);
    const auto set = card.set(c.key, c.value);
    INFO(c.key << " = " << c.value);
    REQUIRE_FALSE(set.ok());
    CHECK(says(set.error().text(), std::string("--set ") + c.key, c.message));
    CHECK(model::spec_of<model::L2Spec>(card).side.bytes == before.side.bytes);  // left as it was
    CHECK(card.numbers().sm_count == 132);
  }
  CHECK(says(refusal(changed("[topology]\nsm_side = { source = \"measured: cold latency by SM and "
                             "line\", value = [\n  0,",
                             "[topology]\nsm_side = { source = \"measured: x\", value = [\n  2,")),
             "topology.sm_side holds 2, more than 1", "from 0 to 1"));
  CHECK(
      says(refusal(changed("  124, 125,", "  124, 124,")), "topology.cta_order names an SM twice"));
  std::string one_side = text_of("h200");
  const auto from = one_side.find("value = [", one_side.find("sm_side = ")) + 9,
             to = one_side.find(']', from);
  std::replace(one_side.begin() + static_cast<long>(from), one_side.begin() + static_cast<long>(to),
               '1', '0');
  CHECK(says(refusal(one_side), "topology.sm_side has no SM on side 1"));
}

TEST_CASE("no latency is zero, but for what some accesses take beyond another one") {
  std::size_t latencies = 0;
  for (const model::CardField& f : model::card_fields()) {
    const std::string key = f.key;
    if (key.rfind("latency.", 0) != 0) continue;
    if (key == "latency.texture_miss") continue;  // 0: as latency.texture; an H200 has it not
    ++latencies;
    Card card = h200();
    const auto set = card.set(key, "0");
    INFO(key);
    if (key.find("spread") != std::string::npos || key == "latency.dram_tail" ||
        key == "latency.coordinates" || key == "latency.filter") {
      CHECK(set.ok());
      continue;
    }
    REQUIRE_FALSE(set.ok());
    CHECK(set.error().kind == ErrorKind::kUsage);
    CHECK(says(set.error().text(), "--set " + key, "'0' is less than 1", "fix: "));
  }
  CHECK(latencies >= 12);
}

TEST_CASE("a number is overridden, sizes and lists included, and says so") {
  Card card = h200();
  REQUIRE(card.set("l1.size", "512KiB").ok());
  CHECK(card.numbers().l1_bytes == 512 * 1024);
  CHECK(model::spec_of<model::L1Spec>(card).lines(32 * 1024) == (512 - 32 - 7) * 8);
  REQUIRE(card.set("l2.size", "120 MiB").ok());
  CHECK(model::spec_of<model::L2Spec>(card).side.bytes == 60 << 20);
  REQUIRE(card.set("l2.home_bits", "12,13").ok());
  CHECK(model::spec_of<model::L2Spec>(card).home_mask == 0x3000);
  REQUIRE(card.set("l2.fetch", "32").ok());
  CHECK(model::spec_of<model::L2Spec>(card).fetch_sectors == 1);
  int overridden = 0;
  for (const auto& e : card.entries()) {
    overridden += e.overridden;
    if (e.key == "l1.size") {
      CHECK(e.value == "512 KiB");
      CHECK(e.source == "set by the user");
    }
  }
  CHECK(overridden == 4);
}

TEST_CASE("a smaller L1 lacks the configurations of shared memory that it has no room for") {
  Card card = h200();
  REQUIRE(card.set("l1.size", "64KiB").ok());
  CHECK(card.numbers().shared_configs == std::vector<std::uint64_t>{8192, 16384, 32768});
  CHECK(card.numbers().shared_per_cta == 31 * 1024);
  CHECK(model::spec_of<model::L1Spec>(card).lines(8192) == (64 - 8 - 7) * 8);
  for (const auto& e : card.entries())
    if (e.key == "shared.configs" || e.key == "shared.per_cta") CHECK(says(e.source, "derived: "));
  REQUIRE(card.set("l1.size", "512KiB").ok());  // and has them again
  CHECK(card.numbers().shared_configs == h200().numbers().shared_configs);
  CHECK(card.numbers().shared_per_cta == h200().numbers().shared_per_cta);
}

TEST_CASE("an L2 of one side has all SMs on it") {
  Card card = h200();
  REQUIRE(card.set("l2.sides", "1").ok());
  CHECK(card.numbers().sm_side == std::vector<std::uint64_t>(132, 0));
}

TEST_CASE("whatever value a refusal names as possible is possible") {
  struct Case {
    const char *key, *value, *below, *above;
  };
  for (const Case& c : {Case{"l2.size", "62914561", "60 MiB", "62,918,656 B"},
                        {"l1.size", "262272", "256 KiB", "262,656B"},
                        {"constant.group_size", "65537", "64KiB", "65,792 B"},
                        {"launch.dirty_sectors", "73702", "73,700", "73,704"},
                        {"l2.slices", "95", "92", "96"},
                        {"sm.registers", "1023", "1024", "65536"},
                        {"constant.size", "2305", "2,304 B", "2560"}}) {
    Card card = h200();
    INFO(c.key);
    CHECK_FALSE(card.set(c.key, c.value).ok());
    CHECK(card.set(c.key, c.below).ok());
    CHECK(card.set(c.key, c.above).ok());
  }
}

TEST_CASE("a list is set as it is shown, as TOML has it, with commas or with blanks") {
  const std::vector<std::uint64_t> bits = {12, 13}, sizes = {8192, 16384, 233472};
  for (const char* form : {"12,13", "[12, 13]", "12 13", " [ 12 , 13 ] ", "[12 13]", "12, 13"}) {
    Card card = h200();
    INFO(form);
    REQUIRE(card.set("l2.home_bits", form).ok());
    CHECK(card.numbers().l2_home_bits == bits);
  }
  for (const char* form : {"8KiB,16KiB,228KiB", "[\"8KiB\", \"16KiB\", \"228KiB\"]",
                           "8 KiB 16 KiB 228 KiB", "[8 KiB, 16 KiB, 228 KiB]"}) {
    Card card = h200();
    INFO(form);
    REQUIRE(card.set("shared.configs", form).ok());
    CHECK(card.numbers().shared_configs == sizes);
  }
  for (const char* form : {"12,,13", "12;13", "[12, 13", "12,x"}) {
    const auto set = h200().set("l2.home_bits", form);
    INFO(form);
    REQUIRE_FALSE(set.ok());
    CHECK(says(set.error().text(), "a list as l2.home_bits=[1, 2]"));
  }
}

TEST_CASE("every number can be set to what the card shows of it") {
  const Card card = h200();
  std::size_t checked = 0;
  for (const auto& e : card.entries()) {
    if (e.kind == model::CardEntry::Kind::kInstruction || e.source.starts_with("derived")) continue;
    if (e.key == "dram.type" || e.key == "dram.t_rfc_ps") continue;  // another DRAM; not looked at
    Card again = h200();
    INFO(e.key << " = " << e.value);
    const auto set = again.set(e.key, e.value);
    CHECK(set.ok());
    for (const auto& now : again.entries())
      if (now.key == e.key) CHECK(now.numbers == e.numbers);
    ++checked;
  }
  CHECK(checked > 100);
}

TEST_CASE("an override that makes no sense is refused with a fix") {
  Card card = h200();
  CHECK(says(card.set("l1.siz", "1").error().text(), "has no such number",
             "did you mean 'l1.size'?"));
  CHECK(says(card.set("nothing.like.it", "1").error().text(), "warpmem gpus h200"));
  CHECK(says(card.set("l1.size", "big").error().text(), "'big' is not a whole number",
             "or a size as 64KiB"));
  CHECK(says(card.set("l1.size", "").error().text(), "takes one number"));
  CHECK(says(card.set("l1.size", "256KiB,512KiB").error().text(), "takes one number"));
  CHECK(card.numbers().l1_bytes == 256 * 1024);
}
