#include "sim/engine/placement.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace warpmem::sim {
namespace {

// SMs in the order in which they get one CTA more than the others: those of the small groups, then
// by number, and of each TPC the first SM before any TPC's second one.
std::vector<int> order_of_extras(const std::vector<std::vector<int>>& group, std::size_t small,
                                 int tpc_sms) {
  std::vector<int> out;
  const auto append = [&](std::vector<int> sms) {
    std::sort(sms.begin(), sms.end(),
              [=](int a, int b) { return std::pair(a % tpc_sms, a) < std::pair(b % tpc_sms, b); });
    out.insert(out.end(), sms.begin(), sms.end());
  };
  std::vector<int> sms;
  for (std::size_t g = 0; g < group.size(); ++g) {
    if (g == small) {
      append(std::move(sms));
      sms.clear();
    }
    sms.insert(sms.end(), group[g].begin(), group[g].end());
  }
  append(std::move(sms));
  return out;
}

// Where an SM comes when its GPC starts a CTA on each: which SM of its TPC it is, its TPC's place
// in its CPC, the CPC.
std::vector<std::uint64_t> ranks(const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  std::vector<std::uint64_t> sms_before(256, 0), out;  // by GPC; by SM
  for (std::uint64_t sm = 0; sm < n.sm_count; ++sm) {
    const std::uint64_t at = sms_before[n.sm_gpc[sm]]++, tpc = at / n.tpc_sms;
    const std::uint64_t cpc = tpc / n.cpc_tpcs, place = tpc % n.cpc_tpcs;
    out.push_back(at % n.tpc_sms << 16 | place << 8 | cpc);
  }
  return out;
}

}  // namespace

FirstStarts first_starts(const model::Card& card, const std::vector<int>& sms, std::uint32_t warps,
                         bool whole) {
  const model::CardNumbers& n = card.numbers();
  FirstStarts out;
  out.cycle.resize(sms.size());
  if (!whole) {
    for (std::size_t i = 0; i < sms.size(); ++i) out.cycle[i] = i * n.time_cta_millicycles / 1000;
    return out;
  }
  out.shared_out = sms.size() * n.launch_share_millicycles / 1000;
  const std::vector<std::uint64_t> rank = ranks(card);
  struct Start {
    std::uint64_t gpc, turn, rank;
    std::size_t cta;
  };
  std::vector<Start> starts;
  std::vector<std::uint64_t> turn(n.sm_count, 0);
  for (std::size_t i = 0; i < sms.size(); ++i) {
    const auto sm = static_cast<std::size_t>(sms[i]);
    starts.push_back({n.sm_gpc[sm], turn[sm]++, rank[sm], i});
  }
  std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    return std::tie(a.gpc, a.turn, a.rank) < std::tie(b.gpc, b.turn, b.rank);
  });
  const std::uint64_t first =
      std::min(n.launch_sm_millicycles + (warps - 1) * n.launch_sm_warp_millicycles,
               n.launch_sm_most_millicycles);
  const std::uint64_t further =
      std::max(n.launch_gpc_millicycles, warps * n.launch_gpc_warp_millicycles);
  std::uint64_t at = 0;  // thousandths of a cycle
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const bool begins = i == 0 || starts[i].gpc != starts[i - 1].gpc;
    at = begins ? 0 : at + (starts[i].turn == 0 ? first : further);
    out.cycle[starts[i].cta] = at / 1000;
  }
  return out;
}

std::vector<int> first_placement(const model::Card& card, std::uint32_t per_sm,
                                 std::uint64_t ctas) {
  const model::CardNumbers& n = card.numbers();
  std::vector<std::vector<int>> group;  // SMs of each turn
  std::size_t at = 0;
  for (std::uint64_t size : n.cta_turns) {
    group.emplace_back();
    for (std::uint64_t k = 0; k < size; ++k)
      group.back().push_back(static_cast<int>(n.cta_order[at++]));
  }
  const std::size_t small = n.cta_small_groups;
  const std::uint64_t each = std::min<std::uint64_t>(per_sm, ctas / n.sm_count);
  std::vector<int> out;
  out.reserve(std::min<std::uint64_t>(ctas, n.sm_count * per_sm));

  // What every SM gets.
  std::uint64_t small_turns = 0, others = 0, next_small = 0;
  const auto serve_small = [&] {
    for (std::size_t g = 0; g < small; ++g) out.insert(out.end(), group[g].begin(), group[g].end());
    next_small += small_turns++ == 0 ? n.cta_small_first : n.cta_small_every;
  };
  for (std::uint64_t round = 0; round < each; ++round)
    for (std::size_t g = small; g < group.size(); ++g, ++others) {
      if (others == next_small && small_turns < each) serve_small();
      out.insert(out.end(), group[g].begin(), group[g].end());
    }

  // One more for as many SMs as there are CTAs left.
  if (each < per_sm) {
    const std::vector<int> extras = order_of_extras(group, small, static_cast<int>(n.tpc_sms));
    std::vector<char> gets(n.sm_count, 0);
    for (std::uint64_t k = 0; k < ctas % n.sm_count; ++k)
      gets[static_cast<std::size_t>(extras[k])] = 1;
    for (const auto& sms : group)
      for (int sm : sms)
        if (gets[static_cast<std::size_t>(sm)]) out.push_back(sm);
  }
  return out;
}

}  // namespace warpmem::sim
