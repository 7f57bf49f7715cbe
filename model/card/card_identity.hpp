// What a built-in card is called, without reading its numbers: for who asks which card a GPU has.
#pragma once

#include <string>
#include <vector>

namespace warpmem::model {

struct CardIdentity {
  std::string name;                // "h200"
  std::string full_name;           // "NVIDIA H200"
  std::string compute_capability;  // "9.0"
  std::string chip, year, device;  // as Card has them
  unsigned capability = 0;         // 90
};

// Of all built-in cards, the oldest first. Read once.
const std::vector<CardIdentity>& card_identities();

}  // namespace warpmem::model
