// The L2 of a launch whose SMs run on several threads: serves what they asked for in a batch of
// steps of the clock (l2_requests.hpp), step by step, in the order of the SMs, as an L2Cache that
// is asked one after the other does. Whoever owns it calls its parts from several threads, in
// phases:
//
//   coalesce(g)   what the SMs of a GPC ask for, in order: which reads are requests of their own,
//                 which travel with another or share its answer (ReadCoalescer::ask)
//   look_up(k)    a part of the sets, in order: both sides, which sets of one number share a part
//   queue(p)      what DRAM has to do for one list of requests
//   answer(p)     when each read of the list is back
//
// All calls of a phase come before those of the next. What a read meets in front of the L2 can hang
// on when an earlier one is back, which may be one of this batch, not known in coalesce(). Mostly
// it is known well enough: no sooner than a hit takes. Where it is not, that GPC stops there, the
// phases go as far as the first stop of all, and serve_rest() does the rest one after the other.
//
// Invariant: same lists, same state: same counters and cycles as one L2Cache, for any number of
// parts.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/l2/l2_cache.hpp"
#include "model/l2/l2_requests.hpp"

namespace warpmem::model {

class SplitL2 {
 public:
  // `lists`: what groups of SMs ask for, those groups in the order of the SMs.
  SplitL2(const L2Cache::Spec& spec, std::uint32_t shards, std::vector<L2Requests*> lists);

  // As L2Cache's of these names; before the first step. Makes a part, others at the same time.
  void flush(std::uint32_t shard, std::uint64_t dirty_sectors);
  void set_aside(std::uint64_t bytes);
  void fetch_granularity(std::uint32_t sectors);

  std::uint32_t shards() const { return static_cast<std::uint32_t>(shards_.size()); }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(groups_.size()); }
  const std::vector<std::uint8_t>& group_of_sm() const { return group_of_sm_; }

  // A request: of which step and list, which one.
  struct Cursor {
    std::uint32_t step = ~0u, list = ~0u, ask = ~0u;
    auto operator<=>(const Cursor&) const = default;
  };
  static constexpr Cursor kFirst{0, 0, 0};
  // `batch`: a number that goes up, from 1. `from`: kFirst, or where the phases before ended.
  void coalesce(std::uint32_t group, const Cursor& from, std::uint64_t batch);
  // Behind all of coalesce(): as far as the next three go.
  Cursor end() const;
  // Whether some read merged on the answer to another that is not known yet: then answer() of all
  // lists comes before anybody takes answers from one.
  bool merged() const;
  void look_up(std::uint32_t shard, const Cursor& from, const Cursor& end);
  void queue(std::uint32_t list, const Cursor& from, const Cursor& end);
  void answer(std::uint32_t list, const Cursor& from, const Cursor& end, std::uint64_t batch);
  // When DRAM is done with all of it.
  std::uint64_t free_behind() const;
  void answer_merged(std::uint32_t list);
  void serve_rest(const Cursor& from, std::uint64_t batch);
  std::uint64_t free() const { return free_; }
  void set_free(std::uint64_t cycle) { free_ = cycle; }

  // One request, at once; those before it have been served.
  void serve(L2Request& one, const std::uint32_t* bytes);

  L2Counters counted() const;

 private:
  // Of a GPC's entry for reads outstanding: what is not known of it yet.
  struct Unknown {
    std::uint64_t batch = 0;           // in which it was opened, or joined
    std::uint32_t list = 0, last = 0;  // the latest read that travels in it
    std::uint64_t soonest = 0;         // it is back no sooner
  };
  struct Group {
    explicit Group(ReadCoalescer&& reads)
        : front(std::move(reads)), unknown(ReadCoalescer::kEntries) {}
    ReadCoalescer front;
    L2Counting counted;
    std::vector<Unknown> unknown;  // by entry
    Cursor stop;
    bool merged = false;
  };
  struct Queued {
    std::uint64_t cost = 0, busy = 0;
    std::uint64_t behind(std::uint64_t free) const { return std::max(free + cost, busy); }
  };

  std::uint32_t steps() const { return lists_.front()->list().steps; }
  // How many of a list's requests of a step are in front of this place.
  std::uint32_t end_of(const L2Requests::List& list, std::uint32_t step, std::uint32_t number,
                       const Cursor& end) const {
    if (step > end.step || (step == end.step && number > end.list)) return list.begin(step);
    return step == end.step && number == end.list ? std::min(end.ask, list.end(step))
                                                  : list.end(step);
  }
  std::vector<L2Request>& requests(std::uint32_t list) { return lists_[list]->list().requests; }
  static bool ask(Group& g, ReadCoalescer::Sm& from, ReadCoalescer::Outstanding& p, L2Request& one);
  bool coalesce_one(Group& g, std::uint32_t list, std::uint32_t number, std::uint64_t batch);
  void look_up_one(L2Cache& shard, L2Requests::List& list, L2Request& one,
                   const std::uint32_t* bytes, std::uint8_t joined);
  L2Cache::Met meet(L2Cache& shard, L2Request& one, std::uint8_t joined);
  std::uint8_t brought_before(const L2Requests::List& list, const L2Request& one) const;
  void back(L2Request& one, std::uint64_t& free) const;
  void put_down(Group& g, std::uint32_t list, std::uint32_t number, std::uint64_t batch);
  void serve_read(Group& g, L2Request& one);
  void serve_late(const Cursor& at, std::uint64_t batch);

  L2Cache::Spec spec_;
  std::vector<L2Requests*> lists_;
  std::vector<std::unique_ptr<L2Cache>> shards_;
  std::vector<std::uint8_t> group_of_sm_;
  std::vector<Group> groups_;
  std::vector<std::vector<Queued>> queued_;  // by list and step
  std::uint64_t free_ = 0;                   // millicycles: when DRAM is done
};

}  // namespace warpmem::model
