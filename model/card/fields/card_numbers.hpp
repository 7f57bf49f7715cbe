// Every number of a card.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::model {

// Plain numbers, validated. Units: bytes, counts, cycles of the SM clock, as the names say.
struct CardNumbers {
  std::uint64_t sm_count = 0;
  std::uint64_t sm_warps = 0;         // resident warps an SM
  std::uint64_t sm_schedulers = 0;    // warp schedulers an SM, a power of two
  std::uint64_t sm_issue_cycles = 0;  // from one instruction of a warp to its next, roughly
  std::uint64_t sm_ctas = 0;          // resident CTAs an SM
  std::uint64_t sm_threads = 0;
  std::uint64_t sm_registers = 0;             // 32-bit registers an SM
  std::uint64_t register_unit = 0;            // registers are given to a warp in multiples of this
  std::uint64_t shared_per_cta = 0;           // most a CTA may ask for, bytes
  std::uint64_t shared_reserved = 0;          // the driver's own, bytes a CTA
  std::uint64_t shared_unit = 0;              // shared memory is given in multiples of this, bytes
  std::uint64_t shared_generous = 0;          // largest configuration given beyond need, bytes
  std::uint64_t shared_default = 0;           // configuration given at least, bytes
  std::vector<std::uint64_t> shared_configs;  // selectable shared-memory sizes, bytes, ascending
  std::uint64_t access_rule = 4;              // AccessRule
  std::uint64_t shared_rule = 0, constant_rule = 0;        // BankRule, ConstantRule
  std::uint64_t line_bytes = 128;                          // of both caches
  std::uint64_t shared_banks = 32, shared_bank_bytes = 4;  // of shared memory, and of the L1's data
  std::uint64_t l1_cache = 0;                              // CachedSpaces: what the L1 is for
  std::uint64_t l1_sector = 32;                            // that a miss brings, bytes
  std::uint64_t l1_sets = 0;                               // 0: they follow from l1_ways
  std::uint64_t l1_allocate = 0, l1_write = 0, l1_local_write = 0;  // what stores do in an L1
  std::uint64_t l1_ways = 4, l1_index = 0, l1_replacement = 1;      // SetRule, Replacement
  std::uint64_t l2_index = 1, l2_replacement = 0;                   // SetRule, Replacement
  std::uint64_t l2_partitions = 0;  // that addresses are interleaved over; 0: l2_sides
  std::uint64_t texture_bytes = 0, texture_line = 32, texture_ways = 1;  // 0: in the L1
  std::uint64_t texture_sms = 1;                                         // that share one
  // Behind it, at the partitions of memory; 0: there is none.
  std::uint64_t texture_second_bytes = 0, texture_second_line = 256, texture_second_ways = 8;
  std::uint64_t l1_bytes = 0;     // L1 and shared memory together
  std::uint64_t l1_reserved = 0;  // of it, never data
  std::uint64_t l2_bytes = 0;
  std::uint64_t l2_sides = 1;
  std::uint64_t l2_ways = 0;
  std::uint64_t l2_dirty_ways = 0;
  std::uint64_t l2_partial_ways = 0;
  std::uint64_t l2_filled_ways = 0;  // that wait to be written, of those that were partly written
  std::vector<std::uint64_t> l2_home_bits;  // address bits whose parity is the home side
  std::uint64_t l2_fetch_bytes = 0;         // DRAM read granularity
  std::uint64_t lrc_merge = 0;              // SMs a coalesced request serves
  std::uint64_t lrc_way_cycles = 0;         // of a read's latency: to the coalescer and back
  std::uint64_t l1_read_entries = 0;        // lines of misses that wait to leave an L1
  std::uint64_t l1_misses = 0;              // lines that its loads wait for at most; 0: any
  std::uint64_t l1_read_cycles = 0;         // that one waits beyond the latest miss on it
  std::uint64_t l1_store_entries = 0;       // lines of stores that wait to leave an L1
  std::uint64_t l1_store_cycles = 0;        // that a line of stores waits beyond its data
  std::uint64_t latency_l1 = 0;             // cycles: hit
  std::uint64_t latency_texture = 0;        // texel of a texture or surface by its number, hit
  std::uint64_t latency_texture_miss = 0;   // … beyond memory's, not a hit; 0: latency_texture
  std::uint64_t latency_coordinates = 0;    // more for a fetch by coordinates
  std::uint64_t latency_filter = 0;         // … that mixes texels
  std::uint64_t latency_shared = 0;
  std::uint64_t latency_conflict = 0;   // from one wavefront of an access to its next
  std::uint64_t latency_l2_near = 0;    // hit on the SM's side
  std::uint64_t latency_l2_spread = 0;  // by which slices differ
  std::uint64_t latency_dram_spread = 0;
  std::uint64_t latency_dram_tail = 0;  // one miss in eight takes up to this much more
  std::uint64_t latency_l2_far = 0;     // more for a crossing
  std::uint64_t latency_dram = 0;       // more for an L2 miss
  std::uint64_t dram_sectors_per_kilocycle =
      0;                       // of the SM clock, without ECC in the memory itself
  std::uint64_t dram_ecc = 0;  // DramEcc
  std::uint64_t dram_ecc_permille = 0,
                dram_ecc_part = 0;  // of bandwidth that is left; of memory, one in so many goes
  // The driver's functions that kernels call: cycles of a caller, more for each of its further
  // lanes; of the whole GPU for a call, and for each of its lanes; more for the first on an SM.
  std::vector<std::uint64_t> driver_malloc, driver_free, driver_print;
  std::vector<std::uint64_t> sm_side;          // by SM: side of the L2
  std::vector<std::uint64_t> sm_gpc;           // by SM: GPC
  std::uint64_t cpc_tpcs = 1;                  // TPCs of a CPC, the part of a GPC
  std::uint64_t tpc_sms = 1;                   // SMs of a TPC
  std::vector<std::uint64_t> lone_sms;         // SMs that take part in no cluster of more than two
  std::vector<std::uint64_t> cta_order;        // SMs in the order in which they get their CTAs
  std::uint64_t launch_dram_read_sectors = 0;  // the driver's own traffic a launch
  std::uint64_t launch_l2_read_sectors = 0;    // … and what the L2 sees of it, code apart
  std::uint64_t launch_fabric_sectors = 0;
  std::uint64_t launch_stagger_cycles = 0;     // by which an SM's schedulers start apart
  std::uint64_t launch_share_millicycles = 0;  // to share out a CTA of a grid that fits whole
  // Thousandths of a cycle between two SMs' first CTAs in a GPC: with one warp, for each more, at
  // most.
  std::uint64_t launch_sm_millicycles = 0, launch_sm_warp_millicycles = 0,
                launch_sm_most_millicycles = 0;
  // … between the CTAs that a GPC starts after these: at least, and for each warp.
  std::uint64_t launch_gpc_millicycles = 0, launch_gpc_warp_millicycles = 0;
  std::uint64_t launch_dirty_sectors = 0;  // left dirty in the L2 by what ran before
  std::uint64_t l2_slices = 0;             // all sides
  std::uint64_t l2_clock_permille = 0;     // of the SM clock
  // Thousandths of a slice's cycle that a request keeps it, and that each sector adds.
  std::uint64_t l2_read_permille = 0, l2_read_sector_permille = 0;
  std::uint64_t l2_write_permille = 0, l2_write_sector_permille = 0;
  std::uint64_t l2_partial_sector_permille = 0;  // written in part
  std::uint64_t l2_atomic_part_permille = 0, l2_atomic_pass_permille = 0;
  std::uint64_t l2_atomic_float_permille = 0;  // from one sum of floats in a sector to the next
  std::uint64_t l2_fill_sector_permille = 0;
  std::uint64_t l2_queue_cycles =
      0;  // of work that may wait in front of the L2 before an SM is held up
  std::uint64_t port_receive_permille = 0;  // sectors an SM gets in 1,000 cycles
  std::uint64_t host_permille = 0;          // sectors over the host link in 1,000 cycles
  std::uint64_t latency_host = 0;
  std::uint64_t link_kind = 0, link_lanes = 0, link_engines = 0;      // host/link/kind.hpp
  std::uint64_t link_to_device = 0, link_to_host = 0, link_both = 0;  // MB/s
  // Pageable memory: MB/s, bytes.
  std::uint64_t link_pageable_to_device = 0, link_pageable_mid = 0, link_pageable_far = 0;
  std::uint64_t link_pageable_to_host = 0, link_pageable_to_host_ns = 0;
  std::uint64_t link_host_near = 0, link_host_cache = 0, link_staging = 0, link_inline = 0;
  std::uint64_t link_copy_to_device_ns = 0, link_copy_to_host_ns = 0, link_device_ns = 0;
  std::uint64_t link_turn_ns = 0, link_mark_ns = 0, link_change_ns = 0;
  std::uint64_t link_call_ns = 0, link_launch_ns = 0, link_submit_ns = 0, link_wake_ns = 0;
  std::uint64_t latency_remote = 0;  // shared memory of another SM of the cluster
  // Thousandths of a cycle that a sector of it keeps the asking SM's path there.
  std::uint64_t remote_read = 0, remote_write = 0;
  std::uint64_t constant_bytes = 0, constant_line = 0, constant_ways = 0;  // an SM's cache
  std::uint64_t constant_group_bytes = 0, constant_group_line = 0;         // a GPC's
  std::uint64_t constant_group_cycles = 0;    // more than a hit, when the GPC's has it
  std::uint64_t constant_memory_cycles = 0;   // … when it has not
  std::uint64_t constant_operand_cycles = 0;  // until an SM has a line of parameters: operands
  std::uint64_t constant_load_cycles = 0;     // … LDC
  std::uint64_t constant_next_cycles = 0;     // between a warp's addresses
  std::uint64_t constant_address_cycles = 0;  // that one keeps the SM's lookup
  std::uint64_t constant_misses = 0;          // of an SM outstanding at most
  std::uint64_t shared_warp_start =
      0;                               // millicycles of the port that loads use, a warp that starts
  std::uint64_t shared_bulk_read = 0;  // … a sector that the copy engine stores
  std::uint64_t shared_bulk_write = 0;   // … of the port that stores use, a sector that it loads
  std::uint64_t shared_async_write = 0;  // … a sector of an asynchronous copy past the L1
  std::uint64_t bulk_cycles = 0;         // of an SM's copy engine, for 128 bytes
  std::uint64_t port_send_permille = 0;  // … sends
  std::uint64_t port_send_header_permille =
      0;                                // thousandths of a cycle more for less than a whole line
  std::uint64_t sm_issue_interval = 1;  // cycles between two instructions of a scheduler
  std::uint64_t lsu_queue = 0;   // 0: each scheduler has one; 1: accesses wait in their warps
  std::uint64_t lsu_cycles = 1;  // of the load/store unit, a wavefront
  std::uint64_t lsu_return_bytes = 128;     // that an SM's registers get of the L1 in a cycle
  std::uint64_t clock_mhz = 0;              // SM clock: turns times of the DRAM's type into cycles
  std::uint64_t dram_type = 0;              // index into dram_type_names()
  std::uint64_t dram_map = 0;               // a DramMap
  std::uint64_t dram_refresh = 0;           // a DramRefresh
  std::uint64_t dram_interleave_bytes = 0;  // that stay in one channel
  std::uint64_t dram_size_bytes = 0;        // of memory
  std::uint64_t dram_bus_bits = 0;          // as the driver says
  // Instructions that a warp could have issued while it waits: the emulator's clocks.
  std::uint64_t emulate_shared_wait = 0, emulate_load_wait = 0;
  std::uint64_t emulate_atomic_wait = 0, emulate_fence_wait = 0;
  std::uint64_t dram_rate_mbps = 0;   // bits a second on each pin of a channel, millions
  std::uint64_t dram_width_bits = 0;  // of a channel
  std::uint64_t dram_burst = 0;       // transfers on each pin for one column command
  // Times of the DRAM itself, picoseconds; the names are JEDEC's.
  std::uint64_t dram_t_cl_ps = 0, dram_t_wl_ps = 0;  // column command to data, reads and writes
  std::uint64_t dram_t_rcd_ps = 0, dram_t_rp_ps = 0, dram_t_rc_ps = 0;
  std::uint64_t dram_t_rrd_ps = 0, dram_t_faw_ps = 0;       // between activations of a channel
  std::uint64_t dram_t_rtw_ps = 0, dram_t_wtr_ps = 0;       // from reads to writes and back
  std::uint64_t dram_t_refi_ps = 0;                         // between refreshes
  std::uint64_t dram_t_rfc_ps = 0, dram_t_rfc_bank_ps = 0;  // one takes: of all banks, of one
  std::uint64_t dram_channels = 0, dram_banks = 0, dram_row_bytes = 0;
  std::uint64_t dram_devices = 0;  // chips or stacks
  std::uint64_t dram_activate_permille =
      0;                                 // thousandths of a cycle between activations of a channel
  std::uint64_t dram_row_cycles = 0;     // between activations of a bank
  std::uint64_t dram_switch_cycles = 0;  // of a channel that stops reading to write
  std::uint64_t dram_turnaround_cycles = 0;  // of a channel's bus, from writing to reading
  std::uint64_t dram_write_batch = 0;        // sectors that wait at most to be written
  std::uint64_t dram_store_permille = 0;   // … that a partition without an L2 takes for a sector
  std::uint64_t dram_write_permille = 0;   // thousandths of a cycle that a line takes at least
  std::uint64_t time_launch_cycles = 0;    // before the first CTA and after the last
  std::uint64_t time_drain_cycles = 0;     // more, when the launch reached memory
  std::uint64_t time_fence_cycles = 0;     // of these, in which stores still arrive
  std::uint64_t time_cta_millicycles = 0;  // between two CTAs given out, over the whole GPU
  std::uint64_t time_cluster_millicycles = 0;  // more for a cluster than for its CTAs
  std::uint64_t time_cta_cycles = 0;   // from a CTA's being given out to its first instruction
  std::uint64_t time_turn_cycles = 0;  // … at least, from the end of the one whose place it takes
  std::uint64_t time_warp_cycles = 0;  // between the first instructions of two warps of a CTA
  std::uint64_t time_first_cycles = 0;  // more for an SM's first CTA: code and constants come in
  std::uint64_t time_translate_cycles =
      0;                                // an SM's first access beyond its L1: address translation
  std::uint64_t time_queue_cycles = 0;  // by which tags are looked up ahead of the data
  std::uint64_t time_queue_loads = 0;   // a scheduler's loads, that wait to be served
  std::uint64_t time_queue_stores = 0;  // … stores and atomics
  std::uint64_t time_queue_moved = 0;   // … of which so many have read their registers
  std::uint64_t time_read_cycles = 0;   // from an access to its registers being free again
  std::uint64_t time_read_global_cycles = 0;  // … a store's to global or local memory
  std::uint64_t time_read_register_cycles =
      0;                                  // … more for each further register that a lane stores
  std::uint64_t time_barrier_cycles = 0;  // from the last arrival to going on
  std::uint64_t time_code_cycles = 0;     // from running one piece of new code to having the next
  std::uint64_t code_bytes = 0, code_group_bytes = 0;  // of code that an SM keeps, that a GPC does
  std::uint64_t code_ways = 1, code_group_ways = 1;    // of their sets
  std::uint64_t code_piece_bytes = 1;                  // of code that come together
  // The same as time_code_cycles of code that came before: from the GPC, from the L2; and of new
  // code that the GPC has no room for.
  std::uint64_t code_again_cycles = 0, code_group_again_cycles = 0, code_far_cycles = 0;
  // Of the latter two, where a warp jumps there.
  std::uint64_t code_group_again_jump_cycles = 0, code_far_jump_cycles = 0;
  std::uint64_t code_brought_bytes = 0;  // of a launch's code that its GPCs have when it starts
  std::uint64_t time_barrier_lead_cycles = 0;     // arrival before the last shared wavefront's end
  std::uint64_t time_cluster_barrier_cycles = 0;  // a cluster's barrier when nobody is late
  std::uint64_t time_barrier_warp_cycles = 0;     // between two warps' arrivals
  std::vector<std::uint64_t> cta_turns;  // SMs of cta_order served in one turn, turn by turn
  std::uint64_t cta_small_groups = 0;    // the first so many turns come round more often:
  std::uint64_t cta_small_first = 0;     //   first after this many other turns,
  std::uint64_t cta_small_every = 0;     //   then after each so many
  // What programs reached, GB/s; 0: nobody measured it. No part of the model.
  std::uint64_t reached_shared = 0, reached_l1 = 0, reached_l2 = 0;
};

}  // namespace warpmem::model
