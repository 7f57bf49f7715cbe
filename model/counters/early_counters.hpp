// Counters in the senses of the profilers of compute capability 1.x to 6.x. Whole launches, all
// SMs; those profilers counted one SM, or the SMs of one TPC.
//
// Filled for GPUs before 7.0 (sink/early_counting.hpp); for later ones they stay 0.
#pragma once

#include <cstdint>

namespace warpmem::model {

struct EarlyCounters {
  // Executed warp loads and stores of global memory with an active lane, and what their lanes asked
  // for.
  std::uint64_t gld_request = 0, gst_request = 0;
  std::uint64_t gld_requested_bytes = 0, gst_requested_bytes = 0;
  // Bytes that transactions moved: lines through the L1, segments or sectors past it.
  std::uint64_t gld_moved_bytes = 0, gst_moved_bytes = 0;
  // Transactions by size (some of 96 bytes are among none of these).
  std::uint64_t gld_32b = 0, gld_64b = 0, gld_128b = 0, gst_32b = 0, gst_64b = 0, gst_128b = 0;
  // 1.0, 1.1: transactions of half-warps that were coalesced, and of those that were not.
  std::uint64_t gld_coherent = 0, gld_incoherent = 0, gst_coherent = 0, gst_incoherent = 0;
  // In the profiler's sense. 2.x: lines through the L1; past it, and stores, pieces of up to 128
  // bytes. 3.x: loads in lines in both cases. 5.x, 6.x: loads four a request of 8, 4 or 2 lanes, as
  // counted on 6.1 whether its lanes shared a sector or not; stores in sectors.
  std::uint64_t gld_transactions = 0, gst_transactions = 0;
  // Lookups of the L1 for global loads and for loads and stores of local memory: lines, or sectors
  // where those are what it fills.
  std::uint64_t l1_gld_hit = 0, l1_gld_miss = 0;
  std::uint64_t l1_local_hit = 0, l1_local_miss = 0;  // loads
  std::uint64_t l1_local_store_hit = 0, l1_local_store_miss = 0;
  // Warp instructions of shared memory, passes of its banks, and those beyond what the access's
  // width takes.
  std::uint64_t shared_load = 0, shared_store = 0;
  std::uint64_t shared_load_transactions = 0, shared_store_transactions = 0;
  std::uint64_t shared_load_replays = 0, shared_store_replays = 0;
  std::uint64_t warp_serialize = 0;  // warp accesses of shared or constant memory with such
  std::uint64_t global_replays = 0;  // transactions beyond the first of a global access
  std::uint64_t tex_requests = 0;    // sectors looked for in the texture cache
  std::uint64_t tex_hit = 0, tex_miss = 0;
  std::uint64_t l2_read_transactions = 0, l2_write_transactions = 0;  // 32 bytes each
  std::uint64_t l2_read_hits = 0;                                     // of these, no DRAM read
  std::uint64_t local_load = 0, local_store = 0;                      // transactions
  std::uint64_t constant_serialized = 0;  // passes of constant accesses beyond the first
};

}  // namespace warpmem::model
