// Where the lanes of random accesses go: close together, a stride apart, scattered, or to lines
// that share a set of a cache.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "isa/space.hpp"

namespace warpmem::twin {

class RandomAddresses {
 public:
  static constexpr std::uint64_t kWindow = 0x7f2000000000;
  struct Lanes {
    std::array<std::uint64_t, 32> address{};
    std::optional<std::int32_t> stride;  // of all lanes; none: they are a stride apart of no width
  };

  explicit RandomAddresses(std::mt19937_64& random);

  Lanes lanes(trace::Space space, std::uint32_t bytes);
  // An address of global memory.
  std::uint64_t global(std::uint32_t alignment);

 private:
  std::uint64_t address(trace::Space space, std::uint32_t bytes);
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  std::mt19937_64& random_;
  std::uint64_t reach_;                 // bytes of global memory that a launch uses
  std::vector<std::uint64_t> crowded_;  // lines that share a set
};

}  // namespace warpmem::twin
