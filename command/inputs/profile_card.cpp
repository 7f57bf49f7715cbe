#include "command/inputs/profile_card.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable.hpp"
#include "model/card/card_identity.hpp"

namespace warpmem::command {

namespace {

// All cards of the profile's compute capability, or the one that comes nearest: "--gpu a100_40,
// --gpu a100_80".
std::string cards_of(const validate::NcuImport& profile) {
  if (const auto own = card_of_device(profile.device)) return "--gpu " + *own;
  std::vector<std::string> names;
  for (const model::CardIdentity& card : model::card_identities())
    if (card.compute_capability == profile.compute_capability)
      names.push_back("--gpu " + card.name);
  if (names.empty())
    if (const auto near = nearest_card({profile.device, profile.compute_capability, 0}))
      names.push_back(fmt::format("--gpu {}, which comes nearest", near->name));
  return names.empty() ? "--gpu (see warpmem gpus)" : fmt::format("{}", fmt::join(names, " or "));
}

bool says_capability(const validate::NcuImport& profile) {
  for (const auto& launch : profile.launches)
    if (!launch.compute_capability.empty()) return true;
  return false;
}

}  // namespace

Result<std::string> card_of_profile(const validate::NcuImport& profile, const std::string& place) {
  const std::string& device = profile.device;
  if (const auto card = card_of_device(device)) return *card;
  if (says_capability(profile) || device.empty()) return std::string();
  const auto near = nearest_card({device, {}, 0});
  return Error{
      ErrorKind::kUsage,
      fmt::format("it was counted on a GPU of which there is no card: {}", printable(device)),
      place,
      near ? fmt::format("replay on the card that comes nearest: --gpu {}", near->name)
           : "name the card that comes nearest with --gpu (warpmem gpus)"};
}

Result<void> check_same_card(const validate::NcuImport& profile, const model::Card& card,
                             const std::string& place) {
  if (says_capability(profile)) {
    auto same = validate::check_same_gpu(profile, card.compute_capability(), card.name(), place);
    if (same) return same;
    Error error = same.error();
    error.fix = fmt::format("replay on a card of that GPU: {}", cards_of(profile));
    return error;
  }
  const auto counted_on = card_of_device(profile.device);
  if (!counted_on || *counted_on == card.name()) return {};
  return Error{ErrorKind::kUsage,
               fmt::format("counted on another GPU: {}, whose card is {}, not {}",
                           printable(profile.device), *counted_on, card.name()),
               place, fmt::format("replay on that card: --gpu {}", *counted_on)};
}

}  // namespace warpmem::command
