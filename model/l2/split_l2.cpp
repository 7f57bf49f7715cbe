#include "model/l2/split_l2.hpp"

#include <algorithm>

#include "base/prefetch.hpp"
#include "model/counters/launch_counters.hpp"
#include "model/l2/l2_one_line.hpp"

namespace warpmem::model {
namespace {

using Kind = L2Request::Kind;
constexpr std::uint32_t kNone = L2Request::kNone;

}  // namespace

SplitL2::SplitL2(const L2Cache::Spec& spec, std::uint32_t shards, std::vector<L2Requests*> lists)
    : spec_(spec), lists_(std::move(lists)), queued_(lists_.size()) {
  shards_.resize(shards);
  std::uint32_t groups = 1;
  for (const std::uint8_t g : spec.sm_group) groups = std::max<std::uint32_t>(groups, g + 1u);
  group_of_sm_ = spec.sm_group;
  group_of_sm_.resize(256);
  const ReadCoalescerSpec front = read_coalescer_of(spec);
  for (std::uint32_t g = 0; g < groups; ++g)
    groups_.emplace_back(ReadCoalescer(front, std::vector<std::uint8_t>(group_of_sm_.size())));
  for (L2Requests* list : lists_) list->divide(shards, group_of_sm_, groups);
}

void SplitL2::flush(std::uint32_t shard, std::uint64_t dirty_sectors) {
  shards_[shard] = std::make_unique<L2Cache>(spec_);
  shards_[shard]->flush(dirty_sectors);
  shards_[shard]->begin_launch();
}

void SplitL2::set_aside(std::uint64_t bytes) {
  for (auto& s : shards_) s->set_aside(bytes);
}

void SplitL2::fetch_granularity(std::uint32_t sectors) {
  for (auto& s : shards_) s->fetch_granularity(sectors);
}

void SplitL2::coalesce(std::uint32_t group, const Cursor& from, std::uint64_t batch) {
  constexpr std::uint32_t kAhead = 12;
  Group& g = groups_[group];
  if (from == kFirst) g.merged = false;
  else if (g.stop != from) return;
  // All of the entry is known now at which it stopped.
  else g.unknown[requests(from.list)[from.ask].entry].batch = 0;
  g.stop = {};
  for (std::uint32_t step = from.step; step < steps(); ++step)
    for (std::uint32_t l = step == from.step ? from.list : 0; l < lists_.size(); ++l) {
      const L2Requests::List& list = lists_[l]->list();
      const std::vector<std::uint32_t>& numbers = list.of_group[group];
      const std::uint32_t end = list.group_end(step, group);
      for (std::uint32_t i = list.group_begin(step, group); i < end; ++i) {
        if (numbers[i] < end_of(list, step, l, from)) continue;
        if (i + kAhead < numbers.size()) prefetch(&list.requests[numbers[i + kAhead]]);
        if (coalesce_one(g, l, numbers[i], batch)) continue;
        g.stop = {step, l, numbers[i]};
        return;
      }
    }
}

// A read of a line of which all is known that an earlier one has left. False: that one's answer
// serves it.
bool SplitL2::ask(Group& g, ReadCoalescer::Sm& from, ReadCoalescer::Outstanding& p,
                  L2Request& one) {
  const ReadCoalescer::Asked asked =
      g.front.ask(one.sm, from, p, one.line, one.sectors, one.now, one.flag);
  if (asked.merged()) {
    g.counted.merges(sectors_in(one.sectors));
    one.kind = Kind::kMerged;
    return false;
  }
  g.counted.read_requests(asked.own());
  one.again = asked.joined;
  return true;
}

// False where it hangs on what is not known.
inline bool SplitL2::coalesce_one(Group& g, std::uint32_t list, std::uint32_t number,
                                  std::uint64_t batch) {
  L2Request& one = requests(list)[number];
  const ReadCoalescerSpec& spec = g.front.spec();
  ReadCoalescer::Sm& from = g.front.sm(one.sm);
  ReadCoalescer::Outstanding& p = g.front.entries(from)[one.entry];
  Unknown& u = g.unknown[one.entry];
  one.of = kNone;
  one.again = 0;
  one.until = one.now;
  const auto opens = [&] {
    g.front.open(one.sm, from, p, one.line, one.sectors, one.now);
    g.counted.read_requests(1);
    u = {batch, list, number, std::uint64_t{one.now} + one.near};
  };
  if (p.line != one.line || !g.front.coalesces()) [[likely]] {
    opens();
    return true;
  }
  if (u.batch != batch) {
    if (!ask(g, from, p, one)) {
      one.done = static_cast<std::uint32_t>(p.until);
      return true;
    }
    one.until = static_cast<std::uint32_t>(p.until);
    u = {batch, list, number, std::max(p.until, std::uint64_t{one.now} + one.near)};
    return true;
  }
  if (one.now >= u.soonest) return false;
  if (p.sectors() == one.sectors && p.served() < spec.merge) {
    if (one.now + spec.path_cycles >= u.soonest) return false;
    p.merge();
    g.counted.merges(sectors_in(one.sectors));
    one.kind = Kind::kMerged;
    one.part = u.list, one.of = u.last;
    g.merged = true;
    return true;
  }
  if (one.flag || !p.is_of(one.sm) || (p.sectors() & one.sectors) != 0 || one.now > p.leaves ||
      from.requests - p.number >= spec.read_entries) {
    opens();
    return true;
  }
  p.leaves = std::max<std::uint64_t>(p.leaves, std::uint64_t{one.now} + spec.read_cycles);
  from.leaves = std::max(from.leaves, p.leaves);
  p.ask(one.sectors);
  one.part = u.list, one.of = u.last;
  u.last = number;
  u.soonest = std::max(u.soonest, std::uint64_t{one.now} + one.near);
  return true;
}

SplitL2::Cursor SplitL2::end() const {
  Cursor first;
  for (const Group& g : groups_) first = std::min(first, g.stop);
  return first;
}

bool SplitL2::merged() const {
  return std::any_of(groups_.begin(), groups_.end(), [](const Group& g) { return g.merged; });
}

// Sectors that a read's request brings along already.
inline std::uint8_t SplitL2::brought_before(const L2Requests::List& list,
                                            const L2Request& one) const {
  std::uint8_t brought = one.again;
  for (std::uint32_t of = one.of; of != kNone; of = list.requests[of].of)
    brought =
        static_cast<std::uint8_t>(brought | list.requests[of].missing | list.requests[of].again);
  return brought;
}

inline L2Cache::Met SplitL2::meet(L2Cache& shard, L2Request& one, std::uint8_t joined) {
  const L2Cache::Route route{
      {one.set, one.tag, shard.side_[0].short_tag(one.tag)}, one.home, one.entry};
  L2Side::Traffic out;
  const L2Cache::Met met = shard.meet(shard.reads_.sm(one.sm).side, route, one.sectors, joined,
                                      shard.granularity(one.fetch), one.stay, out);
  one.missing = met.missing, one.fetched = met.fetched;
  one.crosses = met.crosses;
  return met;
}

inline void SplitL2::look_up_one(L2Cache& shard, L2Requests::List& list, L2Request& one,
                                 const std::uint32_t* bytes, std::uint8_t joined) {
  L2Side::Traffic out;
  switch (one.kind) {
    case Kind::kRead: meet(shard, one, joined); break;
    case Kind::kMerged: break;
    case Kind::kWrite: {
      const L2Cache::Route route{
          {one.set, one.tag, shard.side_[0].short_tag(one.tag)}, one.home, one.entry};
      if (!bytes && one.more != kNone) bytes = list.bytes[one.more].data();
      shard.put(shard.reads_.sm(one.sm).side, route, one.sectors, one.full, bytes, one.again,
                one.flag, one.stay, out);
      break;
    }
    case Kind::kAtomic:
      shard.atomic(one.sm, one.line * shard.line_.sectors() + one.sectors,
                   static_cast<int>(one.more), one.flag, one.now, {}, one.stay);
      break;
    case Kind::kBring: {
      std::uint8_t crossing = 0;
      one.fetched = shard.bring_home(one.sm, one.line, one.sectors, crossing, one.stay, out);
      break;
    }
    case Kind::kChange: shard.change(one.sm, one.line, one.stay, one.flag); break;
  }
}

void SplitL2::look_up(std::uint32_t shard, const Cursor& from, const Cursor& end) {
  constexpr std::uint32_t kAskAhead = 16, kSetAhead = 6;
  L2Cache& own = *shards_[shard];
  for (std::uint32_t step = from.step; step < steps() && step <= end.step; ++step)
    for (std::uint32_t l = 0; l < lists_.size(); ++l) {
      L2Requests::List& list = lists_[l]->list();
      const std::vector<std::uint32_t>& numbers = list.of_shard[shard];
      const std::uint32_t begin = end_of(list, step, l, from), before = end_of(list, step, l, end);
      for (std::uint32_t i = list.shard_begin(step, shard); i < list.shard_end(step, shard); ++i) {
        if (i + kAskAhead < numbers.size()) prefetch(&list.requests[numbers[i + kAskAhead]]);
        if (i + kSetAhead < numbers.size()) {
          const std::uint32_t set = list.requests[numbers[i + kSetAhead]].set;
          own.sets_[0].prefetch(set);
          own.sets_[1].prefetch(set);
        }
        if (numbers[i] >= before) break;
        if (numbers[i] < begin) continue;
        L2Request& one = list.requests[numbers[i]];
        look_up_one(own, list, one, nullptr,
                    one.kind == Kind::kRead ? brought_before(list, one) : std::uint8_t{0});
      }
    }
}

void SplitL2::queue(std::uint32_t list, const Cursor& from, const Cursor& end) {
  const L2Requests::List& of = lists_[list]->list();
  queued_[list].assign(steps(), {});
  const auto& cost = shards_.front()->dram_cost_;
  for (std::uint32_t step = 0; step < steps(); ++step) {
    Queued& q = queued_[list][step];
    const std::uint32_t before = end_of(of, step, list, end);
    for (std::uint32_t i = end_of(of, step, list, from); i < before; ++i)
      if (const std::uint8_t fetched = of.requests[i].fetched) {
        const std::uint64_t c = cost[fetched];
        q.cost += c;
        q.busy = std::max(q.busy, std::uint64_t{of.requests[i].now} * 1000) + c;
      }
  }
}

inline void SplitL2::back(L2Request& one, std::uint64_t& free) const {
  std::uint64_t done = std::uint64_t{one.now} + one.near + (one.crosses ? spec_.far_cycles : 0);
  if (one.fetched) done += one.dram + shards_.front()->dram_queue(free, one.now, one.fetched);
  one.done = static_cast<std::uint32_t>(done);
}

// What those that come later find of a read's request, if it is the latest that travels in it.
inline void SplitL2::put_down(Group& g, std::uint32_t list, std::uint32_t number,
                              std::uint64_t batch) {
  L2Requests::List& of = lists_[list]->list();
  L2Request& one = of.requests[number];
  if (one.of != kNone) one.until = std::max(one.until, of.requests[one.of].until);
  one.until = std::max(one.until, one.done);
  const Unknown& u = g.unknown[one.entry];
  if (u.batch != batch || u.list != list || u.last != number) return;
  ReadCoalescer::Outstanding& p = g.front.entries(g.front.sm(one.sm))[one.entry];
  p.bring(static_cast<std::uint8_t>(brought_before(of, one) | one.missing));
  p.until = std::max<std::uint64_t>(p.until, one.until);
}

void SplitL2::answer(std::uint32_t list, const Cursor& from, const Cursor& end,
                     std::uint64_t batch) {
  L2Requests::List& of = lists_[list]->list();
  std::uint64_t behind = free_;
  // Others may have gone on: only this list is looked at.
  for (std::uint32_t step = 0; step < of.steps; ++step) {
    std::uint64_t free = behind;
    for (std::uint32_t l = 0; l < lists_.size(); ++l) {
      if (l == list) free = behind;
      behind = queued_[l][step].behind(behind);
    }
    const std::uint32_t before = end_of(of, step, list, end);
    for (std::uint32_t i = end_of(of, step, list, from); i < before; ++i) {
      L2Request& one = of.requests[i];
      if (one.kind == Kind::kRead) {
        back(one, free);
        put_down(groups_[group_of_sm_[one.sm]], list, i, batch);
      } else if (one.fetched) {
        shards_.front()->dram_queue(free, one.now, one.fetched);
      }
    }
  }
}

std::uint64_t SplitL2::free_behind() const {
  std::uint64_t free = free_;
  for (std::uint32_t step = 0; step < steps(); ++step)
    for (const auto& of : queued_) free = of[step].behind(free);
  return free;
}

void SplitL2::answer_merged(std::uint32_t list) {
  for (L2Request& one : requests(list))
    if (one.kind == Kind::kMerged && one.of != kNone) one.done = requests(one.part)[one.of].until;
}

// A read that meets what earlier ones have left, all of which is known.
inline void SplitL2::serve_read(Group& g, L2Request& one) {
  ReadCoalescer::Sm& from = g.front.sm(one.sm);
  ReadCoalescer::Outstanding& p = g.front.entries(from)[one.entry];
  one.of = kNone;
  one.again = 0;
  if (p.line != one.line) {
    g.front.open(one.sm, from, p, one.line, one.sectors, one.now);
    g.counted.read_requests(1);
  } else if (!ask(g, from, p, one)) {
    one.done = one.until = static_cast<std::uint32_t>(p.until);
    return;
  }
  const L2Cache::Met met = meet(*shards_[one.set % shards_.size()], one, one.again);
  p.bring(met.missing);
  back(one, free_);
  p.until = std::max<std::uint64_t>(p.until, one.done);
  one.until = static_cast<std::uint32_t>(p.until);
}

void SplitL2::serve(L2Request& one, const std::uint32_t* bytes) {
  if (one.kind == Kind::kRead) return serve_read(groups_[group_of_sm_[one.sm]], one);
  L2Requests::List none;
  look_up_one(*shards_[one.set % shards_.size()], none, one, bytes, 0);
  if (one.kind == Kind::kBring && one.fetched)
    shards_.front()->dram_queue(free_, one.now, one.fetched);
}

void SplitL2::serve_rest(const Cursor& from, std::uint64_t batch) {
  for (std::uint32_t step = from.step; step < steps(); ++step)
    for (std::uint32_t l = 0; l < lists_.size(); ++l) {
      const L2Requests::List& list = lists_[l]->list();
      for (std::uint32_t i = end_of(list, step, l, from); i < list.end(step); ++i)
        serve_late({step, l, i}, batch);
    }
}

// One behind the place where some GPC stopped, whichever.
void SplitL2::serve_late(const Cursor& at, std::uint64_t batch) {
  L2Requests::List& list = lists_[at.list]->list();
  L2Request& one = list.requests[at.ask];
  if (one.kind != Kind::kRead && one.kind != Kind::kMerged) {
    const bool in_part = one.kind == Kind::kWrite && one.more != kNone;
    return serve(one, in_part ? list.bytes[one.more].data() : nullptr);
  }
  Group& g = groups_[group_of_sm_[one.sm]];
  if (at < g.stop) {  // it is decided
    if (one.kind == Kind::kMerged) {
      if (one.of != kNone) one.done = requests(one.part)[one.of].until;
      return;
    }
    meet(*shards_[one.set % shards_.size()], one, brought_before(list, one));
    back(one, free_);
    return put_down(g, at.list, at.ask, batch);
  }
  serve_read(g, one);
  if (one.kind == Kind::kRead) g.unknown[one.entry].batch = 0;
}

L2Counters SplitL2::counted() const {
  LaunchCounters all;
  const auto add = [&](const L2Counters& one) {
    LaunchCounters more;
    more.l2 = one;
    all = all + more;
  };
  for (const auto& s : shards_) add(s->counters());
  for (const Group& g : groups_) add(g.counted.counters);
  return all.l2;
}

}  // namespace warpmem::model
