// What an L1 is for, and when what is stored to local memory leaves it.
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

enum class LocalWrite : std::uint8_t { kThrough, kBack };
inline const std::vector<std::string>& local_write_names() {
  static const std::vector<std::string> kNames{"through", "back"};
  return kNames;
}

}  // namespace warpmem::model
