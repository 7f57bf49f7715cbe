#include "model/shared/bank_rule.hpp"

#include <algorithm>
#include <bit>
#include <vector>

namespace warpmem::model {
namespace {

std::uint32_t lanes_from(int first, int count) {
  return (count >= kWarpLanes ? ~0u : (1u << count) - 1) << first;
}

// Distinct words in the fullest bank, of the lanes of a mask.
int passes_of(const WarpAccess& a, std::uint32_t lanes, const Banks& banks) {
  std::vector<std::vector<std::uint64_t>> words(banks.count);
  std::size_t most = 0;
  const std::uint32_t each = std::max(1u, a.bytes / banks.bytes);
  for (std::uint32_t rest = a.mask & lanes; rest; rest &= rest - 1) {
    const std::uint64_t first =
        a.address[static_cast<std::size_t>(std::countr_zero(rest))] / banks.bytes;
    for (std::uint64_t word = first; word < first + each; ++word) {
      auto& of_bank = words[word % banks.count];
      if (std::find(of_bank.begin(), of_bank.end(), word) == of_bank.end()) of_bank.push_back(word);
      most = std::max(most, of_bank.size());
    }
  }
  return static_cast<int>(most);
}

int lanes_at_once(std::uint32_t bytes, const Banks& banks) {
  return static_cast<int>(
      std::min<std::uint32_t>(kWarpLanes, banks.count * banks.bytes / std::max(4u, bytes)));
}

SharedPasses by_groups(const WarpAccess& a, int lanes, const Banks& banks) {
  SharedPasses out;
  for (int first = 0; first < kWarpLanes; first += lanes) {
    const int passes = passes_of(a, lanes_from(first, lanes), banks);
    out.taken += passes;
    out.groups += passes > 0;
  }
  out.reported = out.taken;
  return out;
}

// Whether every one of these lanes has its partner's address; one without a partner does, unless
// `strict`.
bool agree(const WarpAccess& a, std::uint32_t lanes, int distance, bool strict) {
  for (std::uint32_t rest = a.mask & lanes; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest), partner = l ^ distance;
    const bool there = a.mask >> partner & 1;
    if (there
            ? a.address[static_cast<std::size_t>(l)] != a.address[static_cast<std::size_t>(partner)]
            : strict)
      return false;
  }
  return true;
}

// What the profiler makes of a load that takes more than one group.
int reported_passes(const WarpAccess& a, int lanes, const Banks& banks) {
  const auto first_address = a.address[static_cast<std::size_t>(std::countr_zero(a.mask))];
  bool one_word = true;
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1)
    one_word &= a.address[static_cast<std::size_t>(std::countr_zero(rest))] == first_address;
  if (a.bytes == 16 && one_word) return std::popcount(a.mask) > 16 ? 2 : 1;
  int passes = 0;
  for (int first = 0; first < kWarpLanes; first += 2 * lanes) {
    const std::uint32_t both = lanes_from(first, 2 * lanes);
    const bool strict = first + 2 * lanes < kWarpLanes;
    const bool joins =
        (strict && !(a.mask >> 31)) || agree(a, both, 1, strict) || agree(a, both, 2, strict);
    const int joined = joins ? passes_of(a, both, banks) : 2;
    passes += joined <= 1 ? joined
                          : passes_of(a, lanes_from(first, lanes), banks) +
                                passes_of(a, lanes_from(first + lanes, lanes), banks);
  }
  return passes;
}

SharedPasses of_load(const WarpAccess& a, const Banks& banks) {
  const int lanes = lanes_at_once(a.bytes, banks);
  if (lanes == kWarpLanes) return by_groups(a, lanes, banks);
  const bool joined = agree(a, ~0u, 1, false) || agree(a, ~0u, 2, false);
  SharedPasses out = by_groups(a, joined ? 2 * lanes : lanes, banks);
  out.reported = reported_passes(a, lanes, banks);
  return out;
}

// One lane a bank and pass, even on the same word; of 8 bytes, half-warps one after the other.
int atomic_passes(const WarpAccess& a, const Banks& banks) {
  const bool wide = a.bytes > 4;
  const int lanes = wide ? 16 : kWarpLanes;
  const std::uint32_t width = wide ? 8 : banks.bytes;
  const std::uint64_t places = std::uint64_t{banks.count} * banks.bytes / width;
  int all = 0;
  for (int first = 0; first < kWarpLanes; first += lanes) {
    std::vector<int> of_bank(places);
    int most = 0;
    for (std::uint32_t rest = a.mask & lanes_from(first, lanes); rest; rest &= rest - 1)
      most = std::max(
          most,
          ++of_bank[a.address[static_cast<std::size_t>(std::countr_zero(rest))] / width % places]);
    all += most;
  }
  return all;
}

int attempt_passes(const WarpAccess& a) {
  if (a.bytes <= 4) return 2;
  return ((a.mask & 0xffff) != 0 ? 2 : 0) + (a.mask >> 16 != 0 ? 2 : 0);
}

SharedPasses of_atomic(const WarpAccess& a, int passes, int each, const Banks& banks) {
  const int lanes = std::popcount(a.mask), group = lanes_at_once(a.bytes, banks);
  return {passes, passes, std::min(passes, each * ((lanes + group - 1) / group))};
}

}  // namespace

SharedPasses shared_passes(const WarpAccess& a, SharedKind kind, const Banks& banks) {
  if (a.mask == 0) return {};
  switch (kind) {
    case SharedKind::kLoad: return of_load(a, banks);
    case SharedKind::kStore:
    case SharedKind::kReduction:
    case SharedKind::kMatrix: return by_groups(a, lanes_at_once(a.bytes, banks), banks);
    case SharedKind::kAtomic: return of_atomic(a, atomic_passes(a, banks), 1, banks);
    case SharedKind::kCompareAndSwap: return of_atomic(a, 2 * atomic_passes(a, banks), 2, banks);
    case SharedKind::kAttempt: return of_atomic(a, attempt_passes(a), 2, banks);
  }
  return {};
}

std::uint32_t data_passes(const WarpLanes& w, std::uint32_t bytes, std::uint32_t least,
                          const Banks& banks) {
  if (!w.regular())
    return std::max(least, static_cast<std::uint32_t>(passes_of(expand(w, bytes), ~0u, banks)));
  const std::uint32_t words = std::max(1u, bytes / banks.bytes);
  const auto active = static_cast<std::uint32_t>(w.active());
  const auto step = static_cast<std::uint32_t>(w.stride < 0 ? -w.stride : w.stride) / banks.bytes;
  if (step == 0) return least;
  if (step <= words) return std::max(least, active * words / banks.count);
  // Lanes start in every so manieth bank, and each covers `words` of them.
  std::uint32_t apart = 1;
  while (apart < banks.count && step % (2 * apart) == 0) apart *= 2;
  const std::uint32_t used = banks.count / apart * std::min(words, apart);
  return std::max(least, (active * words + used - 1) / used);
}

}  // namespace warpmem::model
