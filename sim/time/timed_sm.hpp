// What the time engine keeps of an SM: when its units are free, and what they did.
#pragma once

#include <array>
#include <cstdint>

#include "sim/code/code.hpp"
#include "sim/time/code_cache.hpp"
#include "sim/time/memory_queue.hpp"
#include "sim/time/parameter_lines.hpp"
#include "sim/time/timed_cta.hpp"

namespace warpmem::sim {

constexpr std::uint32_t kMostSchedulers = 4;

struct Scheduler {
  std::uint64_t issue = 0;  // cycle: next free issue slot
  std::array<std::uint64_t, kPipes> pipe{};
  MemoryQueue global, shared;  // accesses to global and local memory; to shared memory
  MemoryQueue texture;         // fetches and accesses to surfaces
};

struct TimedSm {
  TimedSm(int number, std::uint32_t at, const CodeCache& none, const MemoryQueue& queue)
      : id(number), place(at), code(none) {
    for (Scheduler& s : schedulers) s.global = s.shared = s.texture = queue;
  }
  int id = 0;
  std::uint32_t place = 0;  // in the order in which SMs get CTAs
  std::array<Scheduler, kMostSchedulers> schedulers{};
  std::uint64_t lsu = 0;      // cycle: its load/store unit has done all that it was given
  std::uint64_t tags = 0;     // … its tag stage
  std::uint64_t texture = 0;  // … its texture unit
  std::uint64_t barrier = 0;  // its barrier unit is
  std::uint64_t ended = 0;    // cycle: … of its CTAs so far, of clusters or not
  std::uint64_t freed = 0;    // cycle: the last of its CTAs so far has ended
  bool cold = true;           // has run nothing of this kernel yet
  CodeCache code;
  std::uint64_t translated = 0;  // cycle from which its addresses are; 0: not asked yet
  std::uint64_t issued = 0;      // instructions
  std::array<std::uint64_t, kPipes> pipes{};    // cycles of its pipes, of all schedulers
  std::uint64_t lsu_taken = 0;                  // cycles of its load/store unit
  std::array<std::uint64_t, 4> driver_first{};  // by DriverCall: cycle: its code is there
  std::uint64_t texture_taken = 0;              // … of its texture unit
  ParameterLines operands, loads;               // of the launch's parameters
};

// A warp whose turn it is.
struct WarpTurn {
  TimedSm& sm;
  TimedCta& cta;
  TimedWarp& warp;
  std::uint32_t number;  // of the warp in its CTA

  std::uint32_t slot() const { return cta.first_slot + number; }
};

}  // namespace warpmem::sim
