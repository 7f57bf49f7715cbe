#include "tests/twin/shared.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "tests/twin/banks.hpp"

namespace warpmem::twin {
namespace {

using model::SharedKind;

std::vector<Lane> among(const Access& a, std::uint32_t first, std::uint32_t lanes) {
  std::vector<Lane> out;
  for (const Lane& l : a.lanes)
    if (l.number >= first && l.number < first + lanes) out.push_back(l);
  return out;
}

std::optional<std::uint64_t> address_of(const Access& a, std::uint32_t lane) {
  for (const Lane& l : a.lanes)
    if (l.number == lane) return l.address;
  return std::nullopt;
}

// All banks together give so many lanes of a width a word each.
std::uint32_t lanes_at_once(std::uint32_t bytes, const TwinSpec& spec) {
  return std::min(32u, spec.sm.banks * spec.sm.bank_bytes / std::max(4u, bytes));
}

Wavefronts by_groups(const Access& a, std::uint32_t lanes, const TwinSpec& spec) {
  Wavefronts out;
  for (std::uint32_t first = 0; first < 32; first += lanes) {
    const std::vector<Lane> group = among(a, first, lanes);
    if (group.empty()) continue;
    out.taken += bank_passes(group, a.bytes, spec);
    ++out.groups;
  }
  out.reported = out.taken;
  return out;
}

// Whether every one of these lanes has the address of its partner so far away. One whose partner is
// not active agrees, or does not where `strict`.
bool agree(const Access& a, const std::vector<Lane>& lanes, std::uint32_t distance, bool strict) {
  return std::all_of(lanes.begin(), lanes.end(), [&](const Lane& l) {
    const auto partner = address_of(a, l.number ^ distance);
    return partner ? *partner == l.address : !strict;
  });
}

std::uint32_t reported(const Access& a, std::uint32_t lanes, const TwinSpec& spec) {
  const bool one_word = std::all_of(a.lanes.begin(), a.lanes.end(), [&](const Lane& l) {
    return l.address == a.lanes.front().address;
  });
  if (a.bytes == 16 && one_word) return a.lanes.size() > 16 ? 2 : 1;
  std::uint32_t all = 0;
  for (std::uint32_t first = 0; first < 32; first += 2 * lanes) {
    const std::vector<Lane> both = among(a, first, 2 * lanes);
    const bool strict = first + 2 * lanes < 32;  // the first half-warp, of 16 bytes a lane
    const bool joins =
        (strict && !address_of(a, 31)) || agree(a, both, 1, strict) || agree(a, both, 2, strict);
    const std::uint32_t joined = bank_passes(both, a.bytes, spec);
    all += joins && joined <= 1 ? joined
                                : bank_passes(among(a, first, lanes), a.bytes, spec) +
                                      bank_passes(among(a, first + lanes, lanes), a.bytes, spec);
  }
  return all;
}

Wavefronts of_load(const Access& a, const TwinSpec& spec) {
  const std::uint32_t lanes = lanes_at_once(a.bytes, spec);
  if (lanes == 32) return by_groups(a, lanes, spec);
  const bool joined = agree(a, a.lanes, 1, false) || agree(a, a.lanes, 2, false);
  Wavefronts out = by_groups(a, joined ? 2 * lanes : lanes, spec);
  out.reported = reported(a, lanes, spec);
  return out;
}

// One lane a bank and pass, even on the same word. Of 8 bytes, half-warps go one after the other.
std::uint32_t one_lane_a_bank(const Access& a, const TwinSpec& spec) {
  const std::uint32_t lanes = a.bytes > 4 ? 16 : 32, width = a.bytes > 4 ? 8 : spec.sm.bank_bytes;
  std::uint32_t all = 0;
  for (std::uint32_t first = 0; first < 32; first += lanes) {
    std::map<std::uint64_t, std::uint32_t> of_bank;
    std::uint32_t most = 0;
    for (const Lane& l : among(a, first, lanes))
      most = std::max(most,
                      ++of_bank[l.address / width % (spec.sm.banks * spec.sm.bank_bytes / width)]);
    all += most;
  }
  return all;
}

// An attempt to store: two passes for each half-warp of 8 bytes a lane, or for the warp.
std::uint32_t of_attempt(const Access& a) {
  if (a.bytes <= 4) return 2;
  return (among(a, 0, 16).empty() ? 0 : 2) + (among(a, 16, 16).empty() ? 0 : 2);
}

Wavefronts of_atomic(const Access& a, std::uint32_t passes, std::uint32_t each,
                     const TwinSpec& spec) {
  const std::uint32_t lanes = lanes_at_once(a.bytes, spec);
  const auto active = static_cast<std::uint32_t>(a.lanes.size());
  return {passes, passes, std::min(passes, each * ((active + lanes - 1) / lanes))};
}

}  // namespace

Wavefronts shared_wavefronts(const Access& a, SharedKind kind, const TwinSpec& spec) {
  switch (kind) {
    case SharedKind::kLoad: return of_load(a, spec);
    case SharedKind::kStore:
    case SharedKind::kReduction:
    case SharedKind::kMatrix: return by_groups(a, lanes_at_once(a.bytes, spec), spec);
    case SharedKind::kAtomic: return of_atomic(a, one_lane_a_bank(a, spec), 1, spec);
    case SharedKind::kCompareAndSwap: return of_atomic(a, 2 * one_lane_a_bank(a, spec), 2, spec);
    case SharedKind::kAttempt: return of_atomic(a, of_attempt(a), 2, spec);
  }
  return {};
}

}  // namespace warpmem::twin
