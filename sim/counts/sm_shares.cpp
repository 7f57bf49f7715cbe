#include "sim/counts/sm_shares.hpp"

#include <algorithm>

#include "base/in_parallel.hpp"
#include "model/card/spec_of.hpp"

namespace warpmem::sim {

std::vector<SmShares::Range> SmShares::ranges(const std::vector<int>& first) const {
  const std::vector<std::uint64_t>& order = what_.card.numbers().cta_order;
  std::vector<std::uint64_t> ctas(what_.card.numbers().sm_count);
  for (const int sm : first) ++ctas[static_cast<std::size_t>(sm)];
  std::uint64_t all = 0;
  for (const std::uint64_t sm : order) all += 1 + 64 * ctas[sm];
  const auto threads = static_cast<unsigned>(std::min<std::size_t>(what_.threads, order.size()));
  std::vector<Range> out;
  std::uint64_t before = 0;
  std::size_t at = 0;
  for (unsigned t = 0; t < threads; ++t) {
    Range range{at, at};
    while (range.end < order.size() &&
           (range.end == range.first || before * threads < all * (t + 1)) &&
           order.size() - range.end >= threads - t)
      before += 1 + 64 * ctas[order[range.end++]];
    if (t + 1 == threads) range.end = order.size();
    at = range.end;
    out.push_back(range);
  }
  return out;
}

SmShare SmShares::share_of(const Range& range) const {
  SmShare share;
  std::vector<bool> own(what_.card.numbers().sm_count);
  for (std::size_t i = range.first; i < range.end; ++i)
    own[what_.card.numbers().cta_order[i]] = true;
  share.memory =
      std::make_unique<model::PartMemory>(model::spec_of<model::SystemSpec>(what_.card), false);
  share.memory->serve(std::move(own));
  share.memory->begin_launch(what_.memory);
  share.cache =
      std::make_unique<BlockCache>(what_.reader, what_.decoded_bytes, what_.rewrite, what_.decoded);
  share.cache->keep_rounds(false);
  const LaunchRun run{what_.reader,  what_.launch, what_.card,
                      *share.memory, *share.cache, what_.occupancy};
  share.part = std::make_unique<SmShare::Part>(run, *share.memory, range.first, range.end);
  return share;
}

void SmShares::make(const std::vector<int>& first) {
  const std::vector<Range> all = ranges(first);
  shares_.resize(all.size());
  const auto threads = static_cast<unsigned>(all.size());
  in_parallel(threads, threads, [&] {
    return [&](std::size_t t) {
      shares_[t] = share_of(all[t]);
      return true;
    };
  });
}

std::vector<SmShare*> SmShares::by_sm() {
  std::vector<SmShare*> of(what_.card.numbers().sm_count);
  for (SmShare& s : shares_)
    for (const int sm : s.part->sm_numbers()) of[static_cast<std::size_t>(sm)] = &s;
  return of;
}

std::uint64_t SmShares::records() const {
  std::uint64_t all = 0;
  for (const SmShare& s : shares_) all += s.memory->counters().records;
  return all;
}

bool SmShares::idle() const {
  return std::ranges::all_of(shares_, [](const SmShare& s) { return s.part->idle(); });
}

bool SmShares::failed() const {
  return std::ranges::any_of(shares_, [](const SmShare& s) { return s.part->failed(); });
}

Error SmShares::failure() const {
  for (const SmShare& s : shares_)
    if (s.part->failed()) return s.part->error();
  return {ErrorKind::kInternal, "a thread failed without a reason", what_.reader.path(),
          "please report this with the trace"};
}

Result<void> SmShares::release_barriers(ForcedBarriers& forced) {
  const auto barrier_waits = [this] {
    AllBarrierWaits all;
    for (const SmShare& s : shares_) s.part->add_barrier_waits(all);
    return all.text();
  };
  if (forced.stuck.empty()) forced.stuck = barrier_waits();
  for (SmShare& s : shares_) s.part->release_barriers();
  if (idle()) return nobody_can_go_on(barrier_waits(), what_.reader.path());
  return {};
}

model::LaunchCounters SmShares::counted(std::uint64_t& product_bytes) const {
  model::LaunchCounters all;
  for (const SmShare& s : shares_) {
    all = all + s.memory->counted();
    product_bytes += s.memory->product_bytes();
  }
  return all;
}

}  // namespace warpmem::sim
