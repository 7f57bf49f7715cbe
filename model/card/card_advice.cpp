#include "model/card/card_advice.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "model/card/card.hpp"

namespace warpmem::model {
namespace {

constexpr std::size_t kNamed = 6;  // cards or keys in a message

std::string list_of(const std::vector<std::string>& items) {
  std::string out;
  for (std::size_t i = 0; i < std::min(items.size(), kNamed); ++i)
    out += (i == 0 ? "" : ", ") + items[i];
  if (items.size() > kNamed) out += " and " + std::to_string(items.size() - kNamed) + " more";
  return out;
}

bool uses(const Card& card, std::string_view key) {
  return std::ranges::any_of(card.entries(), [&](const CardEntry& entry) {
    return entry.key == key && entry.used && !entry.source.starts_with("default: ");
  });
}

// What people call it who know other simulators, or CUDA: words that are no card's keys.
struct Asked {
  std::string_view key;  // the whole, or a group with its dot
  const char* advice;
};
constexpr Asked kAsked[] = {
    {"l2.window",
     "a window that persists is the program's (cudaStreamSetAttribute), and the trace holds it"},
    {"l2.set_aside",
     "how much is set aside is the program's (cudaDeviceSetLimit), and the trace holds it"},
    {"l2.persisting",
     "how much is set aside is the program's (cudaDeviceSetLimit), and the trace holds it"},
    {"l2.associativity", "did you mean 'l2.ways'?"},
    {"l1.associativity", "did you mean 'l1.ways'?"},
    {"shared.mode", "the 4- or 8-byte mode of banks is 'shared.bank_bytes': 4 or 8"},
    {"shared.size", "what an SM can have is 'shared.configs', and a CTA 'shared.per_cta'"},
    {"dram.bandwidth",
     "what the pins give is 'dram.rate_mbps', what arrives 'dram.sectors_per_kilocycle'"},
    {"link.", "the link to the host is 'port.host_permille' (bandwidth) and 'latency.host'"},
    {"host.", "the link to the host is 'port.host_permille' (bandwidth) and 'latency.host'"},
    {"pcie.", "the link to the host is 'port.host_permille' (bandwidth) and 'latency.host'"},
};

}  // namespace

std::string cards_that_use(const CardField& field) {
  std::vector<std::string> names;
  for (const std::string& name : card_names())
    if (const auto card = load_card(name); card && uses(*card, field.key)) names.push_back(name);
  return list_of(names);
}

Error missing_numbers(const std::string& place, const CardField& first,
                      std::span<const CardField* const> others, bool set) {
  const std::string message = std::string("'") + first.key + "' is missing (" + first.meaning + ")";
  std::vector<std::string> with;
  for (const CardField* f : others) with.emplace_back(f->key);
  const std::string beside = with.empty() ? "" : ", and " + list_of(with);
  if (!set)
    return card_error(place, message,
                      "add it with its source" + beside +
                          ", or inherit a card that has it: inherits = \"h200\" at the top");
  const std::string cards = cards_that_use(first);
  return card_error(place, message,
                    std::string("give it as well: --set ") + first.key +
                        (first.rule.words ? "=KIND" : "=N") + beside +
                        (cards.empty() ? "" : "; or take a card that has it: " + cards));
}

Error unused_number(const std::string& place, const CardField& field, const CardUse& unmet,
                    const std::string& chosen, bool set) {
  const std::string message =
      std::string("the card does not use '") + field.key + "': " + unmet.by + " is " + chosen;
  const std::string choose = std::string(", or choose ") + unmet.wanted;
  if (!set) return card_error(place, message, "remove it" + choose);
  // A GPU's generation is no setting: much else follows from it.
  const std::string_view by = unmet.by;
  const bool generation = by == "compute_capability" || by == "access.rule";
  const std::string cards = cards_that_use(field);
  return card_error(place, message,
                    "remove it" + (generation && !cards.empty() ? "" : choose) +
                        (cards.empty() ? "" : ", or take a card that uses it: " + cards));
}

std::string advice_for_key(const std::string& key, const std::string& otherwise) {
  for (const Asked& asked : kAsked)
    if (key == asked.key || (asked.key.ends_with('.') && key.starts_with(asked.key)))
      return asked.advice;
  const std::string group = key.substr(0, key.find('.') + 1);
  std::vector<std::string> keys;
  if (!group.empty())
    for (const CardField& f : card_fields())
      if (std::string_view(f.key).starts_with(group)) keys.emplace_back(f.key);
  if (const std::string near = nearest(key, keys); !near.empty())
    return "did you mean '" + near + "'?";
  if (!keys.empty()) return "keys of this group: " + list_of(keys) + "; " + otherwise;
  return nearest_card_field(key, otherwise);
}

}  // namespace warpmem::model
