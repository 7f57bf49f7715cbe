// What the time engine keeps of a warp.
#pragma once

#include <array>
#include <cstdint>

#include "sim/engine/cluster_barrier.hpp"
#include "sim/engine/cta_barriers.hpp"
#include "sim/records/position.hpp"
#include "sim/time/engine.hpp"
#include "sim/time/lane_paths.hpp"
#include "sim/time/paths.hpp"

namespace warpmem::sim {

struct TimedWarp {
  std::uint64_t ready = 0;           // cycle from which its next step may go on
  const Segment* segment = nullptr;  // to its next record; nullptr: not looked up yet
  std::uint32_t step = 0;
  std::uint32_t repeat = 0;      // of the segment's
  const Round* round = nullptr;  // the loop that it goes round now, without records
  std::uint64_t rounds = 0;      // … so often yet
  std::uint32_t round_step = 0;
  std::array<std::uint32_t, 4> went_round{};  // sites of rounds since the last other record
  std::uint32_t loops = 0;                    // … how many of them
  DivergedLanes paths;                        // by which its lanes come to its next record
  std::uint32_t async_wavefronts = 0;
  std::uint32_t lanes = 1;                          // of the record that it comes to
  Position at;                                      // in its records
  std::array<std::uint64_t, kScoreboards> clear{};  // by scoreboard: cycle from which it is
  std::array<Wait, kScoreboards> cause{};
  std::uint64_t sent = 0;                 // all that it wrote has left the SM
  std::uint64_t stored = 0;               // … is acknowledged
  std::uint64_t arrives = 0;              // cycle from which a barrier takes note of it
  std::uint64_t copies = 0;               // its asynchronous copies are back by then
  std::array<std::uint64_t, 8> groups{};  // the last groups of copies: back by then
  std::uint32_t group = 0;                // groups closed
  std::uint8_t waits = kNoBarrier;        // barrier it waits at
  AtClusterBarrier at_cluster;
  bool has_code = false;     // its next step's has come, be it pushed out since
  bool has_operand = false;  // the constant that its next step needs has been read
  bool issued = false;       // its next access has been, and has its turn then:
  std::uint64_t issued_at = 0;
  const Step* issued_in = nullptr;

  // What an instruction leaves is there from this cycle on.
  void set(std::uint8_t scoreboard, std::uint64_t cycle, Wait why) {
    if (scoreboard >= kScoreboards) return;
    if (cycle >= clear[scoreboard]) clear[scoreboard] = cycle, cause[scoreboard] = why;
  }
  // The cycle from which it has something to do.
  std::uint64_t due() const { return issued ? issued_at : ready; }
};

// What the warps of a launch waited for, in cycles of a warp.
class Waits {
 public:
  using Cycles = std::array<std::uint64_t, static_cast<std::size_t>(Wait::kCount)>;

  void add(Wait cause, std::uint64_t cycles) { cycles_[static_cast<std::size_t>(cause)] += cycles; }
  // Holds a warp up that may not go on before this cycle.
  void hold_up(TimedWarp& warp, std::uint64_t until, Wait cause) {
    if (until <= warp.ready) return;
    add(cause, until - warp.ready);
    warp.ready = until;
  }
  const Cycles& cycles() const { return cycles_; }

 private:
  Cycles cycles_{};
};

}  // namespace warpmem::sim
