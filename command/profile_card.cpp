#include "command/profile_card.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"
#include "command/gpus_view.hpp"

namespace warpmem::command {
namespace {

constexpr const char* kUsual = "h200";  // where a profile says nothing of its GPU

bool in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Of a board's kind: a K40c and a K40m are K40s.
bool ends_word(std::string_view rest) {
  if (!rest.empty() && (rest[0] == 'c' || rest[0] == 'm' || rest[0] == 's')) rest.remove_prefix(1);
  if (!rest.empty() && in_word(rest[0])) return false;
  // Other GPUs, of nearly the same name.
  for (const char* kind : {" Ti", " SUPER", " Super", " Laptop", " Max-Q", " Mobile"})
    if (rest.starts_with(kind)) return false;
  return true;
}

// A whole word of the name.
bool holds_word(std::string_view name, std::string_view word) {
  for (auto at = name.find(word); at != name.npos; at = name.find(word, at + 1))
    if ((at == 0 || !in_word(name[at - 1])) && ends_word(name.substr(at + word.size())))
      return true;
  return false;
}

// Both sides of the * are words of it.
bool holds(std::string_view name, std::string_view device) {
  if (device.empty()) return false;
  const std::size_t star = device.find('*');
  if (star == device.npos) return holds_word(name, device);
  return holds_word(name, device.substr(0, star)) && holds_word(name, device.substr(star + 1));
}

bool says_capability(const validate::NcuImport& profile) {
  for (const auto& launch : profile.launches)
    if (!launch.compute_capability.empty()) return true;
  return false;
}

}  // namespace

std::optional<std::string> card_of_device(std::string_view device) {
  const auto cards = all_cards();
  if (!cards) return std::nullopt;
  const model::Card* best = nullptr;
  for (const model::Card& card : *cards)
    if (holds(device, card.device()) && (!best || card.device().size() > best->device().size()))
      best = &card;
  return best ? std::optional(best->name()) : std::nullopt;
}

Result<std::string> card_of_profile(const validate::NcuImport& profile, const std::string& place) {
  const std::string& device = profile.device;
  if (const auto card = card_of_device(device)) return *card;
  if (says_capability(profile) || device.empty()) return std::string(kUsual);
  return Error{
      ErrorKind::kUsage,
      fmt::format("it was counted on a GPU of which there is no card: {}", printable(device)),
      place, "name the card that comes nearest with --gpu (warpmem gpus)"};
}

Result<void> check_same_card(const validate::NcuImport& profile, const std::string& card,
                             const std::string& place) {
  if (says_capability(profile)) return {};
  const auto counted_on = card_of_device(profile.device);
  if (!counted_on || *counted_on == card) return {};
  return Error{ErrorKind::kUsage,
               fmt::format("counted on another GPU: {}, whose card is {}, not {}",
                           printable(profile.device), *counted_on, card),
               place, fmt::format("replay on that card: --gpu {}", *counted_on)};
}

}  // namespace warpmem::command
