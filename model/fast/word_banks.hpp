// How many of a warp's words lie in each of 32 banks, of 4 bytes each.
#pragma once

#include <cstdint>

namespace warpmem::model {

// Of 32 lanes' addresses, those in the fullest bank; a word counts as often as it is wanted.
std::uint32_t wanted_of_a_bank(const std::uint64_t* address);

}  // namespace warpmem::model
