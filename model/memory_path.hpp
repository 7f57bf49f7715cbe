// The way between the SMs and DRAM, in time: each SM's ports, the L2's slices, the fabric between
// its sides, DRAM. The caches say what an access hits; this says when it is back, and makes the
// ones that meet wait for each other.
//
// Models: unloaded latencies (near slice, crossing, DRAM) plus a queue at every place of limited
// throughput; a queue that grows past its room holds up the SM that feeds it. Who reads a line that
// is on its way to a side waits for it there.
// Leaves out: the crossbar's inner stages (the ports at both ends are what was seen to limit).
//
// Sources: kernels/micro/launch_timing.cu on an H200 (model/gpus/h200/README.md): what one SM can
// receive and send, what all can read, write and do atomically at the L2, what DRAM gives.
#pragma once

#include <cstdint>
#include <vector>

#include "model/divisor.hpp"
#include "model/dram.hpp"
#include "model/fills.hpp"
#include "model/place.hpp"
#include "model/throughput.hpp"

namespace warpmem::model {

class MemoryPath {
 public:
  struct Spec {
    std::uint32_t sms = 132;
    std::uint32_t sides = 2;
    std::uint32_t slices = 96;  // all sides
    // Ticks that a request keeps a slice: so many, and so many more for each sector.
    std::uint32_t read_ticks = 48, read_sector_ticks = 31;
    std::uint32_t write_ticks = 56, write_sector_ticks = 46;
    std::uint32_t partial_sector_ticks = 63;                  // written in part
    std::uint32_t atomic_ticks = 19, atomic_pass_ticks = 74;  // a pass over one sector
    std::uint32_t fill_sector_ticks = 8;                      // that DRAM or the other side brings
    std::uint32_t receive_ticks = 23;      // of an SM's port, for a sector it gets
    std::uint32_t send_ticks = 64;         // … that it sends
    std::uint32_t send_header_ticks = 74;  // … more for a request of less than a whole line
    std::uint32_t near_cycles = 245;       // from an L1 miss to its answer, near side
    std::uint32_t near_spread = 55;
    std::uint32_t far_cycles = 190;   // more for a crossing
    std::uint32_t dram_cycles = 255;  // more for DRAM
    std::uint32_t dram_spread = 60;
    std::uint32_t dram_tail = 500;
    std::uint32_t host_cycles = 1500;      // over the host link and back
    std::uint32_t host_sector_ticks = 80;  // of the link, for a sector
    std::uint32_t queue_cycles = 400;      // of work that may wait before a slice or channel
    std::vector<std::uint8_t> sm_side;
    Dram::Spec dram;
  };
  explicit MemoryPath(const Spec& spec);
  void clear();

  // Where a line's way leads: worked out once for all that concerns the line.
  struct Seat {
    Dram::Spot dram;
    std::uint32_t slice;  // of either side's
  };
  Seat seat(std::uint64_t line) const { return {dram_.find(line), slice_of(line)}; }

  struct Read {
    int sm = 0;
    std::uint64_t line = 0;
    // Bit s: sector s of the line.
    std::uint8_t sectors = 0;   // asked for
    std::uint8_t crossing = 0;  // that the other side has to send: of those or more
    std::uint8_t fetched = 0;   // that DRAM has to send: of those or more
    int near = 0, home = 0;
  };
  // Cycle in which an SM's miss at cycle `now` has its sectors.
  std::uint64_t read(const Read& r, const Seat& seat, std::uint64_t now);
  std::uint64_t read(const Read& r, std::uint64_t now) { return read(r, seat(r.line), now); }

  struct Write {
    int sm = 0;
    std::uint64_t line = 0;
    std::uint32_t sectors = 0;   // sent
    std::uint32_t partial = 0;   // of them, not whole
    std::uint32_t atomic = 0;    // sector passes of an atomic; sectors and partial are 0 then
    std::uint32_t requests = 1;  // that the atomic's passes came in
    bool returns = false;        // the atomic's old value is wanted
    bool opens = true;           // a request of its own
    int home = 0, near = 0;
    std::uint32_t fetched = 0;  // sectors of its line that DRAM has to bring first
    std::uint64_t other = 0;    // a line that it pushes out:
    std::uint32_t fills = 0;    //   sectors of that, written in part, that DRAM has to complete
    std::uint32_t evicted = 0;  //   sectors of it that go to DRAM
  };
  // Cycle in which the L2 has it; for an atomic that returns: in which the SM has the answer.
  std::uint64_t write(const Write& w, std::uint64_t now);
  // A line pushed out to DRAM by a read, after `fills` of its sectors were completed from there.
  void write_back(std::uint64_t line, std::uint32_t fills, std::uint32_t sectors,
                  std::uint64_t now);

  // Sectors to or from host memory, over the link that all SMs share: the cycle in which they are
  // there.
  std::uint64_t host(int sm, std::uint32_t sectors, std::uint64_t now);
  // An access to so many sectors of another SM's shared memory, which keeps the asking SM's way to
  // it for so long: the cycle in which it starts.
  std::uint64_t remote(int sm, std::uint64_t sectors, std::uint64_t ticks, std::uint64_t now) {
    remote_sectors_ += sectors;
    return remote_[static_cast<std::size_t>(sm)].reserve(now * kTicks,
                                                         static_cast<std::uint32_t>(ticks)) /
           kTicks;
  }
  // Has what a read of the line will look at brought into the host's cache; changes nothing.
  void prefetch(std::uint64_t line, const Seat& seat, int near, int home) const {
    dram_.prefetch(seat.dram);
    fills_[static_cast<std::size_t>(near)].prefetch(line);
    fills_[static_cast<std::size_t>(home)].prefetch(line);
  }
  // Cycle in which the latest write() left its SM.
  std::uint64_t sent() const { return sent_; }
  // What was moved, and for how long each place was taken, since clear(): what a bottleneck is.
  struct Use {
    Place place;
    std::vector<std::uint64_t> busy;  // ticks, of each of its kind
    std::uint64_t sectors = 0;        // moved by all of them
  };
  std::vector<Use> uses() const;
  // Reads so far: how many sectors they asked for, and sector-cycles that these were under way.
  std::uint64_t sectors_read() const { return sectors_read_; }
  std::uint64_t sector_cycles() const { return sector_cycles_; }

  // Cycle from which an SM may send again.
  std::uint64_t ready(int sm) const { return held_[static_cast<std::size_t>(sm)]; }

 private:
  std::uint32_t slice_of(std::uint64_t line) const;
  Throughput& slice(std::uint32_t slice, int side) {
    return slices_[static_cast<std::uint32_t>(side) * slices_a_side_ + slice];
  }
  void hold(int sm, std::uint64_t queued, std::uint64_t now);

  Spec spec_;
  std::uint32_t slices_a_side_;
  Divisor by_slice_pairs_;
  std::vector<Throughput> receive_, send_, remote_, slices_;
  std::vector<Fills> fills_;         // by side
  std::vector<std::uint64_t> held_;  // by SM: cycle
  std::uint64_t sent_ = 0;
  std::uint64_t sectors_read_ = 0, sector_cycles_ = 0;
  std::uint64_t remote_sectors_ = 0;
  Throughput host_;
  Dram dram_;
};

}  // namespace warpmem::model
