// Some of a GPU's SMs, or all of them, that run a launch's CTAs on the counts engine: warps take
// their turns by the rough clock (docs/design/replay-order.md), and each of their accesses goes to
// the memory system. Which CTA goes where is somebody else's to say (launch_replay.cpp,
// many_sms.cpp).
//
// The state of the whole GPU is larger than the host's caches, and warps that are due together
// have nothing in common. So a step of the clock first lists its warps and then requests for what
// the next ones will need (state, record, cache sets) while it runs those before them; that order
// of asking changes no result.
#pragma once

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "model/system/shaped_memory.hpp"
#include "sim/counts/answers.hpp"
#include "sim/counts/calendar.hpp"
#include "sim/counts/counted_code.hpp"
#include "sim/counts/counted_warps.hpp"
#include "sim/counts/lines_ahead.hpp"
#include "sim/engine/barrier_waits.hpp"
#include "sim/engine/launch_run.hpp"
#include "sim/engine/resident_ctas.hpp"
#include "sim/engine/texture_fetch.hpp"

namespace warpmem::sim {

// `Memory`: the class of the memory system, as far as the engine has code that is made for it:
//   SectoredMemory  takes accesses of one line as such, and lists the lines of others ahead
//   PartMemory      the same for some of the SMs, in batches of steps that somebody else calls,
//                   while others run the others (answers.hpp)
//   MemorySystem    any
template <class Memory>
class CountedSms {
 public:
  static constexpr bool kPart = std::is_same_v<Memory, model::PartMemory>;
  static constexpr bool kAnyMemory = std::is_same_v<Memory, model::MemorySystem>;

  // Those from one to another, as they stand on the card's cta_order. `memory` is the run's, or a
  // part of it.
  CountedSms(const LaunchRun& run, Memory& memory, std::size_t first, std::size_t end);

  // A CTA starts on an SM.
  bool start(std::uint64_t cta, int sm, std::uint64_t cycle);
  // Runs the warps of the next step; how many.
  std::size_t run_step();
  // CTAs that ended in the step.
  std::size_t ended() const { return ended_.size(); }
  // They leave their SMs, and the step is over. For each, next(sm, cycle) has others start, from
  // this cycle on. False: something failed, in the step or there.
  template <class Next>
  bool end_step(Next&& next);
  bool none() const { return ctas_.none(); }

  // Nobody will ever do anything.
  bool idle() const {
    if constexpr (kPart) return calendar_.empty() && answers_.none_put_off();
    else return calendar_.empty();
  }
  // Barriers open whoever is missing.
  void release_barriers();
  std::uint64_t forced() const { return forced_; }  // of them, so far
  void add_barrier_waits(AllBarrierWaits& all) const;
  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  std::vector<int> sm_numbers() const;

  // Of a part alone, as an instantiation has only what somebody calls:
  //
  // So many steps belong together: reads that they ask for are answered behind them.
  void begin_batch(std::uint64_t steps) { answers_.begin_batch((now_ + steps) * kStepCycles); }
  // Everything that was asked for in the batch has been answered. In front of its last end_step().
  void answered();
  // Some warp may be so late that a read of its next step is back in that step's batch, however
  // that begins.
  bool late() const { return answers_.late(); }
  bool has_been_idle() const { return idle_ && idle(); }
  std::uint64_t idle_since() const { return idle_since_; }
  void go_on_at(std::uint64_t step) { now_ = step; }

 private:
  using Ahead = std::conditional_t<kAnyMemory, NoLinesAhead, LinesAhead<Memory>>;
  using Answers = std::conditional_t<kPart, AnswersLater, AnswersAtOnce>;
  enum class Turn { kGoesOn, kOver, kFailed };
  static Turn over(bool fine) { return fine ? Turn::kOver : Turn::kFailed; }
  struct Barred;

  // counted_ctas.hpp
  bool start_cta(std::uint32_t sm, std::uint64_t cta, std::uint64_t cycle);
  void end_warp(std::uint32_t number, const WarpState& warp);
  // False when the warp has no more.
  Result<bool> next_records(std::uint32_t number, WarpState& warp);
  void schedule(std::uint32_t number, std::uint64_t cycle);

  // counted_steps.hpp
  std::size_t begin_step();
  [[gnu::always_inline]] bool run_due(std::size_t n);
  [[gnu::always_inline]] bool run_warp(std::size_t i);
  [[gnu::always_inline]] void run_line(const model::SectoredLines::OneLine& one,
                                       const NextRecord& next, WarpState& warp, CountedSm& sm);
  void prepare(std::size_t i);
  void look_ahead(std::uint32_t number, WarpState& warp);
  bool retries(WarpState& warp, std::uint32_t instructions) const;
  void lead_up(WarpState& warp, std::uint32_t site, std::uint32_t instructions);
  std::uint64_t wait(WarpState& warp, std::uint32_t site);
  std::uint64_t wait_for_all(WarpState& warp, std::uint32_t site);
  void remember(WarpState& warp, std::uint32_t site, std::uint64_t done);

  // counted_others.hpp
  Turn find_next(std::uint32_t number, WarpState& warp);
  Turn run_other(std::size_t i, WarpState& warp, CountedSm& sm);
  void access(const trace::Record& r, const AccessPlan& plan, std::size_t i, WarpState& warp,
              CountedSm& sm, std::uint64_t start);
  void fetch(const AccessPlan& plan, std::uint32_t site, std::uint32_t number, WarpState& warp,
             CountedSm& sm, std::uint64_t start);
  void wait_at_barrier(std::uint32_t number, WarpState& warp, const trace::Record& r);

  bool fail(Error error) {
    error_ = std::move(error);
    return false;
  }
  CountedSm& sm_of(std::uint32_t number) { return sms_[number / Calendar::kSlots]; }
  ResidentCta& cta_of(std::uint32_t number, const WarpState& warp) {
    return ctas_.at(number / Calendar::kSlots, warp.cta);
  }

  LaunchRun run_;
  Memory& memory_;
  int schedulers_;  // of an SM: two to the power of this
  CountedCode code_;
  std::vector<CountedSm> sms_;         // in the order in which they get CTAs
  std::vector<std::uint32_t> number_;  // in sms_, by SM
  ResidentCtas<ResidentCta> ctas_;     // SMs as in sms_
  CountedWarps warps_;
  Answers answers_;
  Calendar calendar_;
  std::uint64_t now_ = 0;           // steps of the clock
  std::vector<std::uint32_t> due_;  // in this step
  Ahead ahead_;
  TextureFetch fetch_;  // the latest one
  struct Ended {
    std::uint32_t sm, slot;
  };
  std::vector<Ended> ended_;
  std::uint64_t forced_ = 0;
  std::uint64_t idle_since_ = 0;
  bool idle_ = false;
  std::optional<Error> error_;
};

template <class Memory>
template <class Next>
bool CountedSms<Memory>::end_step(Next&& next) {
  for (const Ended& e : ended_) {
    ctas_.leave(e.sm, e.slot);
    if (!error_ && !next(sms_[e.sm].id, (now_ + 1) * kStepCycles)) break;
  }
  ended_.clear();
  ++now_;
  return !error_;
}

}  // namespace warpmem::sim
