#include "model/shared/shared_banks.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::model {
namespace {

std::uint32_t lanes_from(int first, int count) {
  return (count >= kWarpLanes ? ~0u : (1u << count) - 1) << first;
}

// One word a lane at most, and no bank has two different ones: what well-made kernels do.
template <class B>
bool without_conflict(const WarpAccess& a, int first, int count, const B& banks) {
  std::array<std::uint64_t, B::kMost> word_of_bank;
  std::uint64_t seen = 0;
  for (int l = first; l < first + count; ++l) {
    if (!(a.mask >> l & 1)) continue;
    const std::uint64_t w = a.address[l] / banks.bytes;
    const std::uint64_t bank = std::uint64_t{1} << w % banks.count;
    if (!(seen & bank)) word_of_bank[w % banks.count] = w;
    else if (word_of_bank[w % banks.count] != w) return false;
    seen |= bank;
  }
  return true;
}

// Distinct words in the fullest bank among lanes [first, first + count).
template <class B>
int group_passes(const WarpAccess& a, int first, int count, const B& banks) {
  if (!(a.mask & lanes_from(first, count))) return 0;
  if (a.bytes <= banks.bytes && without_conflict(a, first, count, banks)) return 1;
  // Mostly a bank has one word: it is remembered by bank, further ones in a list of all banks' (32
  // lanes of up to four words each).
  std::array<std::uint64_t, B::kMost> word_of_bank;
  std::array<std::uint64_t, kWarpLanes * 4> further;
  std::array<std::uint8_t, B::kMost> in_bank{};
  int words = 0, most = 0;
  const int per_lane = a.bytes <= banks.bytes ? 1 : static_cast<int>(a.bytes / banks.bytes);
  for (int l = first; l < first + count; ++l) {
    if (!(a.mask >> l & 1)) continue;
    for (int k = 0; k < per_lane; ++k) {
      const std::uint64_t w = a.address[l] / banks.bytes + static_cast<std::uint64_t>(k);
      const std::size_t bank = w % banks.count;
      if (in_bank[bank] == 0) {
        word_of_bank[bank] = w;
      } else {
        if (word_of_bank[bank] == w ||
            std::find(further.begin(), further.begin() + words, w) != further.begin() + words)
          continue;
        further[words++] = w;
      }
      most = std::max<int>(most, ++in_bank[bank]);
    }
  }
  return most;
}

// As many as all banks give a word to in one pass.
template <class B>
int lanes_per_group(std::uint32_t bytes, const B& banks) {
  return static_cast<int>(
      std::min<std::uint32_t>(kWarpLanes, banks.count * banks.bytes / std::max(4u, bytes)));
}

// Groups of so many lanes, one after the other.
template <class B>
SharedPasses by_groups(const WarpAccess& a, int lanes, const B& banks) {
  SharedPasses out;
  for (int first = 0; first < kWarpLanes; first += lanes) {
    const int passes = group_passes(a, first, lanes, banks);
    out.taken += passes;
    out.groups += passes > 0;
  }
  out.reported = out.taken;
  return out;
}

// How the lanes compare with those at a distance of 1 or 2.
struct Partners {
  std::uint32_t differ = 0;  // bit l: lane l and its partner are active and have other addresses
  std::uint32_t alone = 0;   // bit l: lane l is active, its partner is not
};
Partners partners(const WarpAccess& a, int distance) {
  Partners out;
  for (int l = 0; l < kWarpLanes; ++l) {
    if (!(a.mask >> l & 1)) continue;
    const int partner = l ^ distance;
    const std::uint32_t bit = 1u << l;
    if (!(a.mask >> partner & 1)) out.alone |= bit;
    else if (a.address[l] != a.address[partner]) out.differ |= bit;
  }
  return out;
}

bool on_one_word(const WarpAccess& a) {
  const int first = std::countr_zero(a.mask);
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1)
    if (a.address[std::countr_zero(rest)] != a.address[first]) return false;
  return true;
}

// What the profiler makes of a wide load.
template <class B>
int reported_passes(const WarpAccess& a, int lanes, const Partners& next, const Partners& second,
                    const B& banks) {
  constexpr int kLanesOfOneWord = 16;
  if (a.bytes == 16 && on_one_word(a))
    return (std::popcount(a.mask) + kLanesOfOneWord - 1) / kLanesOfOneWord;
  const bool last_lane = a.mask >> (kWarpLanes - 1) & 1;
  int passes = 0;
  for (int first = 0; first < kWarpLanes; first += 2 * lanes) {
    const std::uint32_t both = lanes_from(first, 2 * lanes);
    const bool strict = first + 2 * lanes < kWarpLanes;  // the first half-warp, of 16 bytes a lane
    const auto agree = [&](const Partners& p) {
      return !((strict ? p.differ | p.alone : p.differ) & both);
    };
    const bool joins = (strict && !last_lane) || agree(next) || agree(second);
    const int joined = joins ? group_passes(a, first, 2 * lanes, banks) : 2;
    passes += joined <= 1 ? joined
                          : group_passes(a, first, lanes, banks) +
                                group_passes(a, first + lanes, lanes, banks);
  }
  return passes;
}

template <class B>
SharedPasses load_passes(const WarpAccess& a, const B& banks) {
  const int lanes = lanes_per_group(a.bytes, banks);
  if (lanes == kWarpLanes) return by_groups(a, lanes, banks);
  const Partners next = partners(a, 1), second = partners(a, 2);
  SharedPasses out = by_groups(a, next.differ && second.differ ? lanes : 2 * lanes, banks);
  out.reported = reported_passes(a, lanes, next, second, banks);
  return out;
}

// Lanes in the fullest bank; no two lanes share a pass. Of 8 bytes half-warps go one after the
// other, as 8-byte accesses do.
template <class B>
int atomic_passes(const WarpAccess& a, const B& banks) {
  const bool wide = a.bytes > 4;
  const int lanes = wide ? kWarpLanes / 2 : kWarpLanes;
  const std::uint64_t width = wide ? 8 : banks.bytes;
  const std::uint64_t columns = std::uint64_t{banks.count} * banks.bytes / width;
  int all = 0;
  for (int first = 0; first < kWarpLanes; first += lanes) {
    std::array<int, Banks::kMost> n{};
    int most = 0;
    for (int l = first; l < first + lanes; ++l)
      if (a.mask >> l & 1) most = std::max(most, ++n[a.address[l] / width % columns]);
    all += most;
  }
  return all;
}

int attempt_passes(const WarpAccess& a) {
  if (a.bytes <= 4) return 2;
  return ((a.mask & 0xffff) != 0 ? 2 : 0) + (a.mask >> 16 != 0 ? 2 : 0);
}

// The same number whoever asks. What is no conflict is counted as of other accesses (assumed).
template <class B>
SharedPasses of_atomic(const WarpAccess& a, int passes, int each, const B& banks) {
  const int lanes = std::popcount(a.mask), group = lanes_per_group(a.bytes, banks);
  return {passes, passes, std::min(passes, each * ((lanes + group - 1) / group))};
}

template <class B>
SharedPasses passes_of(const WarpAccess& a, SharedKind kind, const B& banks) {
  if (a.mask == 0) return {};
  switch (kind) {
    case SharedKind::kLoad: return load_passes(a, banks);
    case SharedKind::kStore:
    case SharedKind::kReduction:
    case SharedKind::kMatrix: return by_groups(a, lanes_per_group(a.bytes, banks), banks);
    case SharedKind::kAtomic: return of_atomic(a, atomic_passes(a, banks), 1, banks);
    case SharedKind::kCompareAndSwap: return of_atomic(a, 2 * atomic_passes(a, banks), 2, banks);
    case SharedKind::kAttempt: return of_atomic(a, attempt_passes(a), 2, banks);
  }
  return {};
}

}  // namespace

SharedPasses shared_passes(const WarpAccess& access, SharedKind kind) {
  return passes_of(access, kind, UsualBanks{});
}

SharedPasses shared_passes(const WarpAccess& access, SharedKind kind, const Banks& banks) {
  return is_usual(banks) ? shared_passes(access, kind) : passes_of(access, kind, banks);
}

int words_in_fullest_bank(const WarpAccess& a, int first, int lanes, const Banks& banks) {
  return group_passes(a, first, lanes, banks);
}

}  // namespace warpmem::model
