// What the L1 is for, and what a store does in it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::model {

// Global loads and local memory, nothing, one of the two; the last two: also global loads that ask
// for it by their operator (.ca).
enum class CachedSpaces : std::uint8_t { kBoth, kNone, kLocal, kLoads, kLocalAndAsked, kAsked };
inline const std::vector<std::string>& cached_spaces_names() {
  static const std::vector<std::string> kNames{"on",    "off",         "local",
                                               "loads", "local_asked", "asked"};
  return kNames;
}
constexpr bool caches_loads(CachedSpaces s) {
  return s == CachedSpaces::kBoth || s == CachedSpaces::kLoads;
}
constexpr bool caches_asked(CachedSpaces s) {
  return s == CachedSpaces::kLocalAndAsked || s == CachedSpaces::kAsked;
}
constexpr bool caches_local(CachedSpaces s) {
  return s == CachedSpaces::kBoth || s == CachedSpaces::kLocal || s == CachedSpaces::kLocalAndAsked;
}

enum class Allocate : std::uint8_t { kLoadsAndStores, kLoads };
inline const std::vector<std::string>& allocate_names() {
  static const std::vector<std::string> kNames{"loads_and_stores", "loads"};
  return kNames;
}

// A store goes through to the L2 either way; in the L1 its line gets what was stored, or goes.
enum class WritePolicy : std::uint8_t { kThrough, kEvict };
inline const std::vector<std::string>& write_policy_names() {
  static const std::vector<std::string> kNames{"through", "evict"};
  return kNames;
}

enum class LocalWrite : std::uint8_t { kThrough, kBack };
inline const std::vector<std::string>& local_write_names() {
  static const std::vector<std::string> kNames{"through", "back"};
  return kNames;
}

}  // namespace warpmem::model
