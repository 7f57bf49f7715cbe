// What one launch counted: plain integers, named once, with the profiler's metric beside each.
#pragma once

#include <cstdint>

#include <array>
#include <bit>

#include "model/counters/early_counters.hpp"
#include "model/counters/l2_counters.hpp"

namespace warpmem::model {

struct OpCounters {
  std::uint64_t requests = 0;
  std::uint64_t sectors = 0;
  std::uint64_t hits = 0;  // sectors
};

struct LaunchCounters {
  // Executed warp instructions with at least one active lane, by kind.
  std::uint64_t inst_global_ld = 0, inst_global_st = 0, inst_generic_ld = 0, inst_generic_st = 0;
  std::uint64_t inst_atom = 0, inst_red = 0, inst_local_ld = 0, inst_local_st = 0;
  std::uint64_t inst_shared_ld = 0, inst_shared_st = 0, inst_shared_atom = 0;
  std::uint64_t inst_ldsm = 0, inst_stsm = 0, inst_ldgsts = 0;

  OpCounters global_ld, global_st, global_atom, global_red, local_ld, local_st;
  OpCounters texture, surface_ld, surface_st;
  OpCounters ldgsts;                     // those that go through the L1
  std::uint64_t tag_requests = 0;        // distinct lines, added up over global requests
  std::uint64_t theoretical_global = 0;  // distinct sectors, added up over global requests
  std::uint64_t theoretical_local = 0;
  std::uint64_t tag_wavefronts_ld = 0;
  // That lanes ask for, each its own, whether others ask for the same or not.
  std::uint64_t global_ld_bytes = 0, global_st_bytes = 0, shared_ld_bytes = 0, shared_st_bytes = 0;
  std::uint64_t l1_fill_sectors = 0;   // L2 to L1
  std::uint64_t l1_write_sectors = 0;  // L1 to L2

  std::uint64_t global_bulk_red = 0;  // sectors of bulk reductions, which pass by the L1
  std::uint64_t remote_sectors = 0;   // between SMs of a cluster; part of both of the above

  std::uint64_t shared_wavefronts = 0;  // all kinds, as the profiler works them out
  std::uint64_t shared_wavefronts_ld = 0, shared_wavefronts_st = 0;  // as the unit takes them
  std::uint64_t shared_conflicts_ld = 0, shared_conflicts_st = 0;  // … of them, beyond the first
                                                                   // of lanes served together

  std::uint64_t records = 0;
  L2Counters l2;
  EarlyCounters early;
};

// Nothing but counters: 64-bit whole numbers, one after the other.
using CounterWords = std::array<std::uint64_t, sizeof(LaunchCounters) / sizeof(std::uint64_t)>;

// Each counter with its fellow.
template <class Do>
LaunchCounters each_counter(const LaunchCounters& a, const LaunchCounters& b, Do&& of) {
  const auto x = std::bit_cast<CounterWords>(a), y = std::bit_cast<CounterWords>(b);
  CounterWords out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = of(x[i], y[i]);
  return std::bit_cast<LaunchCounters>(out);
}
inline LaunchCounters operator-(const LaunchCounters& a, const LaunchCounters& b) {
  return each_counter(a, b, [](std::uint64_t x, std::uint64_t y) { return x - y; });
}
inline LaunchCounters operator+(const LaunchCounters& a, const LaunchCounters& b) {
  return each_counter(a, b, [](std::uint64_t x, std::uint64_t y) { return x + y; });
}
inline bool operator==(const LaunchCounters& a, const LaunchCounters& b) {
  return std::bit_cast<CounterWords>(a) == std::bit_cast<CounterWords>(b);
}

}  // namespace warpmem::model
