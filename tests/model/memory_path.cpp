// The way between SMs and DRAM in time: unloaded latencies, and what waits for what under load.
#include "model/interconnect/memory_path.hpp"

#include <algorithm>
#include <vector>

#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/interconnect/spec.hpp"
#include "tests/catch.hpp"
#include "tests/model/example_specs.hpp"

using namespace warpmem;
using model::kTicks;
using model::MemoryPath;

namespace {

// Without what differs from line to line.
MemoryPath::Spec even() {
  MemoryPath::Spec s = model::example_path();
  s.near_spread = s.dram_spread = s.dram_tail = 0;
  return s;
}

std::uint64_t line_of(std::uint64_t i) { return i * 0x9e3779b97f4a7c15ull >> 30; }

// The first so many sectors of a line.
std::uint8_t first(std::uint32_t sectors) { return static_cast<std::uint8_t>((1u << sectors) - 1); }

MemoryPath::Read read_of(int sm, std::uint64_t line, std::uint32_t sectors) {
  MemoryPath::Read r;
  r.sm = sm;
  r.line = line;
  r.sectors = first(sectors);
  return r;
}

MemoryPath::Write write_of(int sm, std::uint64_t line, std::uint32_t sectors) {
  MemoryPath::Write w;
  w.sm = sm;
  w.line = line;
  w.sectors = sectors;
  return w;
}

// Cycles that so many ticks are, rounded up.
std::uint64_t cycles(std::uint64_t ticks) { return (ticks + kTicks - 1) / kTicks; }

void near_to(std::uint64_t value, double expected, double tolerance = 0.03) {
  CHECK(static_cast<double>(value) == Approx(expected).epsilon(tolerance));
}

}  // namespace

TEST_CASE("an unloaded read takes its latencies and its way through the ports") {
  const auto s = even();
  for (std::uint32_t sectors = 1; sectors <= 4; ++sectors)
    for (std::uint64_t now : {std::uint64_t{0}, std::uint64_t{1000003}}) {
      const std::uint64_t port = cycles(sectors * s.receive_ticks),
                          bus = cycles(sectors * s.dram.burst_ticks);
      const auto takes = [&](std::uint32_t crossing, std::uint32_t fetched, std::uint64_t latency,
                             std::uint64_t most) {
        MemoryPath path(s);
        auto r = read_of(3, 12345, sectors);
        r.crossing = first(crossing);
        r.home = crossing ? 1 : 0;
        r.fetched = first(fetched);
        const std::uint64_t took = path.read(r, now) - now;
        CHECK(took >= latency);
        CHECK(took <= latency + most);
        CHECK(path.ready(3) <= now);  // nobody is held up
      };
      takes(0, 0, s.near_cycles, port);
      takes(sectors, 0, s.near_cycles + s.far_cycles, port);
      takes(0, sectors, s.near_cycles + s.dram_cycles, port + bus);
      takes(sectors, sectors, s.near_cycles + s.far_cycles + s.dram_cycles, port + bus);
    }
}

TEST_CASE("lines differ by no more than the spreads say, and always by the same") {
  const MemoryPath::Spec s = model::example_path();
  MemoryPath path(s);
  std::uint64_t least = ~std::uint64_t{0}, most = 0, longest = 0;
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const std::uint64_t now = i * 10000;
    auto r = read_of(0, line_of(i), 1);
    const std::uint64_t hit = path.read(r, now) - now;
    least = std::min(least, hit), most = std::max(most, hit);
    REQUIRE(path.read(r, now + 5000) - now - 5000 == hit);
    // What came while the last one waited is there again.
    r.line = line_of(i + 5000);
    r.fetched = 1;
    longest = std::max(longest, path.read(r, now + 7000) - now - 7000);
  }
  CHECK(least >= s.near_cycles);
  CHECK(least <= s.near_cycles + 2);
  CHECK(most <= s.near_cycles + s.near_spread + 1);
  CHECK(most >= s.near_cycles + s.near_spread - 2);
  // One miss in eight takes up to the tail more.
  CHECK(longest > s.near_cycles + s.dram_cycles + s.dram_tail / 2);
  CHECK(longest <= s.near_cycles + s.near_spread + s.dram_cycles + s.dram_spread + s.dram_tail +
                       cycles(s.dram.burst_ticks) + 1);
}

TEST_CASE("all SMs on one line get what one slice gives") {
  const auto s = even();
  for (const std::uint32_t sectors : {1u, 4u}) {
    MemoryPath path(s);
    constexpr std::uint64_t kRounds = 20;
    std::uint64_t last = 0;
    for (std::uint64_t i = 0; i < kRounds; ++i)
      for (std::uint32_t sm = 0; sm < s.sms; ++sm)
        last = std::max(last, path.read(read_of(static_cast<int>(sm), 77, sectors), 0));
    const double work =
        static_cast<double>(kRounds * s.sms * (s.read_ticks + sectors * s.read_sector_ticks)) /
        kTicks;
    near_to(last - s.near_cycles, work);
  }
}

TEST_CASE("one SM gets and sends no more than its ports carry") {
  const auto s = even();
  constexpr std::uint64_t kLines = 3000;
  MemoryPath path(s);
  std::uint64_t last = 0;
  for (std::uint64_t i = 0; i < kLines; ++i)
    last = std::max(last, path.read(read_of(5, line_of(i), 4), 0));
  near_to(last - s.near_cycles, static_cast<double>(kLines * 4 * s.receive_ticks) / kTicks);
  // Another SM's port is its own.
  CHECK(path.read(read_of(6, line_of(kLines), 4), last) <=
        last + s.near_cycles + cycles(4 * s.receive_ticks));

  path.clear();
  for (std::uint64_t i = 0; i < kLines; ++i) path.write(write_of(5, line_of(i), 4), 0);
  CHECK(static_cast<double>(path.sent()) >=
        0.97 * static_cast<double>(kLines * 4 * s.send_ticks) / kTicks);
}

TEST_CASE("a queue of stores beyond its room holds up the SM that feeds it, of reads nobody") {
  const auto s = even();
  MemoryPath path(s);
  const std::uint64_t each = 4 * s.send_ticks;  // the SM's own port is slower than the slice
  const std::uint64_t fits = std::uint64_t{s.queue_cycles} * kTicks / each / 2;
  for (std::uint64_t i = 0; i < fits; ++i) path.write(write_of(1, 77, 4), 0);
  CHECK(path.ready(1) == 0);
  for (std::uint64_t i = 0; i < 10 * fits; ++i) path.write(write_of(1, 77, 4), 0);
  const std::uint64_t held = path.ready(1);
  // Until what is there fits again.
  near_to(held, static_cast<double>(11 * fits * each) / kTicks - s.queue_cycles, 0.05);
  for (std::uint64_t i = 0; i < 10 * fits; ++i) path.write(write_of(1, 77, 4), 0);
  CHECK(path.ready(1) > held);
  CHECK(path.ready(0) == 0);
  // Their lines have room in the L1 (kernels/micro/issue_misses.cu).
  for (std::uint64_t i = 0; i < 100 * fits; ++i) path.read(read_of(2, 78, 4), 0);
  CHECK(path.ready(2) == 0);
}

TEST_CASE("a store that finds no room stays in its SM") {
  const auto s = even();
  MemoryPath path(s);
  path.write(write_of(0, 77, 4), 1000);
  CHECK(path.sent() == 1000);
  for (int sm = 0; sm < 132; ++sm)
    for (int i = 0; i < 10; ++i) path.write(write_of(sm, 77, 4), 1000);
  CHECK(path.sent() > 1000 + s.queue_cycles);
}

TEST_CASE("an unloaded write reaches its slice, its own side's or the other's") {
  const auto s = even();
  MemoryPath path(s);
  const std::uint64_t near = path.write(write_of(0, 77, 4), 0);
  CHECK(near >= s.near_cycles / 2);
  CHECK(near <= s.near_cycles / 2 + 1 + cycles(s.write_ticks + 4 * s.write_sector_ticks));
  auto far = write_of(0, 77, 4);
  far.home = 1;
  path.clear();
  CHECK(path.write(far, 0) >= near + s.far_cycles / 2 - 1);
  // A partly written sector keeps the slice longer.
  auto partial = write_of(0, 77, 4);
  partial.partial = 4;
  path.clear();
  CHECK(path.write(partial, 0) > near);
  // What rides with an earlier store costs nothing.
  CHECK(path.write(write_of(0, 77, 0), 500) == 500);
}

TEST_CASE("atomics on one sector follow each other, those on many lines do not") {
  const auto s = even();
  const auto time = [&](bool spread, std::uint32_t passes, std::uint32_t partly = 0) {
    MemoryPath path(s);
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < 20 * s.sms; ++i) {
      MemoryPath::Write w;
      w.sm = static_cast<int>(i % s.sms);
      w.line = spread ? line_of(i) : 77;
      w.atomic = passes;
      w.partly = partly;
      w.returns = true;
      last = std::max(last, path.write(w, 0));
    }
    return last - s.near_cycles;
  };
  const auto serial = [&](std::uint32_t passes, std::uint32_t partly = 0) {
    return static_cast<double>(20 * s.sms *
                               (passes * s.atomic_pass_ticks + partly * s.atomic_part_ticks)) /
           kTicks;
  };
  near_to(time(false, 1), serial(1));
  near_to(time(false, 8), serial(8));
  near_to(time(false, 8, 3), serial(8, 3));
  CHECK(time(true, 1) * 10 < time(false, 1));
}

TEST_CASE("a sum of floats waits for the one before in its sector, not in others") {
  // Slice cycles of 8,448 warps' additions to the same words on an H100
  // (cards/gpus/h100/atomic_words.csv, lanes=32 turn=0): all lanes on one word, on two and on eight
  // of a sector, and each on its own of a line.
  struct Case {
    bool floats;
    std::uint32_t sectors, passes, partly, slice_cycles;
  };
  constexpr Case kMeasured[] = {{true, 1, 32, 32, 815595},  {true, 1, 16, 16, 409949},
                                {true, 1, 4, 0, 105747},    {true, 4, 1, 0, 40878},
                                {false, 1, 32, 32, 343294}, {false, 4, 1, 0, 37816}};
  const auto loaded = model::load_card("h200");
  REQUIRE(loaded.ok());
  const model::Card& card = *loaded;
  const MemoryPath::Spec s = model::spec_of<model::MemoryPathSpec>(card);
  for (const Case& c : kMeasured) {
    INFO(c.floats << ' ' << c.sectors << ' ' << c.passes);
    MemoryPath path(s);
    std::uint64_t last = 0;
    for (std::uint32_t i = 0; i < 8448; ++i)
      for (std::uint32_t k = 0; k < c.sectors; ++k) {
        MemoryPath::Write w;
        w.sm = static_cast<int>(i % s.sms);
        w.line = 77;
        w.atomic = c.passes;
        w.partly = c.partly;
        w.together = c.floats ? c.sectors : 0;
        last = std::max(last, path.write(w, 0));
      }
    const double slice = static_cast<double>(last) * 0.864;
    // 3,500 are a launch that does nothing (small_grids.csv).
    CHECK(slice == Approx(c.slice_cycles - 3500.0).epsilon(0.13));
  }
}

TEST_CASE("an atomic without a result is not waited for on its way back") {
  const auto s = even();
  MemoryPath path(s);
  MemoryPath::Write w;
  w.line = 77;
  w.atomic = 1;
  const std::uint64_t there = path.write(w, 0);
  w.returns = true;
  path.clear();
  CHECK(path.write(w, 0) >= there + s.near_cycles / 2);
}

TEST_CASE("no place gives away more than its time") {
  const MemoryPath::Spec s = model::example_path();
  for (const std::uint32_t fetched : {0u, 2u})
    for (const bool far : {false, true}) {
      MemoryPath path(s);
      constexpr std::uint64_t kReads = 200000;
      std::uint64_t last = 0;
      for (std::uint64_t i = 0; i < kReads; ++i) {
        auto r = read_of(static_cast<int>(i % s.sms), line_of(i), 2);
        r.near = static_cast<int>(i / s.sms & 1);
        r.home = far ? 1 - r.near : r.near;
        r.crossing = first(far ? 2 : 0);
        r.fetched = first(fetched);
        last = std::max(last, path.read(r, 0));
      }
      INFO("fetched " << fetched << (far ? ", far" : ", near"));
      const double time = static_cast<double>(last) * kTicks;
      const double slice_work =
          static_cast<double>(kReads) * (s.read_ticks + 2 * s.read_sector_ticks) * (far ? 2 : 1);
      CHECK(slice_work <= time * s.slices);
      CHECK(static_cast<double>(kReads * 2 * s.receive_ticks) <= time * s.sms);
      CHECK(static_cast<double>(kReads * fetched * s.dram.burst_ticks) <= time * s.dram.channels);
      // And scattered lines use most of what limits them.
      if (!fetched) CHECK(slice_work >= 0.6 * time * s.slices);
      if (fetched)
        CHECK(static_cast<double>(kReads * s.dram.activate_ticks) >= 0.6 * time * s.dram.channels);
    }
}

TEST_CASE("an SM's port to its cluster serves one access after the other, each SM's its own") {
  MemoryPath path(even());
  constexpr std::uint64_t kTicksEach = 485;  // four sectors, 7.6 cycles
  std::uint64_t last = 0;
  for (int i = 0; i < 1001; ++i) last = path.remote(7, 4, kTicksEach, 50);
  near_to(last - 50, 1000.0 * kTicksEach / kTicks, 0.005);
  CHECK(path.remote(8, 4, kTicksEach, 50) == 50);
  path.clear();
  CHECK(path.remote(7, 4, kTicksEach, 50) == 50);
}

TEST_CASE("the host link is shared by all SMs") {
  const auto s = even();
  MemoryPath path(s);
  CHECK(path.host(0, 1, 100) == 100 + s.host_cycles);
  path.clear();
  std::uint64_t last = 0;
  for (int i = 0; i < 1000; ++i) last = path.host(i % 132, 4, 0);
  near_to(last - s.host_cycles, 999.0 * 4 * s.host_sector_ticks / kTicks);
  CHECK(path.ready(0) > 0);
}

TEST_CASE("who reads a line on its way waits for it, and nobody else") {
  const auto s = even();
  for (const bool crosses : {false, true})
    for (const bool fetches : {false, true}) {
      if (!crosses && !fetches) continue;
      MemoryPath path(s);
      MemoryPath::Read miss = read_of(3, 12345, 2);
      miss.home = crosses ? 1 : 0;
      miss.crossing = first(crosses ? 2 : 0);
      miss.fetched = first(fetches ? 2 : 0);
      const std::uint64_t back = path.read(miss, 1000);
      const auto hit = [&](std::uint64_t line, std::uint8_t sectors, std::uint64_t now) {
        MemoryPath::Read r = miss;
        r.sm = 4;
        r.line = line;
        r.sectors = sectors;
        r.crossing = r.fetched = 0;
        return path.read(r, now);
      };
      INFO((crosses ? "from the other side" : "") << (fetches ? " from DRAM" : ""));
      // The same half of the line: back with the first, however late it asked.
      CHECK(hit(12345, 1, 1010) >= back - 1);
      CHECK(hit(12345, 3, 1200) >= back - 1);
      CHECK(hit(12345, 3, 1200) <=
            std::max<std::uint64_t>(back, 1200 + s.near_cycles) + cycles(4 * s.receive_ticks));
      // The other half, another line, or a time when it is there: its own latency.
      CHECK(hit(12345, 12, 1010) < back - 100);
      CHECK(hit(54321, 3, 1010) < back - 100);
      CHECK(hit(12345, 3, back) <= back + s.near_cycles + cycles(2 * s.receive_ticks));
      if (!crosses) continue;
      // At home the line is there as soon as it has left for the other side.
      MemoryPath::Read at_home = miss;
      at_home.sm = 5;
      at_home.near = 1;
      at_home.crossing = at_home.fetched = 0;
      const std::uint64_t there = path.read(at_home, 1020);
      CHECK(there <= back + cycles(2 * s.receive_ticks));
      if (!fetches) CHECK(there < back - 100);
    }
}

TEST_CASE("a store of less than a whole line costs its SM's port a header") {
  const auto s = even();
  const auto sends = [&](std::uint32_t sectors, std::uint32_t partial, bool opens) {
    MemoryPath path(s);
    constexpr std::uint64_t kStores = 500;
    for (std::uint64_t i = 0; i < kStores; ++i) {
      auto w = write_of(0, line_of(i), sectors);
      w.partial = partial;
      w.opens = opens;
      path.write(w, 0);
    }
    return static_cast<double>(path.sent()) / (kStores - 1);
  };
  // Sectors in whole lines are what the port is rated by.
  CHECK(sends(4, 0, true) == Approx(4.0).epsilon(0.01));
  CHECK(sends(1, 1, true) == Approx(2.15).epsilon(0.02));
  CHECK(sends(4, 4, true) == Approx(5.15).epsilon(0.02));
  CHECK(sends(1, 1, false) == Approx(1.0).epsilon(0.01));  // rides along
}

TEST_CASE("a cleared path is as new") {
  const MemoryPath::Spec s = model::example_path();
  MemoryPath used(s), fresh(s);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    auto r = read_of(static_cast<int>(i % 4), line_of(i % 8), 4);
    r.fetched = first(4);
    used.read(r, 0);
    used.write(write_of(static_cast<int>(i % 4), line_of(i), 4), 0);
    used.write_back({0, line_of(i), 2, 4}, 0);
    used.host(0, 4, 0);
  }
  CHECK(used.ready(0) > 0);
  used.clear();
  CHECK(used.ready(0) == 0);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    auto r = read_of(static_cast<int>(i % 4), line_of(i), 4);
    r.fetched = first(2);
    REQUIRE(used.read(r, i) == fresh.read(r, i));
  }
}

TEST_CASE("the hash of the slices covers them all evenly, however many, whatever the stride") {
  for (const std::uint32_t slices : {2u, 4u, 12u, 20u, 48u, 80u, 96u, 112u, 192u}) {
    auto s = even();
    s.slices = slices;
    const MemoryPath path(s);
    const std::uint32_t a_side = slices / 2;
    for (unsigned bit = 0; bit < 20; ++bit) {
      std::vector<std::uint64_t> lines(a_side);
      const std::uint64_t each = 1000;
      for (std::uint64_t i = 0; i < each * a_side; ++i) {
        const std::uint32_t slice = path.address_of(i << bit).slice;
        ++lines.at(slice);
      }
      INFO(slices << " slices, every " << (1u << bit) << ". line");
      const auto [least, most] = std::minmax_element(lines.begin(), lines.end());
      CHECK(*least > each / 2);
      CHECK(*most < each * 3 / 2);
    }
  }
}

TEST_CASE("both maps of DRAM cover every channel and every bank of it") {
  for (const auto map : {model::DramMap::kHashed, model::DramMap::kPlain})
    for (const std::uint32_t channels : {1u, 3u, 6u, 12u, 64u, 80u, 192u})
      for (const std::uint32_t banks : {4u, 16u, 64u}) {
        auto s = even();
        s.dram.map = map;
        s.dram.channels = channels;
        s.dram.banks = banks;
        const MemoryPath path(s);
        std::vector<std::uint64_t> lines(std::size_t{channels} * banks);
        std::uint64_t elsewhere = 0;  // banks of another channel
        // Enough rows that each bank would have sixteen of them.
        const std::uint64_t a_row = s.dram.row_bytes / 128, count = lines.size() * a_row * 16;
        for (std::uint64_t line = 0; line < count; ++line) {
          const auto spot = path.address_of(line).dram;
          elsewhere += spot.bank / banks != spot.channel;
          ++lines.at(spot.bank);
        }
        INFO(channels << " channels of " << banks << " banks, "
                      << (map == model::DramMap::kPlain ? "plain" : "hashed"));
        const auto [least, most] = std::minmax_element(lines.begin(), lines.end());
        CHECK(elsewhere == 0);
        CHECK(*least > 0);
        CHECK(*most < 4 * count / lines.size());
      }
}
