// Groups of CTAs that run at the same time: how they begin, what a turn of theirs is, and how they
// end.
#pragma once

#include <atomic>
#include <deque>

#include "emulate/executor/interpreter.hpp"

namespace warpmem::emulate {

constexpr std::uint64_t kGroupSlice =
    1u << 23;  // warp instructions, before the next group starts beside it

class CtaGroups {
 public:
  explicit CtaGroups(Running& run) : run_(run), units_(run), interpreter_(run, units_) {}

  Units& units() { return units_; }
  std::deque<Group>& active() { return active_; }
  Group& start(std::uint64_t number);
  void retire(std::size_t active);  // one that has ended
  void begin(Group& group, std::uint64_t number, std::uint64_t clock);
  void end(Group& group);
  bool run(Group& group, std::uint64_t budget);  // true: it has ended
  bool take_turn(Group& group);                  // … where CTAs take turns
  // Of a worker that runs ahead: it gives up when this says so.
  void stop_when(const std::atomic<bool>& stop) { stop_ = &stop; }

 private:
  struct Round {
    bool ran = false, ended = true;   // some warp; all of them
    bool held = false;                // some could run, but have had their share of this turn
    bool waits = true, stuck = true;  // all that ran waited in vain: for another CTA, for whomever
  };
  void start_cta(Cta& cta, std::uint64_t number, std::uint32_t rank, std::uint64_t clock);
  void start_warp(const Cta& cta, std::uint32_t index, Warp& warp, std::uint64_t clock);
  Round run_round(Group& group);
  void run_slice(const Group& group, Warp& warp);
  void end_warp(Cta& cta, Warp& warp);
  void wake(Group& group);
  void check_limits();
  [[noreturn]] void report_deadlock(const Group& group);

  Running& run_;
  Units units_;
  Interpreter interpreter_;
  std::deque<Group> active_;
  std::vector<Group> spare_;
  const std::atomic<bool>* stop_ = nullptr;
};

}  // namespace warpmem::emulate
