// Which line of a full set goes: the policies that there are. Each is a file of this folder and a
// row of policies.hpp; every cache takes them all, through its sets (cache/ordered_set.hpp).
//
// Random choices come from a counter, so that they are the same in every run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/cache/replacement/policies.hpp"
#include "model/policy/table.hpp"

namespace warpmem::model {

// In the order of the rows.
enum class Replacement : std::uint8_t { WARPMEM_REPLACEMENT_POLICIES(WARPMEM_ENUMERATOR) };
// As cards name them.
const std::vector<std::string>& replacement_names();

// A set as a policy sees it. Lines stand in the order of their last use, the youngest first.
struct SetView {
  std::size_t lines = 0;                  // that it holds
  std::uint32_t ways = 0;                 // that it has room for
  const std::uint32_t* way_of = nullptr;  // by place in the order, where the policy knows ways
  std::uint64_t& draws;                   // of the cache: random numbers drawn so far
  // What the policy keeps of the set.
  struct Kept {
    std::uint64_t tree = 0;   // bits of a tree of its ways
    std::uint32_t young = 0;  // lines at the front that a new one goes behind
  };
  Kept& kept;
};

struct ReplacementPolicy {
  bool hits_reorder = true;  // a hit makes a line the youngest
  bool knows_ways = false;   // lines have a way each: the lowest free one when they come
  bool spares_dirty = true;  // an L2 writes a dirty victim back and gives up the next clean line
  // A line has been hit, which stands at this place until now; or has come in this way.
  void (*hit)(const SetView&, std::size_t at) = nullptr;
  void (*comes)(const SetView&, std::uint32_t way) = nullptr;
  // The place of the line that goes; nullptr: the last.
  std::size_t (*victim)(const SetView&) = nullptr;
  // The place that a new line takes; nullptr: the first.
  std::size_t (*place)(const SetView&) = nullptr;
};
const ReplacementPolicy& policy_of(Replacement);

// A number below `below`, other with each draw.
inline std::uint32_t draw_below(std::uint64_t& draws, std::uint32_t below) {
  std::uint64_t x = ++draws * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return static_cast<std::uint32_t>((x ^ x >> 31) % below);
}

}  // namespace warpmem::model
