#include "sim/counts/shared_l2.hpp"

#include <utility>

#include "base/in_parallel.hpp"
#include "model/card/spec_of.hpp"

namespace warpmem::sim {

SharedL2::SharedL2(const ManySms& what, SmShares& shares)
    : shares_(shares),
      l2_(model::spec_of<model::L2Spec>(what.card), static_cast<std::uint32_t>(shares.size()),
          requests_of(shares)),
      barrier_(static_cast<unsigned>(shares.size())) {
  const auto threads = static_cast<unsigned>(shares.size());
  in_parallel(threads, threads, [&] {
    return [&](std::size_t t) {
      l2_.flush(static_cast<std::uint32_t>(t), what.card.numbers().launch_dirty_sectors);
      return true;
    };
  });
  l2_.set_aside(what.memory.set_aside);
  l2_.fetch_granularity(static_cast<std::uint32_t>(what.memory.fetch_bytes / model::kSectorBytes));
}

std::vector<model::L2Requests*> SharedL2::requests_of(SmShares& shares) {
  std::vector<model::L2Requests*> lists;
  for (SmShare& share : shares) lists.push_back(&share.l2());
  return lists;
}

bool SharedL2::serve(unsigned number, std::uint64_t batch) {
  using Cursor = model::SplitL2::Cursor;
  constexpr int kRounds = 4;
  const auto threads = static_cast<unsigned>(shares_.size());
  Cursor from = model::SplitL2::kFirst;
  bool merged = false;
  for (int round = 1;; ++round) {
    for (std::uint32_t g = number; g < l2_.groups(); g += threads) l2_.coalesce(g, from, batch);
    barrier_.meet(number);
    const Cursor end = l2_.end();
    merged = l2_.merged();
    l2_.look_up(number, from, end);
    barrier_.meet(number);
    l2_.queue(number, from, end);
    barrier_.meet(number);
    l2_.answer(number, from, end, batch);
    if (end == Cursor{}) break;
    barrier_.meet(number);
    if (number == 0) l2_.set_free(l2_.free_behind());
    if (round == kRounds) {
      if (number == 0) {
        l2_.serve_rest(end, batch);
        ++cut_;
      }
      barrier_.meet(number, true);
      from = Cursor{};
      break;
    }
    from = end;
  }
  const bool at_once = from == model::SplitL2::kFirst;
  if (number == 0 && from != Cursor{}) next_free_ = l2_.free_behind(), free_known_ = true;
  if (merged || !at_once) {
    barrier_.meet(number);
    l2_.answer_merged(number);
    barrier_.meet(number);  // nobody looks at the others' requests any more
  }
  shares_[number].l2().answer();
  return at_once;
}

void SharedL2::end_serving() {
  if (std::exchange(free_known_, false)) l2_.set_free(next_free_);
}

}  // namespace warpmem::sim
