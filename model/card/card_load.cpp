// Finding cards: those built in, and the user's files, with the cards that they inherit.
#include <algorithm>
#include <filesystem>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "model/card/card.hpp"
#include "model/card/card_text.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/embedded_cards.hpp"

namespace warpmem::model {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kDeepest = 8;  // cards one behind the other

bool names_file(std::string_view name) {
  return name.ends_with(".toml") || name.find('/') != name.npos;
}

// Follows `inherits` from card to card.
class Loader {
 public:
  explicit Loader(ReadCardFile read) : read_(std::move(read)) {}

  // `by`: where the card is named, "--gpu h20" or "mine.toml, line 1"; `folder`: that paths start
  // from.
  Result<Card> load(const std::string& name, const fs::path& folder, const std::string& by) {
    return names_file(name) ? load_file((folder / name).lexically_normal().string(), by)
                            : load_built_in(name, by);
  }

  Result<Card> parse(std::string_view text, Card::Names names) {
    if (auto ok = enter(names); !ok) return ok.error();
    auto read = read_card_text(text, names.file, false);
    if (!read) return read.error();
    if (read->inherits.empty()) return Card::make(std::move(*read), nullptr, std::move(names));
    by_ = read->inherits_place;
    const auto parent =
        load(read->inherits, fs::path(names.argument).parent_path(), read->inherits_place);
    if (!parent) return parent.error();
    return Card::make(std::move(*read), &*parent, std::move(names));
  }

 private:
  Result<Card> load_file(const std::string& path, const std::string& by) {
    if (!read_)
      return card_error(by, "a built-in card has no file beside it: " + printable(path),
                        "name a built-in card");
    const auto text = read_(path);
    if (!text) {
      Error e = text.error();
      if (!chain_.empty()) e.place = by + ": " + e.place;
      return e;
    }
    return parse(*text, {printable(fs::path(path).stem().string()), path, printable(path), false});
  }

  Result<Card> load_built_in(const std::string& name, const std::string& by) {
    for (const EmbeddedText& c : kEmbeddedCards)
      if (name == c.name) return parse(c.text, {name, name, name + ".toml", true});
    const std::vector<std::string> known = card_names();
    const std::string near = nearest(name, known);
    std::string all;
    for (const std::string& k : known) all += (all.empty() ? "" : ", ") + k;
    return card_error(by, "there is no card '" + printable(name) + "'",
                      (near.empty() ? "" : "did you mean '" + near + "'? ") +
                          "known cards: " + all + "; a card of your own is a file: FILE.toml");
  }

  // One card more is being read.
  Result<void> enter(const Card::Names& names) {
    std::string way;
    for (const std::string& c : chain_) way += printable(c) + " -> ";
    way += printable(names.argument);
    if (std::find(chain_.begin(), chain_.end(), names.argument) != chain_.end())
      return card_error(by_, "cards inherit each other in a circle: " + way,
                        "let one of them inherit none");
    if (chain_.size() == kDeepest)
      return card_error(
          by_, "more than " + std::to_string(kDeepest) + " cards inherit each other: " + way,
          "inherit a card nearer to the last one");
    chain_.push_back(names.argument);  // a file h200.toml is not the card h200
    return {};
  }

  const ReadCardFile read_;         // none: built-in cards alone
  std::vector<std::string> chain_;  // the cards that inherit each other so far
  std::string by_;                  // where the next one is named
};

}  // namespace

Result<Card> Card::parse(std::string_view text, const std::string& name) {
  return Loader(nullptr).parse(text, {name, name, name + ".toml", true});
}

std::vector<std::string> card_names() {
  std::vector<std::string> names;
  for (const EmbeddedText& c : kEmbeddedCards) names.emplace_back(c.name);
  return names;
}

Result<Card> load_card(const std::string& name) { return load_card(name, nullptr); }

Result<Card> load_card(const std::string& name, const ReadCardFile& read) {
  return Loader(read).load(name, {}, "--gpu " + name);
}

}  // namespace warpmem::model
