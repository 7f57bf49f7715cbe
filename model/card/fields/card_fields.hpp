// The table of a card's numbers: what each is called, means and may be, and how it is read and
// shown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "model/card/fields/card_numbers.hpp"

namespace warpmem::model {

// What a card chooses, which decides what other numbers are used.
struct CardChoices {
  const CardNumbers& n;
  unsigned capability;  // 90: compute capability 9.0
};

// A condition under which a number is used.
struct CardUse {
  const char* by;      // the choice that decides: "dram.refresh"
  const char* wanted;  // what to choose: "dram.refresh = \"bank\""
  bool (*holds)(const CardChoices&);
};

// What is special about a number; by itself, each is positive and needed.
struct CardRule {
  // A choice among words, which the number counts: 0 is the first.
  const std::vector<std::string>& (*words)() = nullptr;
  bool of_dram_type = false;  // goes with the DRAM's type, and with the card's own DRAM
  // What a card may do without is 0: a cost beyond another one, or what not every GPU has. No
  // latency is zero, no place is passed for nothing, no cache is empty.
  bool zero = false;
  std::uint64_t most = 0;  // what the model has room for, where that is less than the unit's most
  const CardUse* used_if[3] =
      {};  // all of them; where one does not hold, the number is not asked for
  // What a card has that does not give the number, as a card would write it, and why.
  struct {
    const char* value = nullptr;
    const char* why = nullptr;
  } otherwise = {};
};

struct CardField {
  using One = std::uint64_t CardNumbers::*;
  using Many = std::vector<std::uint64_t> CardNumbers::*;
  const char* key;
  const char* unit;
  std::variant<One, Many> member;
  const char* meaning;
  CardRule rule = {};
};

// Every number of a card, group by group (model/card/fields). A new one is a member of CardNumbers,
// a row in its group's file and a line of each card that inherits none.
std::span<const CardField> card_fields();
// Index into card_fields(); nothing if there is no such key.
std::optional<std::size_t> find_card_field(std::string_view key);
// The index of a key that is known to be there.
std::size_t card_field(std::string_view key);
// "did you mean 'l1.size'?", or `otherwise` where no key is near.
std::string nearest_card_field(const std::string& key, const std::string& otherwise);

const std::vector<std::string>& dram_type_names();
const std::vector<std::string>& dram_map_names();
const std::vector<std::string>& dram_refresh_names();
const std::vector<std::string>& dram_ecc_names();
const std::vector<std::string>& lsu_queue_names();

// The first condition that does not hold; nothing where the number is used.
const CardUse* unmet_use(const CardField& field, const CardChoices& choices);
// The field's number, or its list.
std::vector<std::uint64_t> card_numbers_of(const CardField& field, const CardNumbers& numbers);
// A field's number as people read it: "64 KiB", "1,980", "hashed"; a list as TOML has it and as
// Card::set takes it, "[8 KiB, 16 KiB]".
std::string shown_card_field(const CardField& field, std::span<const std::uint64_t> values);
// Bytes exactly: "64 KiB", "1,000 B".
std::string shown_bytes(std::uint64_t bytes);
// What one of its numbers may be, whatever the card's others are.
WholeRange card_number_range(const CardField& field);
// "64KiB", "hashed" or "12".
Result<std::uint64_t> read_card_number(const CardField& field, std::string_view text,
                                       const std::string& place);
// The items of "[1, 2]", "1,2" or "1 2"; of "8 KiB, 16 KiB" or "8 KiB 16 KiB" two.
std::vector<std::string> card_list_items(std::string_view text);

// An error of whoever wrote the card or the setting.
Error card_error(const std::string& place, const std::string& message, const std::string& fix);

}  // namespace warpmem::model
