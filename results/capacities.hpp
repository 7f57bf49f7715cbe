// What a cache of every capacity would have hit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmem {

struct CacheShape {
  std::uint64_t bytes = 0;  // of an SM's L1, or of the whole L2
  std::uint64_t sets = 0, ways = 0;
};

struct CapacityCurve {
  std::string name;                 // "app.cu:12", "argument 2 (float*)"
  std::uint64_t sectors = 0;        // asked for
  std::vector<std::uint64_t> hits;  // by shape
  // The least capacity with at least 95 % of the largest one's hits; nothing where that has none.
  std::optional<std::size_t> needs;
};

struct CapacityResult {
  std::string level;               // "L1", "L2"
  std::vector<CacheShape> shapes;  // ascending
  CapacityCurve all;
  std::vector<CapacityCurve> lines, arrays;  // most sectors first
  bool one_pass = false;                     // no: by a replay for each shape
  std::string why;                           // … and why not
  std::vector<std::string> notes;
};

}  // namespace warpmem
