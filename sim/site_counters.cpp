#include "sim/site_counters.hpp"

#include <cstddef>

#include "base/wide_hosts.hpp"

namespace warpmem::sim {
namespace {

// Counters are whole numbers of 64 bits, one after the other; those of the L2 are kept apart.
constexpr std::size_t kAll = sizeof(model::LaunchCounters) / sizeof(std::uint64_t);
constexpr std::size_t kFrom = offsetof(model::LaunchCounters, l2) / sizeof(std::uint64_t);
constexpr std::size_t kL2 = sizeof(model::L2Counters) / sizeof(std::uint64_t);

const std::uint64_t* words(const void* counters) {
  return static_cast<const std::uint64_t*>(counters);
}

WARPMEM_WIDE_HOSTS void add_words(std::uint64_t* sum, const std::uint64_t* own,
                                  const std::uint64_t* l2) {
  for (std::size_t i = 0; i < kFrom; ++i) sum[i] += own[i];
  for (std::size_t i = 0; i < kL2; ++i) sum[kFrom + i] += l2[i];
  for (std::size_t i = kFrom + kL2; i < kAll; ++i) sum[i] += own[i];
}

WARPMEM_WIDE_HOSTS void take_words(std::uint64_t* sum, const std::uint64_t* own,
                                   const std::uint64_t* l2) {
  for (std::size_t i = 0; i < kFrom; ++i) sum[i] -= own[i];
  for (std::size_t i = 0; i < kL2; ++i) sum[kFrom + i] -= l2[i];
  for (std::size_t i = kFrom + kL2; i < kAll; ++i) sum[i] -= own[i];
}

}  // namespace

void SiteCounters::begins(const model::AccessTiming& t) {
  take_words(reinterpret_cast<std::uint64_t*>(&by_site_[slot(t)]), words(&memory_.counters()),
             words(&memory_.l2_counters()));
}

void SiteCounters::ends(const model::AccessTiming& t) {
  add_words(reinterpret_cast<std::uint64_t*>(&by_site_[slot(t)]), words(&memory_.counters()),
            words(&memory_.l2_counters()));
  const std::uint64_t end = std::max(t.done, t.stored);
  cycles_[slot(t)] += end - std::min(t.now, end);
}

}  // namespace warpmem::sim
