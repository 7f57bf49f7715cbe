#include "sim/site_counters.hpp"

#include <bit>
#include <cstddef>

#include "base/wide_hosts.hpp"

namespace warpmem::sim {
namespace {

// Counters are whole numbers of 64 bits, one after the other; those of the L2 are kept apart.
constexpr std::size_t kAll = sizeof(model::LaunchCounters) / sizeof(std::uint64_t);
constexpr std::size_t kFrom = offsetof(model::LaunchCounters, l2) / sizeof(std::uint64_t);
constexpr std::size_t kL2 = sizeof(model::L2Counters) / sizeof(std::uint64_t);

const std::uint64_t* words(const void* counters) {
  return static_cast<const std::uint64_t*>(counters);
}

WARPMEM_WIDE_HOSTS void add_words(std::uint64_t* sum, const std::uint64_t* own,
                                  const std::uint64_t* l2) {
  for (std::size_t i = 0; i < kFrom; ++i) sum[i] += own[i];
  for (std::size_t i = 0; i < kL2; ++i) sum[kFrom + i] += l2[i];
  for (std::size_t i = kFrom + kL2; i < kAll; ++i) sum[i] += own[i];
}

WARPMEM_WIDE_HOSTS void take_words(std::uint64_t* sum, const std::uint64_t* own,
                                   const std::uint64_t* l2) {
  for (std::size_t i = 0; i < kFrom; ++i) sum[i] -= own[i];
  for (std::size_t i = 0; i < kL2; ++i) sum[kFrom + i] -= l2[i];
  for (std::size_t i = kFrom + kL2; i < kAll; ++i) sum[i] -= own[i];
}

}  // namespace

void SiteCounters::begins(const model::AccessTiming& t) {
  take_words(reinterpret_cast<std::uint64_t*>(&by_site_[slot(t)]), words(&memory_.counters()),
             words(&memory_.l2_counters()));
}

void SiteCounters::ends(const model::AccessTiming& t) {
  add_words(reinterpret_cast<std::uint64_t*>(&by_site_[slot(t)]), words(&memory_.counters()),
            words(&memory_.l2_counters()));
  const std::uint64_t end = std::max(t.done, t.stored);
  cycles_[slot(t)] += end - std::min(t.now, end);
}

// Lanes that ask for one word get it together.
void SiteCounters::count_banks(const model::WarpLanes& lanes, const model::AccessPlan& plan,
                               const model::AccessTiming& timing) {
  if (plan.action != model::Action::kShared && plan.action != model::Action::kAsyncWrite) return;
  if (plan.bytes == 0 || lanes.mask == 0) return;
  const model::WarpAccess a = model::expand(lanes, plan.bytes);
  words_.clear();
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
    const std::uint64_t at = a.address[static_cast<std::size_t>(std::countr_zero(rest))];
    for (std::uint64_t w = at / bank_bytes_; w <= (at + plan.bytes - 1) / bank_bytes_; ++w)
      words_.push_back(w);
  }
  std::sort(words_.begin(), words_.end());
  words_.erase(std::unique(words_.begin(), words_.end()), words_.end());
  const auto banks = static_cast<std::uint64_t>(banks_->reads().size());
  const bool store = plan.shared == model::SharedKind::kStore;
  for (const std::uint64_t w : words_) {
    const auto bank = static_cast<std::uint32_t>(w % banks);
    if (store) banks_->write(bank, 1, timing.now);
    else banks_->read(bank, 1, timing.now);
  }
}

}  // namespace warpmem::sim
