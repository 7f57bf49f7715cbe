#include "model/dram.hpp"

#include <algorithm>

namespace warpmem::model {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 29;
  return x;
}

}  // namespace

Dram::Dram(const Spec& spec) : spec_(spec) { clear(); }

void Dram::clear() {
  channels_.assign(spec_.channels, Channel{});
  banks_.assign(std::size_t{spec_.channels} * spec_.banks, Bank{});
  activations_ = 0;
}

// Groups of blocks as wide as the channels are many: each channel once, in an order of its own.
std::size_t Dram::channel_of(std::uint64_t block) const {
  return (block + mix(block / spec_.channels)) % spec_.channels;
}

std::uint64_t Dram::row_of(std::uint64_t block) const {
  return block / spec_.channels / std::max<std::uint32_t>(1, spec_.row_bytes / 256);
}

std::size_t Dram::bank_of(std::size_t channel, std::uint64_t row) const {
  return channel * spec_.banks + mix(row * 31 + channel) % spec_.banks;
}

void Dram::prefetch(std::uint64_t line) const {
  const std::uint64_t block = line / 2;
  __builtin_prefetch(&banks_[bank_of(channel_of(block), row_of(block))], 1);
}

std::uint64_t Dram::bus_ticks() const {
  std::uint64_t n = 0;
  for (const Channel& c : channels_) n += c.bus.given();
  return n;
}

std::uint64_t Dram::activate_ticks() const {
  std::uint64_t n = 0;
  for (const Channel& c : channels_) n += c.activate.given();
  return n;
}

// When the row of a 256-byte block can be read from, `now` or later.
std::uint64_t Dram::open(std::size_t channel, std::uint64_t block, std::uint64_t now, bool closed) {
  const std::uint64_t row = row_of(block);
  Bank& bank = banks_[bank_of(channel, row)];
  if (!closed && (bank.row[0] == row || bank.row[1] == row)) return now;
  bank.row[1] = bank.row[0];
  bank.row[0] = row;
  ++activations_;
  const std::uint64_t at =
      channels_[channel].activate.reserve(std::max(now, bank.free), spec_.activate_ticks);
  bank.free = at + spec_.row_cycle_ticks;
  return at;
}

std::uint64_t Dram::read(std::uint64_t line, std::uint32_t sectors, std::uint64_t now) {
  const std::uint64_t block = line / 2;
  const std::size_t channel = channel_of(block);
  Channel& c = channels_[channel];
  const std::uint64_t ready = open(channel, block, now);
  c.reads += sectors;
  return c.bus.reserve(ready, sectors * spec_.burst_ticks) +
         std::uint64_t{sectors} * spec_.burst_ticks;
}

std::uint64_t Dram::write(std::uint64_t line, std::uint32_t sectors, std::uint64_t now,
                          bool completed) {
  const std::uint64_t block = line / 2;
  const std::size_t channel = channel_of(block);
  Channel& c = channels_[channel];
  const std::uint64_t ready = open(channel, block, now, completed);
  c.held += sectors;
  std::uint32_t amount = sectors * spec_.burst_ticks;
  if (c.held >= spec_.write_batch) {
    if (c.reads > 0) amount += spec_.turnaround_ticks;
    c.held = c.reads = 0;
  }
  return c.bus.reserve(ready, amount) + amount;
}

}  // namespace warpmem::model
