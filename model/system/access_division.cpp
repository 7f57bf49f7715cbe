#include "model/system/access_division.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "model/access/any_lines.hpp"
#include "model/access/rule/access_rule.hpp"
#include "model/general/atomic_rounds.hpp"
#include "model/sm/async_copy.hpp"

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
void divide_by(const MemorySpec& spec, const WarpAccess& a, const AccessPlan& plan,
               AccessDivision& out) {
  LineList lines;
  const auto list = [&](const WarpAccess& of) {
    list_any(of, spec.line_bytes, lines);
    for (int i = 0; i < lines.count; ++i)
      add_sectors(lines[i].line, lines[i].sectors, spec.line_bytes, out.pieces);
  };
  if (plan.action == Action::kGlobalAtomic) {
    const AtomicTraffic t = atomic_traffic(a, plan.compare_and_swap, spec);
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
bool through_l1(const EarlySpec& spec, const AccessPlan& plan) {
  const bool wants = caches_loads(spec.cached) || (plan.asks_l1 && caches_asked(spec.cached));
  return wants && !plan.bypass_l1 && spec.l1_bytes > 0;
}
bool through_textures(const EarlySpec& spec, const AccessPlan& plan) {
  return plan.read_only && spec.reads_past_l1 && !plan.bypass_l1;
}

void add_transactions(const AccessShape& shape, const WarpAccess& a, std::vector<Piece>& out) {
  std::vector<Transaction> moves;
  list_transactions(shape, a, moves);
  for (const Transaction& t : moves) out.push_back({t.address, t.bytes});
}

// Requests of one instruction that want the same sectors share them on their way past the L1.
void share(std::vector<Piece>& pieces) {
  std::vector<Piece> out;
  for (const Piece& p : pieces)
    if (std::ranges::find(out, p.address, &Piece::address) == out.end()) out.push_back(p);
  pieces = std::move(out);
}

// A word is changed once a pass, and lanes on other words of a sector go in the same one.
void add_atomics(const WarpAccess& a, std::vector<Piece>& out) {
  std::map<std::uint64_t, std::uint32_t> of_word, of_sector;
  each_lane(a, [&](std::size_t, std::uint64_t at) {
    std::uint32_t& passes = of_sector[at / kSectorBytes];
    passes = std::max(passes, ++of_word[at]);
  });
  for (const auto& [sector, passes] : of_sector)
    out.push_back({sector * kSectorBytes, std::uint32_t{kSectorBytes}, passes});
}

void divide_by(const EarlySpec& spec, const WarpAccess& a, const AccessPlan& plan,
               AccessDivision& out) {
  const bool by_requests = spec.access == AccessRule::kSubRequests;
  const AccessRule stores = by_requests ? AccessRule::kSectors : spec.access;
  const bool has_lines = spec.l1.sector_bytes == spec.line_bytes;
  if (plan.action == Action::kGlobalAtomic) return add_atomics(a, out.pieces);
  if (is_local(plan)) {
    const bool cached = caches_local(spec.cached) && !plan.bypass_l1 && spec.l1_bytes > 0;
    for (std::uint32_t k = 0; k < std::max(1u, a.bytes / 4); ++k) {
      // In the L1 the sectors that lanes touch are counted, past it what moves.
      const AccessShape shape{cached ? AccessRule::kSectors : stores, spec.line_bytes, false};
      add_transactions(shape, local_words(a, k), out.pieces);
    }
    return;
  }
  if (plan.action == Action::kGlobalStore)
    return add_transactions({stores, spec.line_bytes, false}, a, out.pieces);
  const bool textures = through_textures(spec, plan);
  const bool l1 = textures ? !spec.has_texture_cache : through_l1(spec, plan);
  add_transactions({spec.access, spec.line_bytes, l1 && has_lines}, a, out.pieces);
  if (by_requests && !textures && !l1) share(out.pieces);
}

SharedRule rule_of(const MemorySpec& spec) { return spec.shared; }
SharedRule rule_of(const EarlySpec& spec) { return spec.shared; }
Banks banks_of(const MemorySpec& spec) { return {spec.banks, spec.bank_bytes}; }
Banks banks_of(const EarlySpec& spec) { return spec.banks; }

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
    std::visit(
        [&](const auto& spec) {
          const SharedPasses p = shared_passes(rule_of(spec), a, kind, banks_of(spec));
          out.wavefronts = static_cast<std::uint64_t>(p.reported);
          out.ideal_wavefronts = static_cast<std::uint64_t>(std::min(p.groups, p.reported));
          out.meeting = fullest_bank(rule_of(spec), a, kind, banks_of(spec));
        },
        spec_);
    return out;
  }
  std::visit([&](const auto& spec) { divide_by(spec, a, plan, out); }, spec_);
  if (out.sectors == 0) out.sectors = sectors_of(out.pieces);
  const std::uint64_t bytes = std::uint64_t(std::popcount(a.mask)) * a.bytes;
  out.ideal_sectors = std::min(
      {out.sectors, distinct_sectors(out.pieces), (bytes + kSectorBytes - 1) / kSectorBytes});
  return out;
}

}  // namespace warpmem::model
