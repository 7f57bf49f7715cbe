#include "model/card/card_identity.hpp"

#include <algorithm>
#include <tuple>

#include "base/toml_values.hpp"
#include "model/embedded_cards.hpp"

namespace warpmem::model {
namespace {

// Built-in cards say who they are before their first table (tests/model/card_identity.cpp), which
// is a hundredth of their text.
std::string_view head_of(std::string_view text) { return text.substr(0, text.find("\n[")); }

CardIdentity identity_of(const EmbeddedText& card) {
  CardIdentity out;
  out.name = card.name;
  const auto head = toml_table(head_of(card.text), out.name + ".toml");
  if (!head) return out;
  const auto text = [&](std::string_view key) { return (*head)[key].value_or(std::string()); };
  out.full_name = text("name");
  out.compute_capability = text("compute_capability");
  out.chip = text("chip");
  out.year = text("year");
  out.device = text("device");
  for (const char c : out.compute_capability)
    if (c != '.') out.capability = out.capability * 10 + static_cast<unsigned>(c - '0');
  return out;
}

}  // namespace

const std::vector<CardIdentity>& card_identities() {
  static const std::vector<CardIdentity> all = [] {
    std::vector<CardIdentity> out;
    for (const EmbeddedText& card : kEmbeddedCards) out.push_back(identity_of(card));
    std::ranges::sort(
        out, {}, [](const CardIdentity& c) { return std::tuple(c.year, c.capability, c.name); });
    return out;
  }();
  return all;
}

}  // namespace warpmem::model
