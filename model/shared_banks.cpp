#include "model/shared_banks.hpp"

#include <algorithm>

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
        if (word_of_bank[bank] == w || std::find(further.begin(), further.begin() + words, w) != further.begin() + words) continue;
        further[words++] = w;
      }
      most = std::max<int>(most, ++in_bank[bank]);
    }
  }
  return most;
}

// Every active lane n in the range shares its address with lane n ^ distance where that is active.
bool lanes_pair(const WarpAccess& a, int first, int count, int distance) {
  for (int l = first; l < first + count; ++l) {
    const int partner = l ^ distance;
    if ((a.mask >> l & 1) && (a.mask >> partner & 1) && a.address[l] != a.address[partner]) return false;
  }
  return true;
}

int lanes_per_group(std::uint32_t bytes) { return bytes <= 4 ? 32 : static_cast<int>(128 / bytes); }

int vector_passes(const WarpAccess& a, bool load) {
  const int per = lanes_per_group(a.bytes);
  if (per == kWarpLanes) return group_passes(a, 0, kWarpLanes);
  int total = 0;
  for (int first = 0; first < kWarpLanes; first += 2 * per) {
    if (load && (lanes_pair(a, first, 2 * per, 1) || lanes_pair(a, first, 2 * per, 2))) {
      const int together = group_passes(a, first, 2 * per);
      if (together <= 1) {
        total += together;
        continue;
      }
    }
    total += group_passes(a, first, per) + group_passes(a, first + per, per);
  }
  return total;
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

int attempt_passes(const WarpAccess& a) {
  if (a.bytes <= 4) return a.mask != 0 ? 2 : 0;
  return ((a.mask & 0xffff) != 0 ? 2 : 0) + (a.mask >> 16 != 0 ? 2 : 0);
}

}  // namespace

int shared_wavefronts(const WarpAccess& access, SharedKind kind) {
  switch (kind) {
    case SharedKind::kLoad: return vector_passes(access, true);
    case SharedKind::kStore:
    case SharedKind::kReduction:
    case SharedKind::kMatrix: return vector_passes(access, false);
    case SharedKind::kAtomic: return atomic_passes(access);
    case SharedKind::kCompareAndSwap: return 2 * atomic_passes(access);
    case SharedKind::kAttempt: return attempt_passes(access);
  }
  return 0;
}

int shared_wavefronts_ideal(const WarpAccess& access, SharedKind kind) {
  if (access.mask == 0) return 0;
  const int lanes = std::popcount(access.mask);
  const int per = lanes_per_group(access.bytes);
  const int groups = (lanes + per - 1) / per;
  const bool twice = kind == SharedKind::kCompareAndSwap || kind == SharedKind::kAttempt;
  return twice ? 2 * groups : groups;
}

}  // namespace warpmem::model
