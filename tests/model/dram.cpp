// DRAM in time: what a row hit saves, and which of bus and activations limits.
#include "model/dram/dram.hpp"

#include <algorithm>
#include <bit>
#include <random>
#include <vector>

#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/interconnect/spec.hpp"
#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"
#include "tests/model/hardware_rows.hpp"

using namespace warpmem;
using model::Dram;

namespace {

// One channel: every block and row is its own.
Dram::Spec one_channel(std::uint32_t banks = 64) {
  Dram::Spec s = model::example_dram();
  s.channels = 1;
  s.banks = banks;
  return s;
}

constexpr std::uint64_t kLinesARow = 1024 / 128;
constexpr std::uint64_t kFar = 1 << 20;  // lines: another row in any case

// Ticks from the first of so many reads, asked for all at once, to the end of the last; `line(i)`.
template <class F>
std::uint64_t time_reads(Dram& d, std::uint64_t n, std::uint32_t sectors, F&& line) {
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < n; ++i) last = std::max(last, d.read(line(i), sectors, 0));
  return last;
}

std::uint64_t scattered(std::uint64_t i) { return i * 0x9e3779b97f4a7c15ull >> 24; }

}  // namespace

TEST_CASE("DRAM: an open row's sectors cost the bus alone") {
  const auto s = one_channel();
  Dram d(s);
  CHECK(d.read(0, 1, 0) == s.burst_ticks);
  for (std::uint64_t line = 1; line < kLinesARow; ++line) {
    const std::uint64_t now = line * 100000;
    CHECK(d.read(line, 4, now) == now + 4 * s.burst_ticks);
  }
  CHECK(d.activations() == 1);
  d.read(kLinesARow, 1, 1000000);
  CHECK(d.activations() == 2);
}

TEST_CASE("DRAM: a bank opens a row only after its row cycle") {
  const auto s = one_channel(1);
  Dram d(s);
  d.read(0, 1, 0);
  CHECK(d.read(kFar, 1, 0) >= s.row_cycle_ticks + s.burst_ticks);
  CHECK(d.read(2 * kFar, 1, 0) >= 2 * s.row_cycle_ticks + s.burst_ticks);
  CHECK(d.activations() == 3);
  // Idle long enough, it opens at once.
  const std::uint64_t later = 100 * std::uint64_t{s.row_cycle_ticks};
  CHECK(d.read(3 * kFar, 1, later) == later + s.burst_ticks);
}

TEST_CASE(
    "DRAM: the row before the open one is still a hit, as the scheduler would have taken it "
    "first") {
  Dram d(one_channel(1));
  d.read(0, 1, 0);
  d.read(kFar, 1, 0);
  d.read(1, 1, 0);
  CHECK(d.activations() == 2);
  d.read(2 * kFar, 1, 0);
  d.read(3 * kFar, 1, 0);
  CHECK(d.activations() == 4);
  d.read(2, 1, 0);
  CHECK(d.activations() == 5);
}

TEST_CASE("DRAM: rows side by side are limited by the bus, scattered ones by the activations") {
  const auto s = one_channel();
  constexpr std::uint64_t kReads = 4000;
  Dram rows(s);
  const std::uint64_t sequential = time_reads(rows, kReads, 4, [](std::uint64_t i) { return i; });
  CHECK(sequential == Approx(static_cast<double>(kReads * 4 * s.burst_ticks)).epsilon(0.02));
  CHECK(rows.activations() == kReads / kLinesARow);
  Dram random(s);
  const std::uint64_t scattered_time = time_reads(random, kReads, 2, scattered);
  CHECK(random.activations() == kReads);
  CHECK(scattered_time == Approx(static_cast<double>(kReads * s.activate_ticks)).epsilon(0.1));
}

TEST_CASE("DRAM: all channels together give what the numbers promise") {
  const Dram::Spec s = model::example_dram();
  constexpr std::uint64_t kReads = 192 * 512;
  Dram streaming(s);
  const std::uint64_t sequential =
      time_reads(streaming, kReads, 4, [](std::uint64_t i) { return i; });
  CHECK(sequential ==
        Approx(static_cast<double>(kReads * 4 * s.burst_ticks) / s.channels).epsilon(0.05));
  Dram random(s);
  // The fullest channel ends last: some 10 % above the average.
  const std::uint64_t scattered_time = time_reads(random, kReads, 2, scattered);
  const double ideal = static_cast<double>(kReads * s.activate_ticks) / s.channels;
  CHECK(static_cast<double>(scattered_time) > 0.98 * ideal);
  CHECK(static_cast<double>(scattered_time) < 1.25 * ideal);
}

TEST_CASE("DRAM: strides spread over the channels") {
  const Dram::Spec s = model::example_dram();
  constexpr std::uint64_t kReads = 192 * 64;
  const double ideal = static_cast<double>(kReads * s.activate_ticks) / s.channels;
  std::vector<std::uint64_t> strides = {192, 384, 768, 1000, 1152};  // lines
  for (unsigned bit = 3; bit < 20; ++bit) strides.push_back(std::uint64_t{1} << bit);
  for (const std::uint64_t stride : strides) {
    Dram d(s);
    INFO("stride of " << stride << " lines");
    CHECK(static_cast<double>(
              time_reads(d, kReads, 1, [&](std::uint64_t i) { return i * stride; })) < 2 * ideal);
  }
}

TEST_CASE(
    "DRAM: a channel that stops reading to write reads again when all is written that waits") {
  auto s = one_channel();
  s.write_ticks = 0;
  const std::uint64_t line = 4 * s.burst_ticks;
  constexpr std::uint64_t kLater = 1000000;
  const auto waits = [&](bool read_before, std::uint64_t lines, std::uint64_t after) {
    Dram d(s);
    if (read_before) d.read(0, 1, 0);
    for (std::uint64_t i = 0; i < lines; ++i) d.write(i, 4, kLater);
    return d.read(0, 1, kLater + after) - (kLater + after) - s.burst_ticks;
  };
  CHECK(waits(true, 0, 1) == 0);
  const std::uint64_t one = s.switch_ticks + line + s.turnaround_ticks;
  CHECK(waits(true, 1, 1) == one - 1);
  CHECK(waits(true, 1, one - 1) == 1);
  CHECK(waits(true, 1, one) == 0);
  CHECK(waits(true, 3, 1) == one + 2 * line - 1);
  // It has not read since it wrote: the bus turns back, and nothing else.
  CHECK(waits(false, 1, 1) == line + s.turnaround_ticks - 1);
}

TEST_CASE("DRAM: writes wait while there are reads in front, until there is no room for more") {
  auto s = one_channel();
  const std::uint64_t line = 4 * s.burst_ticks;
  for (const std::uint32_t most : {20000u, 80000u}) {
    s.write_most_ticks = most;
    Dram d(s);
    // Forty reads always wait for the bus; every tenth line is written.
    std::uint64_t reads = 0, written = 0;
    while (d.bus_ticks()[0] == reads * line && reads < 10000) {
      const std::uint64_t now = (std::max<std::uint64_t>(reads, 40) - 40) * line;
      d.read(reads % kLinesARow, 4, now);
      if (++reads % 10 == 0) d.write(0, 4, now), ++written;
    }
    CHECK(written == most / line + 1);
    CHECK(d.bus_ticks()[0] == (reads + written) * line + s.switch_ticks + s.turnaround_ticks);
  }
}

TEST_CASE("DRAM: writes of a sector or two take a channel as long as on an H200") {
  auto card = model::load_card("h200");
  REQUIRE(card.ok());
  const auto spec = model::spec_of<model::MemoryPathSpec>(*card).dram;
  int rows = 0;
  for (const auto& text : testing::hardware_lines("dram_write_rate.csv")) {
    const auto cells = testing::split(text, ',');
    // All written, in order, whole sectors.
    if (cells[1] != "0" || cells[2] != "8" || cells[3] != "0") continue;
    const auto sectors = static_cast<std::uint32_t>(std::popcount(std::stoul(cells[0])));
    Dram d(spec);
    std::uint64_t last = 0;
    constexpr std::uint64_t kLines = 1 << 17;
    for (std::uint64_t i = 0; i < kLines; ++i) last = std::max(last, d.write(i, sectors, 0));
    const auto bus = d.bus_ticks();
    const double cycles = static_cast<double>(*std::max_element(bus.begin(), bus.end())) / 64;
    INFO(text);
    CHECK(static_cast<double>(kLines * sectors) / cycles ==
          Approx(std::stod(cells[4])).epsilon(0.16));
    ++rows;
  }
  CHECK(rows >= 10);
}

TEST_CASE("DRAM: lines completed before they are written find their row closed") {
  const auto s = one_channel();
  Dram d(s);
  d.read(0, 2, 0);
  d.write(0, 4, 0);
  CHECK(d.activations() == 1);
  d.write(0, 4, 0, true);
  CHECK(d.activations() == 2);
}

TEST_CASE("DRAM: cleared, it is as new") {
  const Dram::Spec s = model::example_dram();
  Dram used(s), fresh(s);
  for (std::uint64_t i = 0; i < 1000; ++i) used.write(scattered(i), 4, 0);
  used.clear();
  CHECK(used.activations() == 0);
  for (std::uint64_t i = 0; i < 1000; ++i)
    REQUIRE(used.read(scattered(i), 2, i) == fresh.read(scattered(i), 2, i));
}

TEST_CASE("DRAM: a plain map has strides that meet one channel, a hashed one has none") {
  Dram::Spec s = model::example_dram();
  s.channels = 8;
  constexpr std::uint64_t kReads = 8 * 256;
  // Ticks for reads of single sectors, so many lines apart.
  const auto time = [&](model::DramMap map, std::uint64_t stride) {
    s.map = map;
    Dram d(s);
    return static_cast<double>(
        time_reads(d, kReads, 1, [&](std::uint64_t i) { return i * stride; }));
  };
  const std::uint64_t camps = 2 * s.channels;           // lines: channels x interleave
  const double even = time(model::DramMap::kPlain, 2);  // every channel in turn
  CHECK(time(model::DramMap::kPlain, camps) > 7.5 * even);
  CHECK(time(model::DramMap::kPlain, camps / 2) > 3.5 * even);  // two channels
  // A hash draws, rows as well as channels: never quite even, but nobody camps.
  for (const std::uint64_t stride : {std::uint64_t{2}, camps / 2, camps})
    CHECK(time(model::DramMap::kHashed, stride) < 3.5 * even);
  // All of it is one channel's work.
  s.map = model::DramMap::kPlain;
  Dram d(s);
  time_reads(d, kReads, 1, [&](std::uint64_t i) { return i * camps; });
  const auto bus = d.bus_ticks();
  CHECK(bus[0] == kReads * s.burst_ticks);
  CHECK(std::count(bus.begin(), bus.end(), 0u) == 7);
}

TEST_CASE("DRAM: blocks as wide as the interleave lie in one channel") {
  Dram::Spec s = model::example_dram();
  s.channels = 4;
  s.row_bytes = 2048;
  s.interleave_lines = 8;
  s.map = model::DramMap::kPlain;
  Dram d(s);
  for (std::uint64_t line = 0; line < 8; ++line) d.read(line, 4, line * 100000);
  CHECK(d.activations() == 1);
  CHECK(d.bus_ticks()[0] == 32 * s.burst_ticks);
  d.read(8, 4, 1000000);
  CHECK(d.bus_ticks()[1] == 4 * s.burst_ticks);
}

TEST_CASE("DRAM: lines of a list lie where each of them lies") {
  std::mt19937_64 random(7);
  for (const model::DramMap map : {model::DramMap::kHashed, model::DramMap::kPlain}) {
    Dram::Spec s = model::example_dram();
    s.map = map;
    const Dram d(s);
    for (int round = 0; round < 1000; ++round) {
      model::LineList lines;
      while (lines.count < 32)
        lines.line[static_cast<std::size_t>(lines.count++)] = random() >> (7 + random() % 57);
      Dram::Addresses spots;
      d.find(lines, spots);
      for (std::size_t i = 0; i < 32; ++i) {
        const Dram::Address alone = d.find(lines.line[i]), together = spots[i];
        REQUIRE(together.channel == alone.channel);
        REQUIRE(together.bank == alone.bank);
        REQUIRE(together.row == alone.row);
      }
    }
  }
}

TEST_CASE("DRAM: a burst of two sectors costs as much for one") {
  auto s = one_channel();
  s.burst_sectors = 2;
  for (std::uint32_t sectors = 1; sectors <= 4; ++sectors) {
    Dram d(s);
    CHECK(d.read(0, sectors, 0) == (sectors + 1) / 2 * 2 * s.burst_ticks);
  }
}

TEST_CASE("DRAM: a refresh of all banks takes its share of the bus and closes the rows") {
  auto s = one_channel();
  s.refresh = model::DramRefresh::kAll;
  s.refresh_interval_ticks = 500000;
  s.refresh_ticks = 50000;
  constexpr std::uint64_t kReads = 40000;
  Dram without(one_channel()), with(s);
  // As fast as the bus takes them.
  const auto stream = [&](Dram& d) {
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < kReads; ++i)
      last = std::max(last, d.read(i, 4, i * 4 * s.burst_ticks));
    return static_cast<double>(last);
  };
  CHECK(stream(with) == Approx(stream(without) / 0.9).epsilon(0.02));
  CHECK(with.bus_ticks()[0] == kReads * 4 * s.burst_ticks);  // refreshes are not data
  // One read at a time: at once between refreshes, behind one that is under way.
  Dram d(s);
  CHECK(d.read(0, 1, 1000) == 1000 + s.burst_ticks);
  CHECK(d.read(1, 1, 499999 - s.burst_ticks) == 499999);
  CHECK(d.activations() == 1);
  CHECK(d.read(2, 1, 500000) == 550000 + s.burst_ticks);
  CHECK(d.activations() == 2);
  CHECK(d.read(3, 1, 549999) >= 550000 + s.burst_ticks);
  CHECK(d.read(4, 1, 700000) == 700000 + s.burst_ticks);
  CHECK(d.activations() == 2);
  // Long idle: what came and went meanwhile costs nothing but the open row.
  CHECK(d.read(5, 1, 100 * 500000 + 60000) == 100 * 500000 + 60000 + s.burst_ticks);
  CHECK(d.activations() == 3);
}

TEST_CASE("DRAM: a refresh of one bank leaves the bus and the other banks alone") {
  auto s = one_channel(2);
  s.map = model::DramMap::kPlain;  // rows by turns: bank 0, bank 1
  s.refresh = model::DramRefresh::kBank;
  s.refresh_interval_ticks = 500000;
  s.refresh_ticks = 20000;
  Dram d(s);
  // Bank 0 is refreshed from 250,000 on, bank 1 from 500,000 on.
  CHECK(d.read(0, 1, 250000) == 270000 + s.burst_ticks);
  CHECK(d.read(kLinesARow, 1, 250000) == 250000 + s.burst_ticks);
  CHECK(d.read(0, 1, 400000) == 400000 + s.burst_ticks);
  CHECK(d.activations() == 2);
  CHECK(d.read(kLinesARow, 1, 500000) == 520000 + s.burst_ticks);
  CHECK(d.read(0, 1, 500000) == 500000 + s.burst_ticks);
  CHECK(d.activations() == 3);
}

TEST_CASE(
    "DRAM: a bank is refreshed in all channels of a device at once, in each device by its own "
    "clock") {
  Dram::Spec s = model::example_dram();
  s.channels = 4;
  s.banks = 8;
  s.devices = 2;
  s.map = model::DramMap::kPlain;
  s.refresh = model::DramRefresh::kBank;
  s.refresh_interval_ticks = 500000;
  s.refresh_ticks = 20000;
  // When the first block of each channel waits, by trying all moments of an interval.
  std::vector<std::vector<std::uint64_t>> waits(4);
  for (std::uint64_t now = 1000000; now < 1500000; now += 5000)
    for (std::uint64_t channel = 0; channel < 4; ++channel) {
      Dram d(s);
      if (d.read(channel * s.interleave_lines, 1, now) > now + s.burst_ticks)
        waits[channel].push_back(now);
      CHECK((d.refresh_wait() > 0) == (!waits[channel].empty() && waits[channel].back() == now));
    }
  for (const auto& w : waits) CHECK(w.size() == 4);  // 20,000 of 500,000
  CHECK(waits[0] == waits[1]);
  CHECK(waits[2] == waits[3]);
  CHECK(waits[0] != waits[2]);
}

TEST_CASE("DRAM: channels are refreshed one after the other") {
  Dram::Spec s = model::example_dram();
  s.channels = 4;
  s.map = model::DramMap::kPlain;
  s.refresh = model::DramRefresh::kAll;
  s.refresh_interval_ticks = 400000;
  s.refresh_ticks = 40000;
  for (std::uint64_t channel = 0; channel < 4; ++channel) {
    Dram d(s);
    const std::uint64_t due = 100000 * (channel + 1), line = 2 * channel;
    CHECK(d.read(line, 1, due - 10000) == due - 10000 + s.burst_ticks);
    CHECK(d.read(line, 1, due) == due + 40000 + s.burst_ticks);
  }
}
