// How a card's numbers come together: from what its DRAM's type says, the card that it inherits,
// its own file and the user; what nobody says is worked out from others, or has a default.
#include <algorithm>

#include "model/card/card.hpp"
#include "model/card/card_advice.hpp"
#include "model/card/card_numbers_derived.hpp"
#include "model/card/card_text.hpp"
#include "model/card/fields/card_fields.hpp"

namespace warpmem::model {
namespace {

void assign(CardNumbers& n, const CardField& f, const std::vector<std::uint64_t>& values) {
  if (const auto* m = std::get_if<CardField::One>(&f.member)) n.** m = values.at(0);
  else n.*std::get<CardField::Many>(f.member) = values;
}

CardEntry::Kind kind_of(const CardField& f) {
  if (f.rule.words) return CardEntry::Kind::kWord;
  return std::holds_alternative<CardField::One>(f.member) ? CardEntry::Kind::kNumber
                                                          : CardEntry::Kind::kList;
}

// A setting's place is "--set l1.size", a line's has its file.
bool is_setting(const std::string& place) { return place.starts_with("--set "); }

Error missing(const std::string& place, const CardField& f) {
  return missing_numbers(place, f, {}, is_setting(place));
}

// What a card has that does not say it; the table of fields has no value that cannot be read.
std::vector<std::uint64_t> default_of(const CardField& f) {
  std::vector<std::uint64_t> values;
  for (const std::string& item : card_list_items(f.rule.otherwise.value))
    values.push_back(read_card_number(f, item, f.key).value());
  return values;
}

// What nobody says and a card needs; `known` is a Card::Known.
std::vector<const CardField*> missing_of(const auto& known) {
  const auto fields = card_fields();
  std::vector<const CardField*> missing;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (!known.why.contains(i) && !known.derived.contains(i) && !known.given.contains(i) &&
        !fields[i].rule.otherwise.value)
      missing.push_back(&fields[i]);
  return missing;
}

std::string shown_source(const Card::Given& given) {
  return given.inherited.empty() ? given.source : "as " + given.inherited + ": " + given.source;
}

}  // namespace

// `another_dram`: the user, or a card that inherits, chose a DRAM type that the card does not have.
Result<Card::Known> Card::gather(const std::string& place, bool& another_dram) const {
  const auto fields = card_fields();
  const std::size_t type = card_field("dram.type");
  const auto of = [&](const GivenFields& from) {
    const auto found = from.find(type);
    return found == from.end() ? std::nullopt : std::optional(found->second.values.at(0));
  };
  const std::optional<std::uint64_t> own = of(file_), wanted = of(user_);
  another_dram = wanted && wanted != own;
  Known known;
  known.given = user_;
  for (const auto& [index, given] : file_)
    if (!(another_dram && fields[index].rule.of_dram_type)) known.given.emplace(index, given);
  if (!wanted && !own) return missing(place, fields[type]);
  auto preset = dram_type_fields(wanted ? *wanted : *own);
  if (!preset) return preset.error();
  for (auto& [index, given] : *preset) known.given.emplace(index, std::move(given));
  return known;
}

// "bank": what the card chooses, as people read it.
std::string Card::chosen(const char* key) const {
  const auto index = find_card_field(key);
  if (!index) return compute_capability_;
  const CardField& f = card_fields()[*index];
  return shown_card_field(f, card_numbers_of(f, numbers_));
}

// Who says one thing by two keys may mean two things.
Result<void> Card::refuse_two_keys(const std::string& place) const {
  constexpr struct {
    const char *one, *other, *why;
  } kPairs[] = {{"l1.sets", "l1.ways", "lines are sets x ways, and l1.size says how many"},
                {"l2.partitions", "l2.sides", "both say how many parts the L2 has"}};
  const GivenFields& own = user_.empty() ? file_ : user_;
  for (const auto& pair : kPairs) {
    const auto one = own.find(card_field(pair.one)), other = own.find(card_field(pair.other));
    if (one == own.end() || other == own.end()) continue;
    if (!one->second.inherited.empty() || !other->second.inherited.empty()) continue;
    // A set count of 0 says nothing.
    if (one->second.values.at(0) == 0) continue;
    return card_error(
        place,
        std::string(pair.one) + " and " + pair.other + " are two keys for one thing: " + pair.why,
        std::string("give one of them"));
  }
  return {};
}

// Takes out what the card's choices make no use of, and puts in defaults. A choice comes before
// what depends on it. Who gives a number that is not used is told so, unless they said it of
// another card: the card that is inherited, or the one whose choice the user changes.
Result<void> Card::leave_unused_out(const std::string& place, Known& known) {
  const auto fields = card_fields();
  const GivenFields& own = user_.empty() ? file_ : user_;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const CardField& f = fields[i];
    const auto given = known.given.find(i);
    if (given == known.given.end() && f.rule.otherwise.value) assign(numbers_, f, default_of(f));
    const CardUse* const unmet = unmet_use(f, {numbers_, capability()});
    if (!unmet) continue;
    known.why.emplace(i, unmet);
    if (given == known.given.end()) continue;
    if (const auto said = own.find(i); said != own.end() && said->second.inherited.empty()) {
      const auto by = find_card_field(unmet->by);
      if (by && !known.given.contains(*by) && !fields[*by].rule.otherwise.value)
        return missing(place, fields[*by]);
      return unused_number(said->second.place, f, *unmet, chosen(unmet->by),
                           is_setting(said->second.place));
    }
    const CardNumbers none;
    assign(numbers_, f, f.rule.otherwise.value ? default_of(f) : card_numbers_of(f, none));
    known.unused.insert(known.given.extract(given));
  }
  return {};
}

Result<void> Card::resolve(const std::string& place) {
  if (auto ok = refuse_two_keys(place); !ok) return ok;
  bool another_dram = false;
  auto known = gather(place, another_dram);
  if (!known) return known.error();
  numbers_ = {};
  for (const auto& [index, given] : known->given)
    assign(numbers_, card_fields()[index], given.values);
  if (auto ok = leave_unused_out(place, *known); !ok) return ok;
  DerivedNumbers derived{numbers_, user_.empty() ? numbers_ : base_, known->given, file_, user_};
  derived.work_out(another_dram);
  known->derived = std::move(derived.sources);
  return list(place, *known);
}

// The entries, if nothing is missing and the numbers make sense together.
Result<void> Card::list(const std::string& place, const Known& known) {
  const auto fields = card_fields();
  if (const auto missing = missing_of(known); !missing.empty())
    return missing_numbers(place, *missing[0], std::span(missing).subspan(1), is_setting(place));
  entries_.clear();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const CardField& f = fields[i];
    CardEntry entry{f.key, "", f.unit, "", f.meaning, user_.contains(i), kind_of(f)};
    entry.numbers = card_numbers_of(f, numbers_);
    if (const auto why = known.why.find(i); why != known.why.end()) {
      const auto unused = known.unused.find(i);
      if (unused == known.unused.end()) continue;
      entry.used = false;
      entry.numbers = unused->second.values;
      entry.source = shown_source(unused->second) + " (not used: " + why->second->by + " is " +
                     chosen(why->second->by) + ")";
    } else if (const auto worked = known.derived.find(i); worked != known.derived.end()) {
      entry.source = worked->second;
    } else if (const auto given = known.given.find(i); given != known.given.end()) {
      entry.source = shown_source(given->second);
    } else {
      entry.source = std::string("default: ") + f.rule.otherwise.why;
    }
    entries_.push_back(std::move(entry));
  }
  if (auto ok = validate(place); !ok) return ok;
  for (CardEntry& entry : entries_)
    entry.value = shown_card_field(fields[card_field(entry.key)], entry.numbers);
  for (const InstructionTable::Row& r : instructions_.rows()) {
    CardEntry entry{"isa." + r.key,
                    r.value,
                    "cycles",
                    r.source,
                    "pipe, cycles of it for a warp, cycles to the result, and what waits for it",
                    r.overridden,
                    CardEntry::Kind::kInstruction};
    entry.cost = r.cost;
    entries_.push_back(std::move(entry));
  }
  std::sort(entries_.begin(), entries_.end(),
            [](const CardEntry& a, const CardEntry& b) { return a.key < b.key; });
  given_ = known.given;
  derived_ = known.derived;
  return {};
}

// This card is a copy of `parent` so far. Its own lines change that one's numbers as settings
// would, then all of them are its own.
Result<void> Card::inherit(const Card& parent, GivenFields own, const std::string& place) {
  for (auto& [index, given] : file_)
    if (given.inherited.empty()) given.inherited = parent.name();
  user_ = std::move(own);
  if (auto ok = resolve(place); !ok) return ok;
  const GivenFields lines = std::move(user_);
  const std::size_t type = card_field("dram.type");
  const bool another = lines.contains(type) && lines.at(type).values != file_.at(type).values;
  user_.clear();
  if (another)
    std::erase_if(file_, [](const auto& g) { return card_fields()[g.first].rule.of_dram_type; });
  for (const auto& [index, given] : lines) file_.insert_or_assign(index, given);
  // What followed from a line stays as it is now.
  for (const auto& [index, how] : derived_)
    if (given_.contains(index))
      file_.insert_or_assign(index,
                             Given{card_numbers_of(card_fields()[index], numbers_), how, place});
  return resolve(place);
}

}  // namespace warpmem::model
