#include "model/card/nearest_card.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "model/card/card.hpp"
#include "model/card/card_identity.hpp"

namespace warpmem::model {

const char* const kUsualCard = "h200";

namespace {

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

// "8.6" and "sm_86" are 86; 0: neither.
unsigned capability_of(std::string_view text) {
  unsigned out = 0;
  for (const char c : text)
    if (c >= '0' && c <= '9') out = out * 10 + static_cast<unsigned>(c - '0');
  return out;
}

// The card of which capability stands for it: chips of one generation, of which one has a card.
unsigned alike(unsigned capability) {
  switch (capability) {
    case 50:
    case 53: return 52;
    case 61:
    case 62: return 52;  // an SM of Maxwell's kind, unlike that of a P100
    case 72: return 70;
    case 87: return 86;
    case 101:
    case 103: return 100;
    case 121: return 120;
    default: return capability;
  }
}

// Profilers before Nsight Compute say a GPU's name alone.
unsigned capability_by_name(std::string_view name) {
  struct Kind {
    std::string_view word;
    unsigned capability;
  };
  static constexpr std::array kKinds{
      Kind{"K10", 30},       Kind{"K20", 35},     Kind{"K80", 37},       Kind{"TITAN Black", 35},
      Kind{"GTX TITAN", 35}, Kind{"GTX 6", 30},   Kind{"GTX 7", 30},     Kind{"GTX 9", 52},
      Kind{"M60", 52},       Kind{"M6000", 52},   Kind{"GTX 10", 61},    Kind{"TITAN X", 61},
      Kind{"P4", 61},        Kind{"P6", 61},      Kind{"P40", 61},       Kind{"P5000", 61},
      Kind{"P6000", 61},     Kind{"GP100", 60},   Kind{"TITAN V", 70},   Kind{"GV100", 70},
      Kind{"RTX 20", 75},    Kind{"GTX 16", 75},  Kind{"TITAN RTX", 75}, Kind{"RTX 30", 86},
      Kind{"RTX 40", 89},    Kind{"RTX 50", 120}, Kind{"GTX 4", 20},     Kind{"GTX 5", 20},
      Kind{"M2050", 20},     Kind{"M2070", 20},   Kind{"M2090", 20},     Kind{"C2070", 20},
      Kind{"C2075", 20},     Kind{"GTX 2", 13},   Kind{"C1060", 13},     Kind{"8800", 10},
      Kind{"9800", 10}};
  for (const Kind& kind : kKinds) {
    const std::size_t at = name.find(kind.word);
    if (at == name.npos || (at != 0 && in_word(name[at - 1]))) continue;
    const std::string_view rest = name.substr(at + kind.word.size());
    const bool series =
        kind.word.find(' ') != kind.word.npos;  // "GTX 10" is the beginning of "GTX 1080"
    if (series || ends_word(rest)) return kind.capability;
  }
  return 0;
}

// Beyond the makers' words that all have: "H100" of an H100 PCIe.
bool shares_word(std::string_view name, std::string_view other) {
  for (std::size_t at = 0; at < name.size();) {
    const std::size_t end = std::min(name.find(' ', at), name.size());
    const std::string_view word = name.substr(at, end - at);
    const bool number = word.find_first_of("0123456789") != word.npos;
    if (number && holds_word(other, word)) return true;
    at = end + 1;
  }
  return false;
}

}  // namespace

std::optional<std::string> card_of_device(std::string_view device) {
  const CardIdentity* best = nullptr;
  for (const CardIdentity& card : card_identities())
    if (holds(device, card.device) && (!best || card.device.size() > best->device.size()))
      best = &card;
  return best ? std::optional(best->name) : std::nullopt;
}

std::optional<NearCard> nearest_card(const KnownGpu& gpu) {
  if (const auto own = card_of_device(gpu.name)) return NearCard{*own, true};
  const unsigned capability =
      gpu.capability.empty() ? capability_by_name(gpu.name) : capability_of(gpu.capability);
  if (capability == 0) return std::nullopt;
  std::vector<const CardIdentity*> near;  // all as near
  std::array<long, 3> least{};
  for (const CardIdentity& card : card_identities()) {
    const std::array<long, 3> far{
        std::abs(static_cast<long>(alike(card.capability)) / 10 -
                 static_cast<long>(alike(capability)) / 10),
        std::abs(static_cast<long>(alike(card.capability)) - static_cast<long>(alike(capability))),
        shares_word(gpu.name, card.full_name) ? 0 : 1};
    if (near.empty() || far < least) near.clear(), least = far;
    if (far == least) near.push_back(&card);
  }
  const CardIdentity* best = near.back();  // the newest
  if (gpu.sms != 0 && near.size() > 1) {
    long fewest = -1;
    for (const CardIdentity* one : near) {
      const auto card = load_card(one->name);
      if (!card) continue;
      const long apart =
          std::abs(static_cast<long>(card->numbers().sm_count) - static_cast<long>(gpu.sms));
      if (fewest < 0 || apart <= fewest) best = one, fewest = apart;
    }
  }
  return NearCard{best->name, false};
}

}  // namespace warpmem::model
