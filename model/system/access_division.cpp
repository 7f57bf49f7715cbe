#include "model/system/access_division.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "model/access/rule/access_rule.hpp"
#include "model/atomics/atomics.hpp"
#include "model/sm/async_copy.hpp"
#include "model/system/transactions.hpp"

namespace warpmem::model {
namespace {

using Piece = AccessDivision::Piece;

template <class Do>
void each_lane(const WarpAccess& a, Do&& take) {
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
    const auto l = static_cast<std::size_t>(std::countr_zero(rest));
    take(l, a.address[l]);
  }
}

void add_sectors(std::uint64_t line, std::uint8_t sectors, std::uint32_t line_bytes,
                 std::vector<Piece>& out) {
  for (std::uint32_t s = 0; s < kSectorsPerLine; ++s)
    if (sectors >> s & 1u)
      out.push_back({line * line_bytes + s * kSectorBytes, std::uint32_t{kSectorBytes}});
}

std::uint64_t sectors_of(const std::vector<Piece>& pieces) {
  std::uint64_t out = 0;
  for (const Piece& p : pieces) out += std::uint64_t{p.times} * p.bytes / kSectorBytes;
  return out;
}

std::uint64_t distinct_sectors(const std::vector<Piece>& pieces) {
  std::set<std::uint64_t> out;
  for (const Piece& p : pieces)
    for (std::uint64_t at = p.address; at < p.address + p.bytes; at += kSectorBytes)
      out.insert(at / kSectorBytes);
  return out.size();
}

bool is_local(const AccessPlan& plan) {
  return plan.action == Action::kLocalLoad || plan.action == Action::kLocalStore;
}
bool is_shared(const AccessPlan& plan) {
  return plan.action == Action::kShared || plan.action == Action::kAsyncWrite;
}

// Since compute capability 7.0.
void divide(const MemorySpec& spec, const WarpAccess& a, const AccessPlan& plan,
            AccessDivision& out) {
  LineList lines;
  const auto list = [&](const WarpAccess& of) {
    touch_lines(of, false, lines, LineSize(spec.line_bytes));
    for (int i = 0; i < lines.count; ++i)
      add_sectors(lines[i].line, lines[i].sectors, spec.line_bytes, out.pieces);
  };
  if (plan.action == Action::kGlobalAtomic) {
    const AtomicTraffic t = atomic_traffic(a, plan.compare_and_swap, LineSize(spec.line_bytes),
                                           spec.bank_bytes, spec.l1.index);
    for (int i = 0; i < t.distinct; ++i)
      out.pieces.push_back({t.sector[i] * kSectorBytes, std::uint32_t{kSectorBytes},
                            static_cast<std::uint32_t>(t.passes[i])});
  } else if (plan.action == Action::kAsyncRead && plan.bypass_l1) {
    const PastL1 copy = copy_past_l1(a, a, spec.line_bytes, spec.l1.index);
    for (int i = 0; i < copy.count; ++i)
      add_sectors(copy.request[i].line, copy.request[i].sectors, spec.line_bytes, out.pieces);
    out.sectors = static_cast<std::uint64_t>(copy.sectors);
  } else if (is_local(plan)) {
    for (std::uint32_t k = 0; k < std::max(1u, a.bytes / 4); ++k) list(local_words(a, k));
  } else {
    list(a);
  }
}

// What a load of an early GPU goes through, if anything.
bool through_l1(const MemorySpec& spec, const AccessPlan& plan) {
  const CachedSpaces cached = spec.l1.cached;
  const bool wants = caches_loads(cached) || (plan.asks_l1 && caches_asked(cached));
  return wants && !plan.bypass_l1 && spec.l1.bytes > 0;
}
bool through_textures(const MemorySpec& spec, const AccessPlan& plan) {
  return plan.read_only && spec.reads_apart && !plan.bypass_l1;
}

// Before compute capability 7.0.
void divide_early(const MemorySpec& spec, const WarpAccess& a, const AccessPlan& plan,
                  AccessDivision& out) {
  if (plan.action == Action::kGlobalAtomic) {
    const AtomicTraffic t = atomic_transactions(a, spec.line_bytes);
    for (int i = 0; i < t.distinct; ++i)
      out.pieces.push_back({t.sector[i] * kSectorBytes, std::uint32_t{kSectorBytes},
                            static_cast<std::uint32_t>(t.passes[i])});
    return;
  }
  Transactions of;
  Transactions::Lines lines;
  const auto add_moves = [&] {
    for (const Transaction& t : of.moves) out.pieces.push_back({t.address, t.bytes});
  };
  if (is_local(plan)) {
    const bool cached = caches_local(spec.l1.cached) && !plan.bypass_l1 && spec.l1.bytes > 0;
    for (std::uint32_t k = 0; k < std::max(1u, a.bytes / 4); ++k) {
      const WarpAccess word = local_words(a, k);
      of.local(spec, word, cached, lines);
      // In the L1 the sectors that lanes touch are counted, past it what moves.
      if (cached) list_transactions({AccessRule::kSectors, spec.line_bytes, false}, word, of.moves);
      add_moves();
    }
    return;
  }
  if (plan.action == Action::kGlobalStore) {
    of.store(spec, a, lines);
    return add_moves();
  }
  const bool textures = through_textures(spec, plan);
  const bool l1 = textures ? !spec.texture : through_l1(spec, plan);
  of.load(spec, a, l1, false, lines);
  if (spec.access == AccessRule::kSubRequests && !textures && !l1) {
    // Requests that want the same sectors share them in flight past the L1.
    std::vector<Transaction> own;
    for (const Transaction& t : of.moves)
      if (std::ranges::find(own, t.address, &Transaction::address) == own.end()) own.push_back(t);
    of.moves = std::move(own);
  }
  add_moves();
}

}  // namespace

WarpAccess local_words(const WarpAccess& a, std::uint32_t k) {
  WarpAccess out;
  out.mask = a.mask, out.bytes = std::min(4u, a.bytes);
  each_lane(a, [&](std::size_t l, std::uint64_t at) {
    out.address[l] = ((at / 4 + k) * kWarpLanes + l) * 4 + at % 4;
  });
  return out;
}

AccessDivision AccessRules::divide(const WarpAccess& a, const AccessPlan& plan) const {
  AccessDivision out;
  if (a.mask == 0 || a.bytes == 0) return out;
  if (is_shared(plan)) {
    const SharedKind kind = plan.action == Action::kAsyncWrite ? SharedKind::kStore : plan.shared;
    const Banks banks{spec_.banks, spec_.bank_bytes};
    const SharedPasses p = shared_passes(spec_.shared, a, kind, banks);
    out.wavefronts = static_cast<std::uint64_t>(p.reported);
    out.ideal_wavefronts = static_cast<std::uint64_t>(std::min(p.groups, p.reported));
    out.meeting = fullest_bank(spec_.shared, a, kind, banks);
    return out;
  }
  if (spec_.moves_transactions()) divide_early(spec_, a, plan, out);
  else model::divide(spec_, a, plan, out);
  if (out.sectors == 0) out.sectors = sectors_of(out.pieces);
  const std::uint64_t bytes = std::uint64_t(std::popcount(a.mask)) * a.bytes;
  out.ideal_sectors = std::min(
      {out.sectors, distinct_sectors(out.pieces), (bytes + kSectorBytes - 1) / kSectorBytes});
  return out;
}

}  // namespace warpmem::model
