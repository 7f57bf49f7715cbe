// The bits of a tree of ways.
#pragma once

#include <cstdint>

namespace warpmem::model {

// After one of the ways was used.
std::uint64_t tree_after(std::uint64_t tree, std::uint32_t way, std::uint32_t ways);
// The way that they point to.
std::uint32_t tree_victim(std::uint64_t tree, std::uint32_t ways);

}  // namespace warpmem::model
