// The path between the SMs and DRAM, in time: each SM's ports, the L2's slices, the fabric between
// its sides, DRAM. The caches say what an access hits; this says when it is back, and makes the
// ones that meet wait for each other.
//
// Models: unloaded latencies (near slice, crossing, DRAM) plus a queue at every place of limited
// throughput; a queue that grows past its room holds up the SM that feeds it. Who reads a line that
// is in flight to a side waits for it there.
// Leaves out: the crossbar's inner stages (the ports at both ends are what was seen to limit).
//
// Sources: kernels/micro/launch_timing.cu on an H200 (cards/gpus/h200/README.md): what one SM can
// receive and send, what all can read, write and do atomically at the L2, what DRAM gives.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <span>
#include <vector>

#include "base/large_pages.hpp"
#include "model/access/access.hpp"
#include "model/dram/dram.hpp"
#include "model/dram/partition_map.hpp"
#include "model/fast/divisor.hpp"
#include "model/interconnect/fills.hpp"
#include "model/interconnect/latencies.hpp"
#include "model/interconnect/resource.hpp"
#include "model/interconnect/spec.hpp"
#include "model/timing/throughput.hpp"

namespace warpmem::model {

class MemoryPath {
 public:
  using Spec = MemoryPathSpec;
  explicit MemoryPath(const Spec& spec);
  void clear();

  // Where a line's path leads: worked out once for all that concerns the line.
  struct Address {
    Dram::Address dram;
    std::uint32_t slice;  // of either side's
  };
  Address address_of(std::uint64_t line) const {
    const std::uint64_t at = whole(line);
    const Dram::Address address = dram_.find(at);
    return {address,
            spec_.by_partition ? partitions_.of(at, address.channel) : slices_of_.slice(at)};
  }
  // The same for the lines of a list.
  struct Addresses {
    Dram::Addresses dram;
    std::array<std::uint32_t, LineList::kMost> slice;
    Address operator[](std::size_t i) const { return {dram[i], slice[i]}; }
    void put(std::size_t i, const Address& s) { dram.put(i, s.dram), slice[i] = s.slice; }
  };
  void addresses_of(const LineList& lines, Addresses& out) const;

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
  std::uint64_t read(const Read& r, const Address& address, std::uint64_t now);
  std::uint64_t read(const Read& r, std::uint64_t now) { return read(r, address_of(r.line), now); }
  // The same for nobody: it stays at home.
  void bring(const Read& r, const Address& address, std::uint64_t now);
  // A line that another pushes out to DRAM, after `fills` of its sectors were completed from there.
  struct Pushed {
    std::size_t number;  // of the read that does it
    std::uint64_t line;
    std::uint32_t fills, sectors;
  };
  // A read that another SM's answer serves, too: that comes to the ports of both in cycle
  // `arrives`.
  struct Shared {
    std::uint64_t arrives;
    std::uint8_t index, sectors;  // of its line in the list
  };
  // An SM's reads of some lines of an access, one after the other, kLinesACycle of its list a cycle
  // from `now` on.
  struct Reads {
    int sm, near;
    const LineList& lines;
    const Addresses& addresses;
    const std::uint32_t* latency;       // by line, ticks: of its slice
    const std::uint32_t* dram_latency;  // … and more for DRAM
    const LineParts& asked;             // for its n-th line:
    const std::uint8_t* missing;        // sectors that the near side has not
    const std::uint8_t* crossing;       // … of them, that the other side has to send: all or none
    const std::uint8_t* fetched;        // … of them, that DRAM has to send
    std::span<const std::uint8_t> far;  // the numbers of those that cross
    std::span<const Pushed> pushed;     // what they push out
    std::span<const Shared> shared;     // lines of the list that need no reading
    std::uint64_t now;
  };
  // By line: the cycle in which it is back, and in which its answer came to the SM's port.
  void read(const Reads& r, std::uint64_t* done, std::uint64_t* arrives);
  // The cycle in which the answer of the latest read() of one line came to its SM's port.
  std::uint64_t arrived() const { return arrived_; }
  // The cycle in which an SM has the sectors of a read that shares another's answer.
  std::uint64_t share(int sm, const Shared& r, std::uint64_t now) {
    return receive(receive_[static_cast<std::size_t>(sm)], r.sectors, r.arrives * kTicks, now);
  }
  // What is worked out from a line's number is so from that of the 128 bytes that it lies in.
  std::uint64_t whole(std::uint64_t line) const { return line >> part_bits_; }
  unsigned part_bits() const { return part_bits_; }
  // What latency() and dram_latency() of reads come from.
  const Latencies& latencies() const { return latencies_; }

  struct Write {
    int sm = 0;
    std::uint64_t line = 0;
    std::uint32_t sectors = 0;   // sent
    std::uint32_t partial = 0;   // of them, not whole
    std::uint32_t atomic = 0;    // sector passes of an atomic; sectors and partial are 0 then
    std::uint32_t partly = 0;    // … of these, over a part of the sector
    std::uint32_t headed = 0;    // … of more than one lane's word
    std::uint32_t twice = 0;     // … of these, of two operands a word, or of sums of 8 bytes
    std::uint32_t together = 0;  // sums of floats: sectors of the line that take turns; 0: others
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
  // A line pushed out to DRAM by a read.
  void write_back(const Pushed& p, std::uint64_t now);

  // Sectors to or from host memory, over the link that all SMs share: the cycle in which they are
  // there.
  std::uint64_t host(int sm, std::uint32_t sectors, std::uint64_t now);
  // An access to so many sectors of another SM's shared memory, which keeps the asking SM's path
  // to it for so long: the cycle in which it starts.
  std::uint64_t remote(int sm, std::uint64_t sectors, std::uint64_t ticks, std::uint64_t now) {
    remote_sectors_ += sectors;
    return remote_[static_cast<std::size_t>(sm)].reserve(now * kTicks,
                                                         static_cast<std::uint32_t>(ticks)) /
           kTicks;
  }
  // Has what a read of the line will look at brought into the host's cache; changes nothing.
  void prefetch(std::uint64_t line, const Address& address, int near, int home) const {
    dram_.prefetch(address.dram);
    fills_[static_cast<std::size_t>(near)].prefetch(whole(line));
    fills_[static_cast<std::size_t>(home)].prefetch(whole(line));
  }
  // Cycle in which the latest write() left its SM.
  std::uint64_t sent() const { return sent_; }
  // What was moved, and for how long each place was taken, since clear(): what a bottleneck is.
  struct Use {
    Resource place;
    std::vector<std::uint64_t> busy;  // ticks, of each of its kind
    std::uint64_t sectors = 0;        // moved by all of them
  };
  std::vector<Use> uses() const;
  // Cycle in which all that was written so far is in DRAM.
  std::uint64_t written() const { return dram_.written() / kTicks; }
  // Reads so far: how many sectors they asked for, and sector-cycles that these were outstanding.
  std::uint64_t sectors_read() const { return sectors_read_; }
  std::uint64_t sector_cycles() const { return sector_cycles_; }
  // Rows of DRAM that were opened so far.
  std::uint64_t rows_opened() const { return dram_.activations(); }

  // Cycle from which an SM may send again.
  std::uint64_t ready(int sm) const { return held_[static_cast<std::size_t>(sm)]; }

 private:
  // Which slice of its side a line is in.
  struct Slices {
    std::uint32_t a_side;
    SmallDivisor by_pairs;
    std::uint32_t slice(std::uint64_t line) const;
  };
  static void slices_of(const std::uint64_t* line, std::size_t count, const Slices& slices,
                        std::uint32_t* out);
  // A read in flight.
  struct Trip {
    std::uint64_t at;      // tick in which it has come so far
    std::uint64_t queued;  // ticks that it has stood in queues
  };
  std::uint32_t read_work(std::uint32_t sectors, std::uint32_t filled) const {
    return spec_.read_ticks + sectors * spec_.read_sector_ticks + filled * spec_.fill_sector_ticks;
  }
  using Trips = Dram::Trips;
  static void queue(Trip& trip, Throughput& place, std::uint32_t work) {
    const std::uint64_t start = place.reserve(trip.at, work);
    trip.queued += start - trip.at;
    trip.at = start;
  }
  // Sectors of a line, of the 128 bytes that it lies in.
  std::uint32_t in_whole(std::uint64_t line, std::uint32_t sectors) const {
    return sectors << (line & ((1u << part_bits_) - 1)) * part_sectors_;
  }
  // The places that the reads of a list come to, one after the other; `other`: the far side.
  // `parts`: lines are parts of 128 bytes.
  void reach_near(const Reads& r, Trips& trips);
  template <bool parts>
  void reach_home(const Reads& r, std::size_t other, Trips& trips);
  template <bool parts>
  void reach_dram(const Reads& r, std::size_t other, Trips& trips);
  template <bool parts>
  void come_back(const Reads& r, const Trips& trips, std::uint64_t* done, std::uint64_t* arrives);
  template <bool parts>
  void read_list(const Reads& r, std::uint64_t* done, std::uint64_t* arrives);
  // What is in flight to a side: the line's own sectors.
  template <bool parts>
  std::uint64_t until(const Fills& fills, std::uint64_t line, std::uint32_t sectors) const {
    if constexpr (!parts) return fills.until(line, sectors);
    else return fills.until(whole(line), in_whole(line, sectors));
  }
  template <bool parts>
  void add(Fills& fills, std::uint64_t line, std::uint32_t sectors, std::uint64_t at) const {
    if constexpr (!parts) fills.add(line, sectors, at);
    else fills.add(whole(line), in_whole(line, sectors), at);
  }
  void cross(Trip& trip, std::uint32_t slice, int home, std::uint8_t crossing,
             std::uint8_t fetched);
  void fetch(Trip& trip, const Dram::Address& address, std::uint8_t fetched, std::uint32_t latency);
  std::uint64_t receive(Throughput& port, std::uint8_t sectors, std::uint64_t sent,
                        std::uint64_t now);
  std::uint64_t deliver(const Trip& trip, int near, std::uint64_t line, std::uint8_t asked,
                        std::uint8_t missing, Throughput& port, std::uint64_t now);
  Throughput& slice(std::uint32_t slice, int side) {
    return slices_[static_cast<std::uint32_t>(side) * slices_of_.a_side + slice];
  }
  void hold(int sm, std::uint64_t queued, std::uint64_t now);
  std::uint32_t atomic_work(const Write& w) const;
  std::uint32_t sum_work(const Write& w, std::size_t slice, std::uint32_t work);

  Spec spec_;
  unsigned part_bits_ = 0, part_sectors_ = 4;  // of lines in 128 bytes: as a power of two; each
  Latencies latencies_;                        // ticks: to a slice, and from DRAM
  Slices slices_of_;
  PartitionMap partitions_;
  // A slice's ticks for a read of these sectors (bits), and more where those are brought to it.
  std::array<std::uint32_t, 16> slice_ticks_{}, fill_ticks_{};
  // What is looked at for every line, here and there in it, lies together.
  std::pmr::monotonic_buffer_resource memory_{std::size_t{4} << 20, large_pages()};
  std::pmr::vector<Throughput> receive_{&memory_}, send_{&memory_}, remote_{&memory_},
      slices_{&memory_};
  std::array<Fills, 8> fills_{Fills(&memory_), Fills(&memory_), Fills(&memory_), Fills(&memory_),
                              Fills(&memory_), Fills(&memory_), Fills(&memory_), Fills(&memory_)};
  std::vector<std::uint64_t> held_;    // by SM: cycle
  std::vector<std::uint64_t> summed_;  // by slice: line of its last sum of floats
  std::uint64_t sent_ = 0, arrived_ = 0;
  std::uint64_t sectors_read_ = 0, sector_cycles_ = 0;
  std::uint64_t remote_sectors_ = 0;
  Throughput host_;
  Dram dram_;
};

// Sectors that come to an SM's port in tick `sent`: the cycle in which they are through.
inline std::uint64_t MemoryPath::receive(Throughput& port, std::uint8_t asked, std::uint64_t sent,
                                         std::uint64_t now) {
  const std::uint32_t sectors = sectors_in(asked), ticks = sectors * spec_.receive_ticks;
  const std::uint64_t back = (port.reserve(sent, ticks) + ticks) / kTicks;
  sectors_read_ += sectors;
  sector_cycles_ += sectors * (back - now);
  return back;
}

// Eight lines share two slices of their side, in pairs by turns (measured: which lines delay each
// other, kernels/micro/l2_slices.cu); which two is not known.
inline std::uint32_t MemoryPath::Slices::slice(std::uint64_t line) const {
  const auto two = static_cast<std::uint32_t>((line >> 3) * 0x9e3779b97f4a7c15ull >> 32);
  // Which of the two is first is drawn as well, or strides of 512 bytes would leave half of all
  // idle.
  const std::uint32_t first = (static_cast<std::uint32_t>(line >> 1) ^ two >> 16) & 1;
  return a_side < 2 ? 0 : by_pairs.divide(two).rest * 2 + first;
}

}  // namespace warpmem::model
