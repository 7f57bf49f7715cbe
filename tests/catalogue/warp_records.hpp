// Traces of kernels whose addresses are known, warp by warp: what a kernel's threads access is said
// by a function of the thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "traces/format/writer.hpp"

namespace warpmem::catalogue {

struct Grid {
  std::uint32_t x = 1, y = 1;     // CTAs
  std::uint32_t bx = 32, by = 1;  // threads
  std::uint32_t threads() const { return bx * by; }
};

struct Thread {
  std::uint64_t cx = 0, cy = 0, tx = 0, ty = 0;  // CTA and thread in it
  std::uint64_t t = 0;                           // threads of the CTA in a row
};

// The address that a thread accesses; nothing: it takes no part.
using Address = std::function<std::optional<std::uint64_t>(const Thread&)>;

enum class What : std::uint8_t {
  kLoad4,
  kStore4,
  kLoad8,
  kStore8,
  kLoad16,
  kStore16,
  kSharedLoad4,
  kSharedStore4,
  kSharedLoad8,
  kSharedLoad16,
  kConstant4,
  kTexture4,
  kCount
};

// One instruction of a kernel.
struct Access {
  What what;
  Address address;
};

// Arrays of a kernel, far apart.
constexpr std::uint64_t array(unsigned n) { return 0x7f0000000000 + (std::uint64_t{n} << 32); }

// An access-policy window over array 0, whose accesses persist; none if it has no bytes.
struct Window {
  std::uint64_t bytes = 0, set_aside = 0;
  float hit_ratio = 1;
};

// Writes a trace of one launch, all of whose threads run these accesses in their order.
Result<void> write_trace(const std::string& path, const std::string& kernel, const Grid& grid,
                         const std::vector<Access>& accesses, const Window& window = {});

}  // namespace warpmem::catalogue
