// DRAM behind the L2: channels with a data bus each, banks with one open row each.
//
// Models: a burst of 32 bytes, a sector, occupies its channel's bus; opening a row costs the
// channel an activation, of which it can start one every `activate` ticks (tRRD and tFAW), and its
// bank a row cycle (tRC). Writes go out together as soon as no read is in front of them, or there
// is no room for more that wait: the channel stops reading, which takes it much longer than the bus
// needs to turn, and reads again behind them (measured: kernels/micro/dram_writes.cu). An access
// whose row is open, or among the last few that were, as a scheduler that looks for row hits would
// have it (FR-FCFS), pays the bus alone. Refreshes block a channel or a bank and close its rows,
// one channel or bank after the other, unless they are part of the bandwidth that was measured.
// Leaves out: power states, ECC.
//
// Sources: number of channels, burst and row: HBM3 (JESD238): 16 channels of two pseudo-channels a
// stack, 32 bits wide, bursts of eight, 1 KiB rows. Bandwidth and rate of random accesses: measured
// (kernels/micro/launch_timing.cu). Other types: cards/dram/*.toml. The address map of current GPUs
// is not known: channel and bank are drawn by a hash of the block, which spreads strides evenly.
// GPUs up to GT200 have a plain one, where a stride of channels x interleave meets one channel
// alone.
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>
#include <vector>

#include "base/prefetch.hpp"
#include "model/access/access.hpp"
#include "model/dram/spec.hpp"
#include "model/fast/divisor.hpp"
#include "model/timing/throughput.hpp"

namespace warpmem::model {

class Dram {
 public:
  using Spec = DramSpec;
  // Where a line lies.
  struct Address {
    std::uint32_t channel, bank;  // bank: of all channels' banks
    std::uint64_t row;
  };
  // The same for the lines of a list.
  struct Addresses {
    std::array<std::uint32_t, LineList::kMost> channel, bank;
    std::array<std::uint64_t, LineList::kMost> row;
    Address operator[](std::size_t i) const { return {channel[i], bank[i], row[i]}; }
    void put(std::size_t i, const Address& s) {
      channel[i] = s.channel, bank[i] = s.bank, row[i] = s.row;
    }
  };
  // Its tables take their memory from `memory`.
  explicit Dram(const Spec& spec,
                std::pmr::memory_resource* memory = std::pmr::get_default_resource());

  Address find(std::uint64_t line) const;
  void find(const LineList& lines, Addresses& out) const;
  // Reads so many sectors of a 128-byte line from tick `now` on; the tick in which the last one
  // has been on the bus. Activation latency is part of what the caller adds.
  std::uint64_t read(std::uint64_t line, std::uint32_t sectors, std::uint64_t now) {
    return read(find(line), sectors, now);
  }
  std::uint64_t read(const Address& at, std::uint32_t sectors, std::uint64_t now);
  // Reads in flight, by number.
  struct Trips {
    std::array<std::uint64_t, LineList::kMost> at;      // tick in which each has come so far
    std::array<std::uint64_t, LineList::kMost> queued;  // ticks that it has stood in queues
  };
  // The same for reads of a list's lines, from number `first` to before `last`: the k-th wants
  // `sectors[k]` (bits; none: it is not for DRAM) of line `index[k]` and comes here `latency`, by
  // line, after trips.at[k].
  void read(const Addresses& addresses, const std::uint8_t* index, const std::uint8_t* sectors,
            const std::uint32_t* latency, std::size_t first, std::size_t last, Trips& trips);
  // Takes writes of a line, or of two neighbours; the tick in which they have gone out, or wait
  // to. `completed`: sectors of it were read just now to complete them; by the time they are merged
  // and written, their row is no longer open (measured: random stores move half of what random
  // reads do, kernels/micro/launch_timing.cu). So many of them stay in the L2: others go instead.
  std::uint64_t write(std::uint64_t line, std::uint32_t sectors, std::uint64_t now,
                      bool completed = false);
  // The tick in which all writes so far have gone out.
  std::uint64_t written() const;
  void clear();
  // Has what a read looks at brought into the host's cache; changes nothing.
  void prefetch(const Address& at) const {
    warpmem::prefetch(&banks_[at.bank]);
    warpmem::prefetch(&channels_[at.channel].bus);
    warpmem::prefetch(&channels_[at.channel].activate);
  }

  std::uint64_t activations() const { return activations_; }
  std::uint64_t sectors() const { return sectors_; }  // read and written
  // Ticks of the latest read or write for which its bank was being refreshed: others go ahead of it
  // meanwhile.
  std::uint64_t refresh_wait() const { return refresh_wait_; }
  // By channel: ticks for which its bus moved data or turned round, and its activation was taken.
  std::vector<std::uint64_t> bus_ticks() const;
  std::vector<std::uint64_t> activate_ticks() const;

 private:
  struct Channel {
    std::uint64_t next_refresh = 0;      // tick
    std::uint64_t refreshed = 0;         // ticks of the bus
    std::uint64_t turned = 0, back = 0;  // ticks in which it last stopped reading, and reads again
    std::uint64_t joins = 0;             // tick until which writes still go out with those
    std::uint64_t first = 0;             // … from which on the ones that wait may
    std::uint32_t held = 0;              // ticks of the bus that these take
    std::uint32_t completed = 0;         // lines that stay in the L2
    std::uint32_t reads = 0;             // sectors read since it last wrote
    Throughput bus, activate;
  };
  struct Bank {
    std::uint64_t row[2] = {~std::uint64_t{0}, ~std::uint64_t{0}};  // the open one, the one before
    std::uint64_t free = 0;                                         // tick: may be activated again
    std::uint64_t due = 0;                                          // … is refreshed first
  };
  // How addresses spread.
  struct Map {
    int block_shift;
    DramMap map;
    std::uint32_t banks;
    Divisor by_channels, by_banks, by_row_blocks;
    template <class Divide>
    Address find(std::uint64_t line, Divide&& divide) const;
  };
  static void find(const std::uint64_t* line, std::size_t count, const Map& map, Addresses& out);
  std::uint64_t open(Channel& channel, Bank& bank, std::uint64_t row, std::uint64_t now,
                     bool closed = false);
  std::uint32_t bus_ticks(std::uint32_t sectors) const;
  // Lets the writes that wait go out if their time has come by `now`.
  void write_held(Channel& channel, std::uint64_t now);
  // Of a read that could be on the bus in this tick: when it can, for writes.
  static std::uint64_t behind_writes(const Channel& c, std::uint64_t ready) {
    return ready >= c.turned && ready < c.back ? c.back : ready;
  }
  void refresh_channel(Channel& channel, std::uint64_t now);
  bool refresh_bank(const Bank& bank, std::uint64_t& now) const;
  std::uint64_t first_refresh(std::size_t bank) const;

  Spec spec_;
  Map map_;
  Divisor by_interval_;
  std::pmr::vector<Channel> channels_;
  std::pmr::vector<Bank> banks_;                                // by channel
  std::array<std::uint32_t, kSectorsPerLine + 1> bus_ticks_{};  // by sectors
  std::uint64_t activations_ = 0, sectors_ = 0;
  std::uint64_t refresh_wait_ = 0;  // ticks
};

}  // namespace warpmem::model
