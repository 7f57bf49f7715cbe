#include "model/dram/dram.hpp"

#include <algorithm>
#include <bit>

#include "base/wide_hosts.hpp"

namespace warpmem::model {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 29;
  return x;
}

}  // namespace

Dram::Dram(const Spec& spec, std::pmr::memory_resource* memory)
    : spec_(spec),
      map_{std::countr_zero(spec.interleave_lines),
           spec.map,
           spec.banks,
           Divisor(spec.channels),
           Divisor(spec.banks),
           Divisor(std::max<std::uint32_t>(1, spec.row_bytes / (128 * spec.interleave_lines)))},
      by_interval_(std::max<std::uint64_t>(1, spec.refresh_interval_ticks)),
      channels_(memory),
      banks_(memory) {
  for (std::uint32_t sectors = 0; sectors < bus_ticks_.size(); ++sectors)
    bus_ticks_[sectors] = bus_ticks(sectors);
  clear();
}

void Dram::clear() {
  channels_.assign(spec_.channels, Channel{});
  // One channel is refreshed after the other.
  for (std::size_t c = 0; c < channels_.size(); ++c)
    channels_[c].next_refresh = spec_.refresh_interval_ticks * (c + 1) / channels_.size();
  banks_.assign(std::size_t{spec_.channels} * spec_.banks, Bank{});
  if (spec_.refresh != DramRefresh::kNone)
    for (std::size_t i = 0; i < banks_.size(); ++i) banks_[i].due = first_refresh(i);
  activations_ = sectors_ = 0;
}

// Groups of blocks as wide as the channels are many hold each channel once; where they are hashed,
// in an order of their own.
template <class Divide>
inline Dram::Address Dram::Map::find(std::uint64_t line, Divide&& divide) const {
  const std::uint64_t block = line >> block_shift;
  const Divisor::Parts group = divide(by_channels, block);
  const std::uint64_t row = divide(by_row_blocks, group.quotient).quotient;
  // Banks are the same for all channels: neighbouring banks are refreshed together, device by
  // device (measured: within 1 MiB loads wait in one rhythm, kernels/micro/dram_wait.cu).
  const bool hashed = map == DramMap::kHashed;
  const std::uint64_t channel =
      divide(by_channels, hashed ? block + mix(group.quotient) : block).rest;
  const std::uint64_t bank = divide(by_banks, hashed ? mix(row * 31) : row).rest;
  return {static_cast<std::uint32_t>(channel), static_cast<std::uint32_t>(channel * banks + bank),
          row};
}

Dram::Address Dram::find(std::uint64_t line) const {
  return map_.find(line, [](const Divisor& d, std::uint64_t n) { return d.divide(n); });
}

WARPMEM_WIDE_HOSTS void Dram::find(const std::uint64_t* __restrict line, std::size_t count,
                                   const Map& map, Addresses& out) {
  const Map m = map;
  std::uint32_t* const __restrict channel = out.channel.data();
  std::uint32_t* const __restrict bank = out.bank.data();
  std::uint64_t* const __restrict row = out.row.data();
  for (std::size_t i = 0; i < count; ++i) {
    const Address s =
        m.find(line[i], [](const Divisor& d, std::uint64_t n) { return d.divide_wide(n); });
    channel[i] = s.channel;
    bank[i] = s.bank;
    row[i] = s.row;
  }
}

void Dram::find(const LineList& lines, Addresses& out) const {
  find(lines.line.data(), static_cast<std::size_t>(lines.count), map_, out);
}

std::vector<std::uint64_t> Dram::bus_ticks() const {
  std::vector<std::uint64_t> n;
  for (const Channel& c : channels_) n.push_back(c.bus.given() - c.refreshed);
  return n;
}

std::vector<std::uint64_t> Dram::activate_ticks() const {
  std::vector<std::uint64_t> n;
  for (const Channel& c : channels_) n.push_back(c.activate.given());
  return n;
}

// Channels by turns, or banks by turns and each device by a clock of its own, which stands
// anywhere.
std::uint64_t Dram::first_refresh(std::size_t bank) const {
  const std::uint64_t interval = spec_.refresh_interval_ticks, channel = bank / spec_.banks;
  if (spec_.refresh == DramRefresh::kAll) return interval * (channel + 1) / spec_.channels;
  const std::uint64_t device = channel * spec_.devices / spec_.channels;
  return interval * (bank % spec_.banks + 1) / spec_.banks +
         mix(device * 0x9e3779b97f4a7c15ull) % interval;
}

// Takes the bus for the refreshes of all banks that are due by `now`. Nobody saw those that came
// and went while it had nothing to move: they are skipped.
void Dram::refresh_channel(Channel& c, std::uint64_t now) {
  const std::uint64_t interval = spec_.refresh_interval_ticks;
  if (now < c.next_refresh) return;
  const auto take = [&] {
    c.bus.reserve(c.next_refresh, spec_.refresh_ticks);
    c.refreshed += spec_.refresh_ticks;
    c.next_refresh += interval;
  };
  const auto moves = [&](std::uint64_t tick) { return c.bus.full(tick) || c.bus.used(tick) > 0; };
  while (now - c.next_refresh >= interval && moves(c.next_refresh)) take();
  if (now < c.next_refresh) return;
  c.next_refresh += (now - c.next_refresh) / interval * interval;
  take();
}

// Moves `now` behind a refresh of this bank that is outstanding; true
// if there was one since its last row was opened, which closed it.
bool Dram::refresh_bank(const Bank& bank, std::uint64_t& now) const {
  if (now < bank.due) return false;
  const std::uint64_t start = now - (now - bank.due) % by_interval_;
  const bool closed = bank.free < start + spec_.row_cycle_ticks;
  now = std::max(now, start + spec_.refresh_ticks);
  return closed;
}

// When the row can be read from, `now` or later.
[[gnu::always_inline]] inline std::uint64_t Dram::open(Channel& channel, Bank& bank,
                                                       std::uint64_t row, std::uint64_t now,
                                                       bool closed) {
  if (spec_.refresh != DramRefresh::kNone) {
    if (spec_.refresh == DramRefresh::kAll) refresh_channel(channel, now);
    const std::uint64_t before = now;
    closed |= refresh_bank(bank, now);
    refresh_wait_ = now - before;
  }
  if (!closed && (bank.row[0] == row || bank.row[1] == row)) return now;
  bank.row[1] = bank.row[0];
  bank.row[0] = row;
  ++activations_;
  const std::uint64_t start =
      channel.activate.reserve(std::max(now, bank.free), spec_.activate_ticks);
  bank.free = start + spec_.row_cycle_ticks;
  return start;
}

// Ticks of the bus that so many sectors take: it moves no fewer than a burst.
std::uint32_t Dram::bus_ticks(std::uint32_t sectors) const {
  const std::uint32_t least = spec_.burst_sectors;
  const std::uint32_t moved = (sectors + least - 1) / least * least;
  const std::uint64_t more = std::uint64_t{moved} * spec_.burst_millionths;
  return moved * spec_.burst_ticks + static_cast<std::uint32_t>((more + 999'999) / 1'000'000);
}

// The first access behind `first` says whether a read was in front of the writes: by then all that
// came before are known.
void Dram::write_held(Channel& c, std::uint64_t now) {
  if (c.held < spec_.write_most_ticks) {
    if (now <= c.first) return;
    if (c.bus.full(c.first)) {
      c.first = now;
      return;
    }
  }
  const std::uint32_t idle = c.reads > 0 ? spec_.switch_ticks : 0;
  const std::uint32_t amount = idle + c.held + spec_.turnaround_ticks;
  c.turned = c.bus.reserve(c.first, amount);
  c.joins = c.turned + idle;
  c.back = c.turned + amount;
  c.held = c.reads = 0;
}

std::uint64_t Dram::read(const Address& at, std::uint32_t sectors, std::uint64_t now) {
  Channel& c = channels_[at.channel];
  const std::uint64_t opened = open(c, banks_[at.bank], at.row, now);
  if (c.held) write_held(c, now);
  const std::uint64_t ready = behind_writes(c, opened);
  c.reads += sectors;
  sectors_ += sectors;
  const std::uint32_t amount = bus_ticks(sectors);
  return c.bus.reserve(ready, amount) + amount;
}

void Dram::read(const Addresses& addresses, const std::uint8_t* index, const std::uint8_t* sectors,
                const std::uint32_t* latency, std::size_t first, std::size_t last, Trips& trips) {
  Channel* const channels = channels_.data();
  Bank* const banks = banks_.data();
  std::uint64_t moved = 0;
  for (std::size_t k = first; k < last; ++k) {
    const std::uint8_t those = sectors[k] & 15;
    if (!those) continue;
    const std::size_t at = index[k];
    Channel& c = channels[addresses.channel[at]];
    const std::uint64_t asked = trips.at[k] + latency[at];
    const std::uint64_t opened = open(c, banks[addresses.bank[at]], addresses.row[at], asked);
    if (c.held) write_held(c, asked);
    const std::uint64_t ready = behind_writes(c, opened);
    const std::uint32_t count = sectors_in(those), amount = bus_ticks_[count];
    c.reads += count;
    moved += count;
    const std::uint64_t done = c.bus.reserve(ready, amount) + amount;
    trips.at[k] = done;
    trips.queued[k] += done - asked - refresh_wait_;
  }
  sectors_ += moved;
}

std::uint64_t Dram::written() const {
  std::uint64_t last = 0;
  for (const Channel& c : channels_)
    last = std::max(last, c.held == 0 ? c.back : std::max(c.first, c.back) + c.held);
  return last;
}

std::uint64_t Dram::write(std::uint64_t line, std::uint32_t sectors, std::uint64_t now,
                          bool completed) {
  const Address at = find(line);
  Channel& c = channels_[at.channel];
  const bool joins = now < c.joins;
  const std::uint64_t ready = open(c, banks_[at.bank], at.row, now, completed);
  sectors_ += sectors;
  const std::uint32_t lines = (sectors + kSectorsPerLine - 1) / kSectorsPerLine;
  // Three sectors take as long as four (kernels/micro/dram_writes.cu, rate).
  const std::uint32_t amount = std::max(lines * spec_.write_ticks, bus_ticks((sectors + 1) & ~1u));
  if (completed && c.completed < spec_.completed_most) {
    ++c.completed;
    return ready;
  }
  if (joins) {
    c.back += amount;
    return c.bus.reserve(ready, amount) + amount;
  }
  if (c.held == 0) c.first = ready;
  if (!completed) write_held(c, ready);
  c.held += amount;
  return ready;
}

}  // namespace warpmem::model
