#include "model/card/card.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "model/card/card_fields.hpp"
#include "model/card/card_numbers_derived.hpp"
#include "model/embedded_cards.hpp"

namespace warpmem::model {
namespace {

void assign(CardNumbers& n, const CardField& f, const std::vector<std::uint64_t>& values) {
  if (const auto* m = std::get_if<CardField::One>(&f.member)) n.** m = values.at(0);
  else n.*std::get<CardField::Many>(f.member) = values;
}

// "9.0"
bool names_capability(std::string_view text) {
  const std::size_t dot = text.find('.');
  return dot != text.npos && read_whole(text.substr(0, dot), {1, 99}, "").ok() &&
         read_whole(text.substr(dot + 1), {0, 9}, "").ok();
}

// A number, or a list in any of its forms.
Result<void> read_setting(const CardField& f, const std::string& value, const std::string& place,
                          Card::Given& out) {
  const std::vector<std::string> items = card_list_items(value);
  if (std::holds_alternative<CardField::One>(f.member)) {
    auto v = read_card_number(f, value, place);
    if (v) out.values = {*v};
    if (v || items.size() == 1) return v ? Result<void>{} : v.error();
    return card_error(place, "takes one number, not '" + value + "'",
                      "write --set " + std::string(f.key) + "=N");
  }
  for (const std::string& item : items) {
    const auto v = read_card_number(f, item, place);
    if (!v)
      return card_error(place, v.error().message,
                        v.error().fix + ", a list as " + f.key + "=[1, 2], 1,2 or \"1 2\"");
    out.values.push_back(*v);
  }
  return {};
}

CardEntry::Kind kind_of(const CardField& f) {
  if (f.words) return CardEntry::Kind::kWord;
  return std::holds_alternative<CardField::One>(f.member) ? CardEntry::Kind::kNumber
                                                          : CardEntry::Kind::kList;
}

std::vector<std::uint64_t> numbers_of(const CardField& f, const CardNumbers& n) {
  if (const auto* one = std::get_if<CardField::One>(&f.member)) return {n.** one};
  return n.*std::get<CardField::Many>(f.member);
}

}  // namespace

Result<Card> Card::parse(std::string_view text, const std::string& name) {
  auto read = read_card_text(text, name + ".toml", false);
  if (!read) return read.error();
  Card card;
  card.name_ = name;
  card.full_name_ = read->name;
  card.compute_capability_ = read->compute_capability;
  card.file_ = std::move(read->given);
  if (read->isa.empty())
    return card_error(name + ".toml", "'isa' is missing (the table of what instructions cost)",
                      "add isa = \"sm_90\" or another of model/isa at the top");
  auto instructions = load_instruction_table(read->isa);
  if (!instructions) {
    Error e = instructions.error();
    e.place = name + ".toml: " + e.place;
    return e;
  }
  if (!names_capability(card.compute_capability_))
    return card_error(name + ".toml",
                      "compute_capability is '" + card.compute_capability_ + "', not two numbers",
                      "write compute_capability = \"9.0\" or another at the top");
  card.instructions_ = std::move(*instructions);
  if (auto ok = card.resolve(name + ".toml"); !ok) return ok.error();
  card.base_ = card.numbers_;
  return card;
}

Result<void> Card::set(const std::string& key, const std::string& value) {
  const CardSetting one{key, value};
  return set({&one, 1});
}

Result<void> Card::set(std::span<const CardSetting> settings) {
  Card changed = *this;
  std::string place;
  for (const auto& [key, value] : settings) {
    const std::string here = "--set " + key;
    place += (place.empty() ? "" : " ") + here;
    if (key.starts_with("isa.")) {
      if (auto ok = changed.instructions_.set(key.substr(4), value); !ok) return ok;
      continue;
    }
    const auto index = find_card_field(key);
    if (!index)
      return card_error(here, "card '" + name_ + "' has no such number",
                        nearest_card_field(key, "see the keys with: warpmem gpus " + name_));
    const CardField& f = card_fields()[*index];
    Given given{{}, "set by the user"};
    if (auto ok = read_setting(f, value, here, given); !ok) return ok;
    changed.user_.insert_or_assign(*index, std::move(given));
  }
  if (auto ok = changed.resolve(place); !ok) return ok;
  *this = std::move(changed);
  return {};
}

// Puts the numbers together from what the user, the file and the DRAM's type say, works out the
// rest, and refuses what does not fit together.
Result<void> Card::resolve(const std::string& place) {
  const auto fields = card_fields();
  const std::size_t type = card_field("dram.type");
  const auto of = [&](const GivenFields& from) {
    const auto found = from.find(type);
    return found == from.end() ? std::nullopt : std::optional(found->second.values.at(0));
  };
  const std::optional<std::uint64_t> own = of(file_), wanted = of(user_);
  const bool another = wanted && wanted != own;
  GivenFields all = user_;
  for (const auto& [index, given] : file_)
    if (!(another && fields[index].of_dram_type)) all.emplace(index, given);
  const auto missing = [&](const CardField& f) {
    return card_error(place, std::string("'") + f.key + "' is missing (" + f.meaning + ")",
                      "add it with its source");
  };
  if (!wanted && !own) return missing(fields[type]);
  auto preset = dram_type_fields(wanted ? *wanted : *own);
  if (!preset) return preset.error();
  for (auto& [index, given] : *preset) all.emplace(index, std::move(given));
  numbers_ = {};
  for (const auto& [index, given] : all) assign(numbers_, fields[index], given.values);
  DerivedNumbers derived{numbers_, user_.empty() ? numbers_ : base_, all, file_, user_};
  derived.work_out(another);

  entries_.clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const CardField& f = fields[i];
    const auto given = all.find(i);
    const auto worked = derived.sources.find(i);
    if (given == all.end() && worked == derived.sources.end()) return missing(f);
    entries_.push_back({f.key, "", f.unit,
                        worked != derived.sources.end() ? worked->second : given->second.source,
                        f.meaning, user_.contains(i), kind_of(f)});
  }
  if (auto ok = validate(place); !ok) return ok;
  for (std::size_t i = 0; i < fields.size(); ++i)
    entries_[i].value = shown_card_field(fields[i], numbers_),
    entries_[i].numbers = numbers_of(fields[i], numbers_);
  for (const InstructionTable::Row& r : instructions_.rows())
    entries_.push_back(
        {"isa." + r.key, r.value, "cycles", r.source,
         "pipe, cycles of it for a warp, cycles to the result, and what waits for it",
         r.overridden, CardEntry::Kind::kInstruction, {}, r.cost});
  std::sort(entries_.begin(), entries_.end(),
            [](const CardEntry& a, const CardEntry& b) { return a.key < b.key; });
  return {};
}

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& c : kEmbeddedCards) names.emplace_back(c.name);
  return names;
}

Result<Card> load_card(const std::string& name) {
  const std::vector<std::string> known = card_names();
  for (const EmbeddedText& c : kEmbeddedCards)
    if (name == c.name) return Card::parse(c.text, name);
  const std::string near = nearest(name, known);
  std::string all;
  for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
  return card_error(
      "--gpu " + name, "there is no such card",
      near.empty() ? "known cards: " + all : "did you mean '" + near + "'? known cards: " + all);
}

}  // namespace warpmem::model
