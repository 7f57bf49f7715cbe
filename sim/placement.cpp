#include "sim/placement.hpp"

#include <algorithm>
#include <utility>

namespace warpmem::sim {
namespace {

constexpr int kSmsATpc = 2;

// SMs in the order in which they get one CTA more than the others: those of the small groups, then
// by number, and of each TPC the first SM before any TPC's second one.
std::vector<int> order_of_extras(const std::vector<std::vector<int>>& group, std::size_t small) {
  std::vector<int> out;
  const auto append = [&](std::vector<int> sms) {
    std::sort(sms.begin(), sms.end(),
              [](int a, int b) { return std::pair(a % kSmsATpc, a) < std::pair(b % kSmsATpc, b); });
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

}  // namespace

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
    const std::vector<int> extras = order_of_extras(group, small);
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
