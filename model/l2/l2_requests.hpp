// In the place of an L2Cache, behind the L1s of some of the SMs: writes down what they ask for in
// some steps of the clock. When all SMs have done so, a SplitL2 serves all of it, step by step, in
// the order of the SMs.
//
// A read's answer is not known until then. In its place stands a number at or above kUnknown,
// which the caller takes for a cycle later than all of these steps: no read is back in the steps
// that ask for it. What is worked out from such numbers (later(), plus()) is written down too, and
// answer() finds out all of them. While it is given somebody who serves at once (at_once()),
// nothing is written down.
//
// Invariants: cycles are below kUnknown. A number is good until the next begin().
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/cache/l1_cache.hpp"
#include "model/l2/l2_cache.hpp"
#include "model/l2/l2_request.hpp"

namespace warpmem::model {

class SplitL2;

class L2Requests {
 public:
  static constexpr bool kAnswersLater = true;
  static constexpr std::uint64_t kUnknown = std::uint64_t{1} << 31;
  using Bytes = std::array<std::uint32_t, 4>;
  using Route = L2Cache::Route;

  explicit L2Requests(const L2Cache::Spec& spec);

  // As L2Cache:
  L2Cache::Route route(std::uint64_t line) { return places_.route(line); }
  L2Cache::Draw draw(std::uint64_t line) const { return places_.draw(line); }
  void route(L2Cache::Routed& lines, const LineWords& words) { places_.route(lines, words); }
  std::uint64_t read(int sm, std::uint64_t line, const L2Cache::Route& route, std::uint8_t sectors,
                     std::uint64_t now, std::uint32_t fetch_sectors = 0, Stay stay = Stay::kUnsaid,
                     const MemoryPath::Address* = nullptr, bool apart = false) {
    const L2Cache::Draw draw = places_.draw(line);
    return ask(sm, line, route, draw, sectors, now, fetch_sectors, stay, apart);
  }
  std::uint64_t read(int sm, const L2Cache::Routed& lines, std::uint8_t sectors, std::uint64_t now,
                     std::uint32_t fetch_sectors, const MemoryPath::Address*) {
    return read(sm, lines.line[0], lines.route(0), sectors, now, fetch_sectors);
  }
  void read(int sm, const L2Cache::Routed& lines, const MemoryPath::Addresses* addresses,
            const LineParts& parts, std::uint64_t now, std::uint32_t fetch_sectors,
            std::uint64_t* done);
  std::uint64_t read_alone(int sm, std::uint64_t line, const L2Cache::Route& route,
                           const L2Cache::Draw& draw, std::uint8_t sectors, std::uint64_t now,
                           std::uint32_t fetch_sectors) {
    return ask(sm, line, route, draw, sectors, now, fetch_sectors, Stay::kUnsaid, false);
  }
  std::uint64_t write(int sm, std::uint64_t line, const L2Cache::Route& route, std::uint8_t sectors,
                      std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again, bool opens,
                      std::uint64_t now, Stay stay);
  std::uint64_t write(int sm, const L2Cache::Routed& lines, std::uint8_t again, bool opens,
                      std::uint64_t now) {
    return write(sm, lines.line[0], lines.route(0), lines.sectors[0], lines.full[0],
                 lines.bytes[0].data(), again, opens, now, Stay::kUnsaid);
  }
  void write_alone(int sm, const L2Cache::Route& route, std::uint8_t sectors, std::uint8_t again,
                   bool opens) {
    write(sm, 0, route, sectors, sectors, nullptr, again, opens, 0, Stay::kUnsaid);
  }
  std::uint64_t atomic(int sm, std::uint64_t sector, int passes, bool returns, std::uint64_t now,
                       const L2Cache::AtomicWork&, Stay stay);
  void bring(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now, Stay stay);
  void change(int sm, std::uint64_t line, Stay stay, bool discard);
  std::uint64_t read_host(std::uint8_t sectors, std::uint64_t now) {
    return places_.read_host(sectors, now);
  }
  std::uint64_t write_host(std::uint8_t sectors, int sm, std::uint64_t now) {
    return places_.write_host(sectors, sm, now);
  }
  std::uint64_t sent(std::uint64_t now) const { return now; }
  void begin_launch() { places_.begin_launch(); }
  L2Counting& sink() { return places_.sink(); }
  const L2Counters& counters() const { return places_.counters(); }
  // Others' business.
  void take(MemoryPath*) {}
  void prefetch(int, const L2Cache::Route&, bool) const {}
  void prefetch_reads(int, const L2Cache::Routed&) const {}
  void prefetch_path(int, std::uint64_t, const L2Cache::Route&, const MemoryPath::Address&) const {}
  void flush(std::uint64_t) {}
  void settle() {}
  void set_aside(std::uint64_t) {}
  void end_persisting() {}
  void fetch_granularity(std::uint32_t) {}
  void fetch_code(std::uint64_t, bool) {}

  // Cycles, known or not.
  static bool unknown(std::uint64_t cycle) { return cycle >= kUnknown; }
  std::uint64_t later(std::uint64_t a, std::uint64_t b) {
    if (!unknown(a) && !unknown(b)) return a > b ? a : b;
    return later_unknown(a, b);
  }
  std::uint64_t plus(std::uint64_t cycle, std::uint64_t more) {
    return unknown(cycle) ? plus_unknown(cycle, more) : cycle + more;
  }
  // What an L1 keeps of them: what a load of one line missed arrives.
  void arrives(const L1Cache::Loaded& one, std::uint64_t done) {
    const std::uint64_t all = later(one.arrival, done);
    *one.entry = static_cast<std::uint32_t>(all);
    if (unknown(all)) entries_.push_back(one.entry);
  }
  // L1Cache::load and L1Cache::arrive of several lines.
  void load(L1Cache& l1, int sm, const LineList& lines, const L1Cache::SetTags& set_tags,
            const AskedWords& words, bool allocate, L1Cache::Misses& out);
  std::uint64_t arrive(const L1Cache::Misses& missed, const std::uint64_t* done,
                       std::uint64_t soonest);

  // How many have been served at once since the last time.
  std::uint64_t take_served() { return std::exchange(served_, 0); }
  // From now on everything is served at once; nullptr: it is written down.
  void at_once(SplitL2* by) { by_ = by; }
  // No read is back sooner after it was asked for.
  std::uint64_t soonest_cycles() const { return soonest_; }
  // For whoever serves: what was asked for, in order.
  struct List {
    std::vector<L2Request> requests;
    std::vector<std::vector<std::uint32_t>> of_shard, of_group;  // which of them
    std::vector<Bytes> bytes;
    // By step: where it ends in each of these.
    std::uint32_t steps = 0;
    std::vector<std::uint32_t> ends;
    std::size_t kinds() const { return 1 + of_shard.size() + of_group.size(); }
    std::uint32_t end(std::uint32_t step) const { return ends[step * kinds()]; }
    std::uint32_t begin(std::uint32_t step) const { return step ? end(step - 1) : 0; }
    std::uint32_t shard_end(std::uint32_t step, std::uint32_t shard) const {
      return ends[step * kinds() + 1 + shard];
    }
    std::uint32_t shard_begin(std::uint32_t step, std::uint32_t shard) const {
      return step ? shard_end(step - 1, shard) : 0;
    }
    std::uint32_t group_end(std::uint32_t step, std::uint32_t group) const {
      return ends[step * kinds() + 1 + of_shard.size() + group];
    }
    std::uint32_t group_begin(std::uint32_t step, std::uint32_t group) const {
      return step ? group_end(step - 1, group) : 0;
    }
  };
  List& list() { return list_; }
  const List& list() const { return list_; }
  void divide(std::uint32_t shards, const std::vector<std::uint8_t>& group_of_sm,
              std::uint32_t groups);
  // Nothing has been asked for.
  void begin();
  // A step is over.
  void end_step();
  // All requests have been served: from now on known() says what unknown numbers were.
  void answer();
  std::uint64_t known(std::uint64_t cycle) const {
    return unknown(cycle) ? value_[cycle - kUnknown] : cycle;
  }
  bool any_unknown() const { return !value_.empty(); }

 private:
  // How unknown numbers come about, in their order.
  struct Made {
    enum class How : std::uint8_t { kAsked, kInTurn, kLater, kPlus } how;
    std::uint32_t count;   // so many numbers, one after the other
    std::uint64_t a, b;    // requests: the first; of kInTurn: the first number; else cycles
    std::uint32_t missed;  // of kInTurn: which of turns_
  };
  // Lines of an access, each of which arrives with those before it.
  struct Turn {
    std::uint64_t soonest;
    std::array<std::uint8_t, LineList::kMost> index;
    std::array<std::uint64_t, LineList::kMost> done, before;
    std::array<std::uint32_t*, LineList::kMost> entry;
    std::array<std::uint32_t, LineList::kMost> was;
  };
  std::uint64_t ask(int sm, std::uint64_t line, const L2Cache::Route& route,
                    const L2Cache::Draw& draw, std::uint8_t sectors, std::uint64_t now,
                    std::uint32_t fetch_sectors, Stay stay, bool apart);
  L2Request& add(int sm, std::uint64_t line, const L2Cache::Route& route, L2Request::Kind kind);
  void push_read(int sm, std::uint64_t line, const L2Cache::Route& route, const L2Cache::Draw& draw,
                 std::uint8_t sectors, std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                 bool apart);
  void served(const L2Request& one);
  std::uint64_t later_unknown(std::uint64_t a, std::uint64_t b);
  std::uint64_t plus_unknown(std::uint64_t cycle, std::uint64_t more);
  // No sooner than.
  std::uint64_t soonest(std::uint64_t cycle) const { return known(cycle); }
  std::uint64_t make(Made::How how, std::uint64_t a, std::uint64_t b, std::uint64_t soonest);

  L2Cache places_;  // says where lines belong; its counters are those of this part
  std::uint64_t atomic_cycles_, soonest_;
  List list_;
  std::uint32_t shards_ = 1;
  std::vector<std::uint8_t> group_of_sm_;
  SplitL2* by_ = nullptr;
  std::uint64_t served_ = 0;
  std::vector<Made> made_;
  std::vector<std::uint32_t> value_;  // of unknown numbers; before answer(): no sooner than
  std::vector<Turn> turns_;
  std::vector<std::uint32_t*> entries_;  // of L1s, that hold an unknown number or did
};

}  // namespace warpmem::model
