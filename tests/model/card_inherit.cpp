// Cards of the user's: they inherit others, say what differs, and are told what is wrong in them.
#include <map>

#include "model/card/card.hpp"
#include "model/card/fields/card_fields.hpp"
#include "tests/catch.hpp"

using namespace warpmem;
using model::Card;

namespace {

using Files = std::map<std::string, std::string>;

Result<Card> load(const Files& files, const std::string& name) {
  return model::load_card(name, [&](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return Error{ErrorKind::kUsage, "cannot read the card: no such file", path, "give a file"};
  });
}

Card loaded(const Files& files, const std::string& name) {
  auto card = load(files, name);
  if (!card) UNSCOPED_INFO(card.error().text());
  REQUIRE(card.ok());
  return *std::move(card);
}

// "mine.toml", with these lines behind the one that inherits.
Card changed(const std::string& lines) {
  return loaded({{"mine.toml", "inherits = \"h200\"\n" + lines}}, "mine.toml");
}

Error refusal(const Files& files, const std::string& name) {
  const auto card = load(files, name);
  REQUIRE_FALSE(card.ok());
  CHECK(card.error().kind == ErrorKind::kUsage);
  CHECK_FALSE(card.error().fix.empty());
  return card.error();
}

std::string refused(const std::string& lines) {
  return refusal({{"mine.toml", "inherits = \"h200\"\n" + lines}}, "mine.toml").text();
}

template <class... Piece>
bool says(const std::string& text, const Piece&... piece) {
  UNSCOPED_INFO(text);
  return ((text.find(piece) != std::string::npos) && ...);
}

const model::CardEntry* entry(const Card& card, const std::string& key) {
  for (const auto& e : card.entries())
    if (e.key == key) return &e;
  return nullptr;
}

std::string source(const Card& card, const std::string& key) {
  const auto* e = entry(card, key);
  return e ? e->source : "";
}

// The same numbers, whatever their sources.
void check_alike(const Card& a, const Card& b) {
  REQUIRE(a.entries().size() == b.entries().size());
  for (std::size_t i = 0; i < a.entries().size(); ++i) {
    INFO(a.entries()[i].key);
    CHECK(a.entries()[i].key == b.entries()[i].key);
    CHECK(a.entries()[i].value == b.entries()[i].value);
    CHECK(a.entries()[i].used == b.entries()[i].used);
  }
  for (const model::CardField& f : model::card_fields()) {
    INFO(f.key);
    CHECK(model::card_numbers_of(f, a.numbers()) == model::card_numbers_of(f, b.numbers()));
  }
}

const std::string kSourced = ", source = \"assumed: a try\" }\n";

}  // namespace

TEST_CASE("a card that inherits has the other's numbers but for its own lines") {
  const Card h200 = model::load_card("h200").value();
  check_alike(changed(""), h200);
  // A file may be called as the card that it inherits.
  const Card named = loaded({{"h200.toml", "inherits = \"h200\"\n"}}, "h200.toml");
  check_alike(named, h200);
  CHECK(named.name() == "h200");
  CHECK_FALSE(named.built_in());
  const Card card = changed("name = \"Mine\"\n[l2]\nsize = { value = \"64MiB\"" + kSourced);
  CHECK(card.name() == "mine");
  CHECK(card.argument() == "mine.toml");
  CHECK(card.full_name() == "Mine");
  CHECK_FALSE(card.built_in());
  CHECK(card.compute_capability() == "9.0");
  CHECK(card.numbers().l2_bytes == 64 << 20);
  CHECK(card.numbers().l1_bytes == h200.numbers().l1_bytes);
  CHECK(source(card, "l2.size") == "assumed: a try");
  CHECK(source(card, "sm.count") == "as h200: documented: device attribute");
  CHECK(source(card, "dram.banks").starts_with("documented: JESD238A"));  // the DRAM type's
  for (const auto& e : card.entries()) CHECK_FALSE(e.overridden);
}

TEST_CASE("a card's lines change what it inherits as settings do") {
  struct Case {
    const char *key, *value;
  };
  for (const auto& [key, value] : {Case{"l1.size", "\"64KiB\""},
                                   {"l2.sides", "1"},
                                   {"dram.channels", "94"},
                                   {"dram.rate_mbps", "12806"},
                                   {"dram.type", "\"gddr6\""},
                                   {"dram.refresh", "\"none\""},
                                   {"dram.t_rcd_ps", "28750"},
                                   {"dram.t_rc_ps", "60000"},
                                   {"sm.clock_mhz", "1000"}}) {
    INFO(key);
    const std::string k = key, v = value;
    const Card card = changed("[" + k.substr(0, k.find('.')) + "]\n" + k.substr(k.find('.') + 1) +
                              " = { value = " + v + kSourced);
    Card set = model::load_card("h200").value();
    std::string plain = v;
    std::erase(plain, '"');
    REQUIRE(set.set(k, plain).ok());
    check_alike(card, set);
    // Settings of the user's come on top.
    Card again = card;
    REQUIRE(again.set("l2.ways", "8").ok());
    REQUIRE(set.set("l2.ways", "8").ok());
    CHECK(again.numbers().l2_ways == 8);
    CHECK(again.numbers().dram_sectors_per_kilocycle == set.numbers().dram_sectors_per_kilocycle);
    CHECK(again.numbers().shared_configs == set.numbers().shared_configs);
  }
}

TEST_CASE(
    "cards inherit each other by paths from where they lie, and each number says from which") {
  const Files files = {
      {"cards/base.toml", "inherits = \"h200\"\n[l1]\nsize = { value = \"512KiB\"" + kSourced},
      {"cards/own/top.toml", "inherits = \"../base.toml\"\n[l2]\nways = { value = 8" + kSourced}};
  const Card card = loaded(files, "cards/own/top.toml");
  CHECK(card.numbers().l1_bytes == 512 << 10);
  CHECK(card.numbers().l2_ways == 8);
  CHECK(source(card, "l1.size") == "as base: assumed: a try");
  CHECK(source(card, "l2.ways") == "assumed: a try");
  CHECK(source(card, "l2.fetch").starts_with("as h200: measured: "));
}

TEST_CASE("what is wrong with a card that is inherited is told with the cards in between") {
  const Files circle = {{"a.toml", "# one\ninherits = \"b.toml\"\n"},
                        {"b.toml", "inherits = \"./a.toml\"\n"}};
  CHECK(says(refusal(circle, "a.toml").text(), "b.toml, line 1",
             "in a circle: a.toml -> b.toml -> a.toml"));
  CHECK(says(refusal({{"a.toml", "inherits = \"a.toml\"\n"}}, "a.toml").text(), "a.toml, line 1",
             "a.toml -> a.toml"));
  CHECK(says(refusal({{"a.toml", "\ninherits = \"h20\"\n"}}, "a.toml").text(), "a.toml, line 2",
             "there is no card 'h20'", "did you mean 'h200'?"));
  CHECK(says(refusal({{"a.toml", "inherits = \"b.toml\"\n"}}, "a.toml").text(),
             "a.toml, line 1: b.toml", "no such file"));
  Files deep;
  for (int i = 0; i < 12; ++i)
    deep["c" + std::to_string(i) + ".toml"] =
        "inherits = \"c" + std::to_string(i + 1) + ".toml\"\n";
  CHECK(says(refusal(deep, "c0.toml").text(), "c7.toml, line 1", "more than 8 cards",
             "c0.toml -> c1.toml"));
  deep["c7.toml"] = "inherits = \"h200\"\n";
  CHECK(says(refusal(deep, "c0.toml").text(), "c7.toml, line 1", "more than 8 cards"));
  CHECK(load(deep, "c1.toml").ok());
  CHECK(says(Card::parse("inherits = \"other.toml\"\n", "test").error().text(), "test.toml, line 1",
             "built-in"));
  CHECK(says(refusal({{"a.toml", "inherits = \"b.toml\"\n"},
                      {"b.toml", "inherits = \"h200\"\n[l1]\nsiz = 1\n"}},
                     "a.toml")
                 .text(),
             "b.toml, line 3", "did you mean 'l1.size'?"));
}

TEST_CASE("a card's mistakes are told with its file, its line and a fix") {
  CHECK(says(refused("[l1]\nsiz = { value = 1" + kSourced), "mine.toml, line 3",
             "unknown key 'l1.siz'", "did you mean 'l1.size'?"));
  CHECK(says(refused("[l1]\nsize = { value = 1, unit = \"KiB\"" + kSourced), "mine.toml, line 3",
             "unknown key 'l1.size.unit'"));
  CHECK(says(refused("[l1]\nsize = { value = \"64KiB\", source = \"\" }\n"),
             "the source of 'l1.size' is empty"));
  CHECK(says(refused("[l1]\nsize = { value = \"64KiB\", source = \"\\u001b[31m\" }\n"),
             "mine.toml, line 3", "a character that cannot be printed: \\x1b[31m"));
  CHECK(says(refused("name = \"\"\n"), "mine.toml, line 2", "'name' is empty"));
  CHECK(says(refused("inherit = \"h200\"\n"), "unknown key 'inherit'",
             "at the top stand name, inherits"));
  CHECK(says(refused("[l2]\nways = { value = 11" + kSourced),
             "mine.toml: l2.size is 60 MiB, no multiple of"));
  CHECK(says(refused("isa = \"sm_20\"\n"), "mine.toml", "there is no instruction table 'sm_20'",
             "sm_90"));
  CHECK(says(refused("compute_capability = \"nine\"\n"), "compute_capability is 'nine'"));
  CHECK(says(refusal({{"a.toml", "[l1]\n"}}, "a.toml").text(), "a.toml: 'isa' is missing",
             "or inherit a card"));
}

TEST_CASE("a number that the card's choices do not use is refused where the card says it itself") {
  const std::string one_side = "[l2]\nsides = { value = 1" + kSourced;
  CHECK(says(refused(one_side + "home_bits = { value = [12]" + kSourced), "mine.toml, line 4",
             "the card does not use 'l2.home_bits': l2.sides is 1",
             "remove it, or choose l2.sides = 2"));
  CHECK(says(refused("[dram]\nt_rfc_ps = { value = 300000" + kSourced), "mine.toml, line 3",
             "dram.refresh is bank", "choose dram.refresh = \"all\""));
  CHECK(says(refused("compute_capability = \"8.0\"\n[remote]\nread = { value = 1000" + kSourced),
             "mine.toml, line 4", "compute_capability is 8.0", "9.0 or more"));
  // What is inherited is left out without a word, and is no part of the model's numbers.
  const Card card = changed(one_side);
  CHECK(card.numbers().l2_home_bits.empty());
  CHECK(card.numbers().latency_l2_far == 0);
  CHECK(card.numbers().sm_side == std::vector<std::uint64_t>(132, 0));
  const auto* far = entry(card, "latency.l2_far");
  REQUIRE(far);
  CHECK_FALSE(far->used);
  CHECK(far->value == "190");
  CHECK(says(far->source, "as h200: measured: ", "(not used: l2.sides is 1)"));
  // A setting is told as well.
  Card set = model::load_card("h200").value();
  const std::vector<model::CardSetting> both = {{"l2.sides", "1"}, {"latency.l2_far", "100"}};
  CHECK(says(set.set(both).error().text(), "--set latency.l2_far", "l2.sides is 1"));
}

TEST_CASE("a number that is not used is not asked for, one with a default neither") {
  const Card h200 = model::load_card("h200").value();
  // A whole card of its own, of what this keeps of the H200's used numbers.
  const auto whole = [&](const std::string& capability, auto leave_out, const std::string& more) {
    std::map<std::string, std::string> groups;
    for (const auto& e : h200.entries()) {
      if (e.kind == model::CardEntry::Kind::kInstruction || !e.used || leave_out(e.key)) continue;
      std::string value;
      for (std::uint64_t n : e.numbers) value += (value.empty() ? "" : ", ") + std::to_string(n);
      if (e.kind == model::CardEntry::Kind::kWord) value = '"' + e.value + '"';
      if (e.kind == model::CardEntry::Kind::kList) value = '[' + value + ']';
      groups[e.key.substr(0, e.key.find('.'))] +=
          e.key.substr(e.key.find('.') + 1) + " = { value = " + value + kSourced;
    }
    std::string text = "compute_capability = \"" + capability + "\"\nisa = \"sm_90\"\n";
    for (const auto& [group, lines] : groups)
      text += "[" + group + "]\n" + lines + (group == "l2" ? more : "");
    return load({{"mine.toml", text}}, "mine.toml");
  };
  const auto none = [](const std::string&) { return false; };
  check_alike(whole("9.0", none, "").value(), h200);
  CHECK(says(whole("8.6", none, "").error().text(), "the card does not use",
             "compute_capability is 8.6"));
  const auto hopper = [](const std::string& key) {
    return key.starts_with("remote.") || key.starts_with("bulk.") ||
           key.starts_with("shared.bulk") || key == "latency.remote" ||
           key.starts_with("time.cluster") || key == "topology.cpc_tpcs" ||
           key == "topology.lone_sms";
  };
  CHECK(whole("8.6", hopper, "").ok());
  CHECK(says(whole("9.0", hopper, "").error().text(), "is missing"));
  CHECK(says(whole("7.5", hopper, "").error().text(), "shared.async_write",
             "compute_capability is 7.5"));
  const auto sides = [](const std::string& key) {
    return key == "l2.sides" || key == "l2.home_bits" || key == "latency.l2_far" ||
           key == "topology.sm_side";
  };
  CHECK(whole("9.0", sides, "sides = { value = 1" + kSourced).ok());
  CHECK(says(whole("9.0", sides, "sides = { value = 2" + kSourced).error().text(),
             "'l2.home_bits' is missing", "inherits = \"h200\""));
  // Without the choice itself, that is what is missing.
  CHECK(says(whole(
                 "9.0", [](const std::string& key) { return key == "l2.sides"; }, "")
                 .error()
                 .text(),
             "'l2.sides' is missing"));
  const auto spare = whole(
      "9.0",
      [](const std::string& key) {
        return key == "topology.lone_sms" || key.starts_with("driver.");
      },
      "");
  REQUIRE(spare.ok());
  CHECK(spare->numbers().lone_sms.empty());
  CHECK(source(*spare, "topology.lone_sms").starts_with("default: "));
}

TEST_CASE(
    "a choice stands before the numbers that are used with it, and every default can be read") {
  const auto fields = model::card_fields();
  std::size_t conditions = 0, defaults = 0;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    INFO(fields[i].key);
    for (const model::CardUse* use : fields[i].rule.used_if) {
      if (!use) continue;
      ++conditions;
      const auto by = model::find_card_field(use->by);
      CHECK((by ? *by < i : use->by == std::string("compute_capability")));
      CHECK(says(use->wanted, use->by));
    }
    if (const char* value = fields[i].rule.otherwise.value) {
      ++defaults;
      CHECK_FALSE(std::string(fields[i].rule.otherwise.why).empty());
      for (const std::string& item : model::card_list_items(value))
        CHECK(model::read_card_number(fields[i], item, "").ok());
    }
    for (std::size_t other = 0; other < i; ++other)
      CHECK(std::string(fields[other].key) != fields[i].key);
  }
  CHECK(conditions >= 15);
  CHECK(defaults >= 4);
}
