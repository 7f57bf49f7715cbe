#include "model/shared/shared_banks.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::model {
namespace {

constexpr int kBanks = 32;
constexpr std::uint64_t kWordBytes = 4;

// One word a lane at most, and no bank has two different ones: what well-made kernels do.
bool without_conflict(const WarpAccess& a, int first, int count) {
  std::array<std::uint64_t, kBanks> word_of_bank;
  std::uint32_t seen = 0;
  for (int l = first; l < first + count; ++l) {
    if (!(a.mask >> l & 1)) continue;
    const std::uint64_t w = a.address[l] / kWordBytes;
    const std::uint32_t bank = 1u << w % kBanks;
    if (!(seen & bank)) word_of_bank[w % kBanks] = w;
    else if (word_of_bank[w % kBanks] != w) return false;
    seen |= bank;
  }
  return true;
}

// Distinct words in the fullest bank among lanes [first, first + count).
int group_passes(const WarpAccess& a, int first, int count) {
  const std::uint32_t lanes = (count >= kWarpLanes ? ~0u : (1u << count) - 1) << first;
  if (!(a.mask & lanes)) return 0;
  if (a.bytes <= kWordBytes && without_conflict(a, first, count)) return 1;
  // Mostly a bank has one word: it is remembered by bank, further ones in a list of all banks' (32
  // lanes of up to four words each).
  std::array<std::uint64_t, kBanks> word_of_bank;
  std::array<std::uint64_t, kWarpLanes * 4> further;
  std::array<std::uint8_t, kBanks> in_bank{};
  int words = 0, most = 0;
  const int per_lane = a.bytes <= 4 ? 1 : static_cast<int>(a.bytes / kWordBytes);
  for (int l = first; l < first + count; ++l) {
    if (!(a.mask >> l & 1)) continue;
    for (int k = 0; k < per_lane; ++k) {
      const std::uint64_t w = a.address[l] / kWordBytes + static_cast<std::uint64_t>(k);
      const std::size_t bank = w % kBanks;
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

int lanes_per_group(std::uint32_t bytes) {
  return bytes <= 4 ? kWarpLanes : static_cast<int>(128 / bytes);
}

// Groups of so many lanes, one after the other.
SharedPasses by_groups(const WarpAccess& a, int lanes) {
  SharedPasses out;
  for (int first = 0; first < kWarpLanes; first += lanes) {
    const int passes = group_passes(a, first, lanes);
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
int reported_passes(const WarpAccess& a, int lanes, const Partners& next, const Partners& second) {
  constexpr int kLanesOfOneWord = 16;
  if (a.bytes == 16 && on_one_word(a))
    return (std::popcount(a.mask) + kLanesOfOneWord - 1) / kLanesOfOneWord;
  const bool last_lane = a.mask >> (kWarpLanes - 1) & 1;
  int passes = 0;
  for (int first = 0; first < kWarpLanes; first += 2 * lanes) {
    const std::uint32_t both = (lanes == 16 ? ~0u : 0xffffu) << first;
    const bool strict = first + 2 * lanes < kWarpLanes;  // the first half-warp, of 16 bytes a lane
    const auto agree = [&](const Partners& p) {
      return !((strict ? p.differ | p.alone : p.differ) & both);
    };
    const bool joins = (strict && !last_lane) || agree(next) || agree(second);
    const int joined = joins ? group_passes(a, first, 2 * lanes) : 2;
    passes += joined <= 1 ? joined
                          : group_passes(a, first, lanes) + group_passes(a, first + lanes, lanes);
  }
  return passes;
}

SharedPasses load_passes(const WarpAccess& a) {
  const int lanes = lanes_per_group(a.bytes);
  if (lanes == kWarpLanes) return by_groups(a, lanes);
  const Partners next = partners(a, 1), second = partners(a, 2);
  SharedPasses out = by_groups(a, next.differ && second.differ ? lanes : 2 * lanes);
  out.reported = reported_passes(a, lanes, next, second);
  return out;
}

// Lanes in the fullest bank; no two lanes share a pass.
int atomic_passes(const WarpAccess& a) {
  if (a.bytes > 4) {  // 8-byte atomics go by half-warps, as 8-byte accesses do
    int total = 0;
    for (int first = 0; first < kWarpLanes; first += 16) {
      std::array<int, kBanks / 2> n{};
      int most = 0;
      for (int l = first; l < first + 16; ++l)
        if (a.mask >> l & 1) most = std::max(most, ++n[a.address[l] / 8 % (kBanks / 2)]);
      total += most;
    }
    return total;
  }
  std::array<int, kBanks> n{};
  int most = 0;
  for (int l = 0; l < kWarpLanes; ++l)
    if (a.mask >> l & 1) most = std::max(most, ++n[a.address[l] / kWordBytes % kBanks]);
  return most;
}

int fast_attempt_passes(const WarpAccess& a) {
  if (a.bytes <= 4) return a.mask != 0 ? 2 : 0;
  return ((a.mask & 0xffff) != 0 ? 2 : 0) + (a.mask >> 16 != 0 ? 2 : 0);
}

// The same number whoever asks. What is no conflict is counted as of other accesses (assumed).
SharedPasses of_atomic(const WarpAccess& a, int passes, int each) {
  const int lanes = std::popcount(a.mask), group = lanes_per_group(a.bytes);
  return {passes, passes, std::min(passes, each * ((lanes + group - 1) / group))};
}

}  // namespace

SharedPasses shared_passes(const WarpAccess& access, SharedKind kind) {
  if (access.mask == 0) return {};
  switch (kind) {
    case SharedKind::kLoad: return load_passes(access);
    case SharedKind::kStore:
    case SharedKind::kReduction:
    case SharedKind::kMatrix: return by_groups(access, lanes_per_group(access.bytes));
    case SharedKind::kAtomic: return of_atomic(access, atomic_passes(access), 1);
    case SharedKind::kCompareAndSwap: return of_atomic(access, 2 * atomic_passes(access), 2);
    case SharedKind::kAttempt: return of_atomic(access, fast_attempt_passes(access), 2);
  }
  return {};
}

}  // namespace warpmem::model
