#include "sweep/machine.hpp"

#include <algorithm>

#include "base/nearest.hpp"
#include "base/read_number.hpp"
#include "model/card/fields/card_fields.hpp"

namespace warpmem::sweep {
namespace {

Result<void> change_launches(sim::Rewrite& rewrite, const std::string& key,
                             const std::string& value) {
  if (key == "carveout") {
    const auto percent = read_whole(value, {0, 100, "percent"}, key);
    if (!percent) return percent.error();
    rewrite.carveout = static_cast<int>(*percent);
  } else if (key == "loads") {
    if (value == "ca") rewrite.loads = sim::LoadsThrough::kBoth;
    else if (value == "cg") rewrite.loads = sim::LoadsThrough::kL2Only;
    else if (value != "recorded")
      return Error{ErrorKind::kUsage, "'" + value + "' is no cache operator of loads", key,
                   "choose recorded, ca (L1 and L2) or cg (the L2 alone)"};
  } else if (key == "order") {
    const auto order = sim::read_cta_order(value, key);
    if (!order) return order.error();
    rewrite.order = *order;
  }
  return {};
}

}  // namespace

const std::vector<std::string>& special_keys() {
  static const std::vector<std::string> keys{"gpu", "carveout", "loads", "order", "block"};
  return keys;
}

Result<void> check_key(const std::string& key, const model::Card& card, const std::string& place) {
  const auto& special = special_keys();
  if (std::ranges::find(special, key) != special.end() || model::find_card_field(key)) return {};
  if (key.starts_with("isa.")) {
    // Of a row that is there, what is wrong with this value is another question.
    model::Card copy = card;
    const auto set = copy.set(key, "1");
    if (set || set.error().message.find("no such number") == std::string::npos) return {};
    return set;
  }
  std::vector<std::string> known = special;
  for (const model::CardField& f : model::card_fields()) known.emplace_back(f.key);
  const std::string near = nearest(key, known);
  return Error{ErrorKind::kUsage, "no number of a card is called '" + key + "'", place,
               near.empty() ? "see the names with: warpmem gpus " + card.name()
                            : "did you mean '" + near + "'?"};
}

Result<Machine> machine_of(const std::string& gpu, const std::vector<model::CardSetting>& settings,
                           const Changes& changes, const LoadCard& load) {
  std::string name = gpu;
  for (const auto& [key, value] : changes)
    if (key == "gpu") name = value;
  auto card = load(name);
  if (!card) return card.error();
  std::vector<model::CardSetting> all = settings;
  Machine out{std::move(*card), {}};
  const auto& special = special_keys();
  for (const auto& [key, value] : changes) {
    if (std::ranges::find(special, key) != special.end()) {
      if (auto ok = change_launches(out.rewrite, key, value); !ok) return ok.error();
      continue;
    }
    std::erase_if(all, [&same = key](const model::CardSetting& s) { return s.key == same; });
    all.push_back({key, value});
  }
  if (!all.empty())
    if (auto ok = out.card.set(all); !ok) return ok.error();
  return out;
}

}  // namespace warpmem::sweep
