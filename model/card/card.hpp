// A GPU card: every number the model needs, each with its unit and where it comes from. One file a
// GPU: those in cards/gpus/NAME.toml are built into the library, others are the user's. A card may
// inherit another one and say what differs; `set` overrides a number for a what-if.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "model/card/fields/card_numbers.hpp"
#include "model/card/instruction_table.hpp"

namespace warpmem::model {

// One number as a person reads it, and as a program does.
struct CardEntry {
  enum class Kind { kNumber, kList, kWord, kInstruction };
  std::string key;      // "l1.size"
  std::string value;    // "256 KiB"
  std::string unit;     // "bytes", "SMs", …
  std::string source;   // "measured: …", "documented: …", "assumed: …"
  std::string meaning;  // one sentence
  bool overridden = false;
  Kind kind = Kind::kNumber;
  bool used = true;  // no: it is known, but what the card chooses makes no use of it
  std::vector<std::uint64_t> numbers = {};  // of a number, one
  InstructionCost cost = {};                // of an instruction
};

// "l1.size" = "64KiB": a what-if.
struct CardSetting {
  std::string key, value;
};

struct CardText;
struct CardUse;

// A file's text, or why it cannot be read. The model itself opens no files.
using ReadCardFile = std::function<Result<std::string>(const std::string& path)>;

// Where a number on a card comes from, the later ones before the earlier: its default; worked out
// from others; its DRAM type (cards/dram/*.toml); the card that it inherits; its own file; the
// user.
//
// Lines of a card that inherits change the other card as the user's settings do: what follows from
// a number that they change is worked out again.
//
// A user who sets dram.type drops what the card's file says of its own DRAM: those numbers were
// measured with another.
class Card {
 public:
  // What a file or the user says of one number; by index into card_fields().
  struct Given {
    std::vector<std::uint64_t> values;
    std::string source;
    std::string place;           // "mine.toml, line 3"
    std::string inherited = {};  // the card that it comes from, where that is another one
  };
  using GivenFields = std::map<std::size_t, Given>;

  // Parses a card's text, which may inherit built-in cards. `name` is used in messages and as
  // Card::name().
  static Result<Card> parse(std::string_view text, const std::string& name);

  // What a card is called.
  struct Names {
    std::string name;      // in results: "h200", or the stem of the user's file
    std::string argument;  // for --gpu: "h200", or the file's path
    std::string file;      // in messages: "h200.toml", or the file's path
    bool built_in = true;
  };
  // `parent`: the card that it inherits, or none.
  static Result<Card> make(CardText text, const Card* parent, Names names);

  const std::string& name() const { return names_.name; }
  const std::string& argument() const { return names_.argument; }
  bool built_in() const { return names_.built_in; }
  const std::string& full_name() const { return full_name_; }
  const std::string& compute_capability() const { return compute_capability_; }  // "9.0"
  unsigned capability() const;                                                   // 90
  // "GH100", "2024"; empty where the card does not say it.
  const std::string& chip() const { return chip_; }
  const std::string& year() const { return year_; }
  // What the driver calls the GPU, or a part of it: "A100*80GB", * for anything; empty where the
  // card does not say it.
  const std::string& device() const { return device_; }
  const CardNumbers& numbers() const { return numbers_; }
  // All numbers, sorted by key; those of the instruction table as rows, "isa.sass.FFMA".
  std::span<const CardEntry> entries() const { return entries_; }
  const InstructionTable& instructions() const { return instructions_; }

  // Overrides one number: set("l1.size", "64KiB"). Unknown keys name the nearest known one. Numbers
  // of the instruction table begin with isa: set("isa.sass.FFMA.latency", "6").
  Result<void> set(const std::string& key, const std::string& value);
  // The same for several at once, which need to make sense together only. All or none.
  Result<void> set(std::span<const CardSetting> settings);

 private:
  // What is known of the numbers, and who said it, while they are put together.
  struct Known {
    GivenFields given;                           // of numbers that are used
    GivenFields unused;                          // … that are not
    std::map<std::size_t, const CardUse*> why;   // … and the condition that does not hold
    std::map<std::size_t, std::string> derived;  // how a number was worked out
  };
  Result<void> resolve(const std::string& place);
  Result<Known> gather(const std::string& place, bool& another_dram) const;
  Result<void> refuse_two_keys(const std::string& place) const;
  Result<void> leave_unused_out(const std::string& place, Known& known);
  Result<void> list(const std::string& place, const Known& known);
  Result<void> inherit(const Card& parent, GivenFields own, const std::string& place);
  std::string chosen(const char* key) const;
  Result<void> validate(const std::string& place) const;

  Names names_;
  std::string full_name_, compute_capability_, chip_, year_, device_;
  CardNumbers numbers_, base_;  // with the user's settings, and without
  GivenFields file_, user_;
  GivenFields given_;  // as in Known, of the numbers as they are
  std::map<std::size_t, std::string> derived_;
  InstructionTable instructions_;
  std::vector<CardEntry> entries_;
};

std::vector<std::string> card_names();            // built in, sorted
Result<Card> load_card(const std::string& name);  // one of card_names()
// The same, or a file's path (which ends with .toml or holds a /).
Result<Card> load_card(const std::string& name, const ReadCardFile& read);

}  // namespace warpmem::model
