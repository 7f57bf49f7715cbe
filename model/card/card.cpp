#include "model/card/card.hpp"

#include <algorithm>

#include "model/card/card_advice.hpp"
#include "model/card/card_text.hpp"
#include "model/card/fields/card_fields.hpp"

namespace warpmem::model {
namespace {

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

}  // namespace

Result<Card> Card::make(CardText text, const Card* parent, Names names) {
  const std::string file = names.file;
  Card card;
  if (parent) card = *parent;
  card.full_name_ = !text.name.empty() ? text.name : names.built_in ? "" : names.name;
  card.names_ = std::move(names);
  card.chip_ = std::move(text.chip);
  card.year_ = std::move(text.year);
  card.device_ = std::move(text.device);
  if (!text.compute_capability.empty() || !parent)
    card.compute_capability_ = text.compute_capability;
  if (text.isa.empty() && !parent)
    return card_error(
        file, "'isa' is missing (the table of what instructions cost)",
        "add isa = \"sm_90\" or another table at the top, or inherit a card: inherits = "
        "\"h200\"");
  if (!text.isa.empty()) {
    auto instructions = load_instruction_table(text.isa);
    if (!instructions) {
      Error e = instructions.error();
      e.place = file + ": " + e.place;
      return e;
    }
    card.instructions_ = std::move(*instructions);
  }
  if (!names_capability(card.compute_capability_))
    return card_error(file,
                      "compute_capability is '" + card.compute_capability_ + "', not two numbers",
                      "write compute_capability = \"9.0\" or another at the top");
  if (parent) {
    if (auto ok = card.inherit(*parent, std::move(text.given), file); !ok) return ok.error();
  } else {
    card.file_ = std::move(text.given);
    if (auto ok = card.resolve(file); !ok) return ok.error();
  }
  card.base_ = card.numbers_;
  return card;
}

unsigned Card::capability() const {
  const std::size_t dot = compute_capability_.find('.');
  return static_cast<unsigned>(10 * std::stoul(compute_capability_.substr(0, dot)) +
                               std::stoul(compute_capability_.substr(dot + 1)));
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
      return card_error(here, "card '" + name() + "' has no such number",
                        advice_for_key(key, "see the keys with: warpmem gpus " + argument()));
    const CardField& f = card_fields()[*index];
    Given given{{}, "set by the user", here};
    if (auto ok = read_setting(f, value, here, given); !ok) return ok;
    changed.user_.insert_or_assign(*index, std::move(given));
  }
  if (auto ok = changed.resolve(place); !ok) return ok;
  *this = std::move(changed);
  return {};
}

}  // namespace warpmem::model
