// Loads and stores of one element a lane, between registers and the host's memory.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "emulate/executor/types.hpp"

namespace warpmem::emulate {

// For each lane of the mask.
template <class F>
void each_lane(std::uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// `host`: each lane's address, to which `offset` is added; `width`: of a lane's register, in bytes.
void load_element(Type type, std::byte* to, std::uint32_t width, const std::uint64_t* host,
                  std::uint32_t mask, std::uint32_t offset);
// `bytes`: that a lane stores in all, which says in which order they come.
void store_element(Type type, const std::byte* from, std::uint32_t width, const std::uint64_t* host,
                   std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes);

}  // namespace warpmem::emulate
