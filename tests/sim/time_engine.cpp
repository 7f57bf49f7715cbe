// The time engine on kernels whose time can be said beforehand. Properties, with slack: the card's
// numbers may move with the next measurement.
#include <thread>

#include "sim/engine/barrier_waits.hpp"
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// A loop of one load, at 0x10; `dependent`: each takes its address from the one before.
Kernel loads(std::uint32_t ctas, std::uint32_t threads, bool dependent) {
  Kernel k = kernel(ctas, threads);
  k.code = lines({{"MOV R1, R2 ;"},
                  {"LDG.E.64 R4, desc[UR4][R4.64] ;", control(2, 0, kNone, dependent ? 1 : 0)},
                  {"@P0 BRA 0x10 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x10)};
  k.text.resize(1);
  return k;
}

// So many loads of one line: hits, but for the first.
Kernel chain(std::size_t length, std::uint32_t ctas = 1, std::uint32_t threads = 32,
             bool dependent = true) {
  Kernel k = loads(ctas, threads, dependent);
  k.fill = [length](Warp& w) { w.records.assign(length, regular(0, kA, 4)); };
  return k;
}

double each(std::uint64_t more, std::uint64_t less, double by) {
  return static_cast<double>(more - less) / by;
}

std::string all_of(const sim::ReplayedLaunch& l) {
  std::string out;
  for (const auto& [name, value] : l.metrics.metrics)
    out += name + " " + std::to_string(value.value) + "\n";
  out += std::to_string(l.time->cycles) + " " + std::to_string(l.time->instructions) + " " +
         std::to_string(l.time->warp_cycles);
  for (const auto w : l.time->waits) out += " " + std::to_string(w);
  return out;
}

// A kernel with a bit of everything: loops, shared memory, barriers, atomics, stores that partly
// meet.
Kernel mixture() {
  Kernel k = kernel(300, 128);
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"STS [R5], R4 ;", control(1, kNone, 1, 1)},
                  {"BAR.SYNC 0x0 ;", control(5)},
                  {"LDS R6, [R5] ;", control(2, 2)},
                  {"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R6 ;", control(2, kNone, 3, 4)},
                  {"STG.E desc[UR4][R2.64], R6 ;", control(2, kNone, 3, 4)},
                  {"@P0 BRA 0x0 ;", control(5)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00),
             {0x10, Op::kStore, Space::kShared, 4},
             {0x20, Op::kBarrier, Space::kNone, 0},
             {0x30, Op::kLoad, Space::kShared, 4},
             {0x40, Op::kReduction, Space::kGlobal, 4},
             {0x50, Op::kStore, Space::kGlobal, 4}};
  k.text.resize(k.sites.size());
  k.launch.static_shared = 4096;
  k.fill = [](Warp& w) {
    for (std::uint64_t i = 0; i < 6; ++i) {
      const std::uint64_t at = ((w.cta * 4 + w.warp) * 6 + i) * 128;
      w.records.push_back(i % 2 ? regular(0, kA + at, 4) : listed(w, 0, kLanes, [&](unsigned l) {
        return kA + (at * 7 + l * 4096) % (8 << 20);
      }));
      w.records.push_back(regular(1, w.warp * 128, 4));
      w.records.push_back(regular(2, 0, 0));
      w.records.push_back(regular(3, w.warp * 128, static_cast<std::int32_t>(4 << i)));
      w.records.push_back(regular(4, kB + at % 4096, 4));
      w.records.push_back(regular(5, kB + (1 << 24) + at, 8));
    }
  };
  return k;
}

}  // namespace

TEST_CASE("time: a chain of dependent L1 hits costs their latency each, independent ones overlap") {
  const auto latency = static_cast<double>(h200().numbers().latency_l1);
  const double dependent = each(cycles(chain(401)), cycles(chain(1)), 400);
  CHECK(dependent >= latency);
  CHECK(dependent <= latency + 8);
  const double independent =
      each(cycles(chain(401, 1, 32, false)), cycles(chain(1, 1, 32, false)), 400);
  CHECK(independent * 3 < dependent);
}

TEST_CASE("time: a miss is waited for longer than a hit, and said to be waited for") {
  Kernel misses = loads(1, 32, true);
  misses.fill = [](Warp& w) {
    for (std::uint64_t i = 0; i < 200; ++i) w.records.push_back(regular(0, kA + i * 4096, 4));
  };
  const auto missed = *timed(misses, h200()).time;
  const auto hit = *timed(chain(200), h200()).time;
  const auto n = h200().numbers();
  CHECK(missed.cycles - hit.cycles > 199 * (n.latency_l2_near + n.latency_dram - n.latency_l1));
  CHECK(waited(missed, sim::Wait::kMemory) * 10 > missed.warp_cycles * 8);
  CHECK(waited(hit, sim::Wait::kL1) * 10 > 199 * n.latency_l1 * 7);
}

TEST_CASE("time: other warps hide a latency until something is full") {
  // Eight times the warps, eight times the hits: hardly longer.
  const std::uint64_t one = cycles(chain(300)), eight = cycles(chain(300, 1, 256));
  CHECK(eight < one + 300 * 8);
  // 32 warps of whole lines keep the load/store unit busy all the time: a cycle a hit at least.
  const std::uint64_t full = cycles(chain(300, 1, 1024));
  CHECK(full >= 300 * 32);
  CHECK(full >= eight);
}

TEST_CASE("time: a barrier waits for its last warp") {
  Kernel k = kernel(1, 128);
  k.code = lines({{"LDG.E.64 R4, desc[UR4][R4.64] ;", control(2, 0, kNone, 1)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"BAR.SYNC 0x0 ;", control(5)},
                  {"LDG.E.64 R4, desc[UR4][R4.64] ;", control(2, 0, kNone, 1)},
                  {"@P0 BRA 0x30 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00), {0x20, Op::kBarrier, Space::kNone, 0}, load_at(0x30)};
  k.text.resize(3);
  constexpr std::uint64_t kLong = 400;
  // Warp 0 comes late, warp 1 has much to do afterwards.
  const auto fill = [](bool barrier) {
    return [barrier](Warp& w) {
      if (w.warp == 0) w.records.assign(kLong, regular(0, kA, 4));
      if (barrier) w.records.push_back(regular(1, 0, 0));
      if (w.warp == 1)
        for (std::uint64_t i = 0; i < kLong; ++i) w.records.push_back(regular(2, kB, 4));
      if (w.records.empty()) w.records.push_back(regular(0, kA, 4));
    };
  };
  k.fill = fill(true);
  const auto with = *timed(k, h200()).time;
  k.fill = fill(false);
  const auto without = *timed(k, h200()).time;
  const std::uint64_t phase = kLong * h200().numbers().latency_l1;
  CHECK(with.cycles > without.cycles + phase * 9 / 10);
  // Three warps stood there for a phase.
  CHECK(waited(with, sim::Wait::kBarrier) > 3 * phase * 9 / 10);
  CHECK(waited(without, sim::Wait::kBarrier) == 0);
  CHECK(with.forced.count == 0);
}

TEST_CASE("time: a barrier that nobody else will reach is opened, and counted") {
  Kernel k = kernel(1, 64);
  const auto bar = k.site(Op::kBarrier, Space::kNone, 0);
  // Warp 0 waits for 96 threads at one barrier, warp 1 at another.
  k.fill = [=](Warp& w) { w.records = {regular(bar, w.warp, 64)}; };
  const auto t = timed(k, h200());
  CHECK(t.time->forced.count > 0);
  CHECK(t.counters.records == 2);
  const std::string waits = "CTA 0 on SM 124: of 2 warps 1 at barrier 0, 1 at barrier 1";
  CHECK(t.time->forced.stuck == waits);
  REQUIRE_FALSE(t.notes.empty());
  CHECK(t.notes.back() ==
        "barriers opened by force: 2; before the first of them nobody could go on: " + waits);
}

TEST_CASE("time: what waits for what names the first few CTAs, and those at no barrier") {
  Kernel k = kernel(5, 96);
  const auto bar = k.site(Op::kBarrier, Space::kNone, 0);
  k.fill = [=](Warp& w) { w.records = {regular(bar, w.warp / 2, 96)}; };
  const auto t = timed(k, h200());
  CHECK(t.time->forced.stuck.find("of 3 warps 2 at barrier 0, 1 at barrier 1; CTA ") !=
        std::string::npos);
  CHECK(t.time->forced.stuck.find("; and 2 more CTAs") != std::string::npos);
}

TEST_CASE("an engine that is stuck says what waits for what, and that it is our fault") {
  sim::BarrierWaits warps;
  warps.left = 4;
  warps.at[0] = 1;
  warps.at[7] = 2;
  sim::AllBarrierWaits all;
  all.add(12, 3, warps);
  const Error e = sim::nobody_can_go_on(all.text(), "t.wmt");
  CHECK(exit_status(e.kind) == 70);
  CHECK(e.text() ==
        "t.wmt: no warp can go on: CTA 12 on SM 3: of 4 warps 1 at barrier 0, 2 at barrier 7, 1 at "
        "none\n  fix: please report this with the trace");
}

TEST_CASE("time: launches of several kernels on several cards at once are what each is alone") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {mixture(), chain(50, 264, 64), mixture()});
  const auto reader = open(folder.file("t.wmt"));
  model::Card slow = h200();
  must(slow.set("latency.dram", "900"));
  const model::Card fast = h200();
  const auto cycles_of = [&](const model::Card& card, unsigned threads) {
    sim::ReplayOptions replay;
    replay.time = true;
    replay.threads = threads;
    const auto result = sim::replay(reader, card, replay);
    std::vector<std::uint64_t> out;
    if (result)
      for (const auto& launch : result->details) out.push_back(launch.time->cycles);
    return out;
  };
  const auto on_slow = cycles_of(slow, 1), on_fast = cycles_of(fast, 1);
  REQUIRE(on_slow.size() == 3);
  CHECK(on_slow[0] != on_slow[1]);
  CHECK(on_slow[0] == on_slow[2]);
  CHECK(on_slow[0] > on_fast[0]);
  for (int round = 0; round < 3; ++round) {
    std::vector<std::uint64_t> at_once[4];
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i)
      threads.emplace_back([&, i] { at_once[i] = cycles_of(i % 2 ? fast : slow, i); });
    for (auto& t : threads) t.join();
    for (unsigned i = 0; i < 4; ++i) CHECK(at_once[i] == (i % 2 ? on_fast : on_slow));
  }
}

TEST_CASE("time: costs far beyond what the calendars look ahead to are kept to the cycle") {
  Kernel k = kernel(1, 32);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E R4, desc[UR4][R4.64] ;");
  k.fill = [=](Warp& w) {
    for (std::uint64_t i = 0; i < 4; ++i) w.records.push_back(regular(ld, kA, 4));
  };
  const auto with = [&](std::uint64_t latency) {
    model::Card card = h200();
    must(card.set("latency.dram", std::to_string(latency)));
    return timed(k, card).time->cycles;
  };
  // One miss: the others hit.
  CHECK(with(1000000) - with(1000) == 999000);
}

TEST_CASE("time: more CTAs than fit run in waves") {
  const auto n = h200().numbers();
  const auto sms = static_cast<std::uint32_t>(n.sm_count);
  // 1,024 threads: two CTAs an SM; one warp of each has work, so that they don't slow each other
  // down.
  const auto wave = [&](std::uint32_t waves) {
    Kernel k = loads(2 * sms * waves, 1024, true);
    k.fill = [](Warp& w) { w.records.assign(w.warp == 0 ? 500 : 1, regular(0, kA, 4)); };
    return cycles(k);
  };
  const std::uint64_t one = wave(1), two = wave(2), four = wave(4);
  const auto phase = static_cast<double>(500 * n.latency_l1);
  CHECK(static_cast<double>(two - one) > 0.9 * phase);
  CHECK(static_cast<double>(two - one) < 1.5 * phase);
  CHECK(static_cast<double>(four - two) > 1.8 * phase);
  CHECK(static_cast<double>(four - two) < 3 * phase);
}

TEST_CASE("time: a launch of nothing costs its launch") {
  Kernel k = kernel(1, 32);
  const auto begin = k.site(Op::kCtaBegin, Space::kNone, 0),
             end = k.site(Op::kCtaEnd, Space::kNone, 0);
  k.fill = [=](Warp& w) { w.records = {regular(begin, 0, 0), regular(end, 0, 0)}; };
  const auto n = h200().numbers();
  const auto t = timed(k, h200());
  CHECK(t.time->cycles >= n.time_launch_cycles);
  CHECK(t.time->cycles <= n.time_launch_cycles + n.time_cta_cycles + n.time_first_cycles + 100);
  CHECK(t.metrics.metrics.at("sm__cycles_elapsed.max").value ==
        static_cast<double>(t.time->cycles));
  // Each CTA more takes its time to be given out.
  k.launch.grid = {20000, 1, 1};
  const double cta = each(cycles(k), t.time->cycles, 20000);
  CHECK(cta == Approx(static_cast<double>(n.time_cta_millicycles) / 1000).epsilon(0.05));
}

TEST_CASE("time: an execution pipe bounds a long run of its instructions") {
  std::vector<Line> text(256, Line{"MUFU.RCP R4, R5 ;"});
  text.push_back({"STG.E desc[UR4][R2.64], R5 ;"});
  text.push_back({"EXIT ;"});
  const auto run = [&](std::uint32_t warps, const std::vector<Line>& code) {
    Kernel k = kernel(1, warps * 32);
    k.code = lines(code);
    k.sites = {{256 * 16, Op::kStore, Space::kGlobal, 4}};
    k.text.resize(1);
    k.fill = [](Warp& w) { w.records = {regular(0, kB + w.warp * 128, 4)}; };
    return *timed(k, h200()).time;
  };
  // A quarter of the special function units each: eight cycles an instruction of a warp.
  const auto one = run(4, text), eight = run(32, text);
  CHECK(one.cycles > 256 * 8);
  CHECK(each(eight.cycles, one.cycles, 7 * 256) == Approx(8).epsilon(0.1));
  CHECK(waited(eight, sim::Wait::kPipe) + waited(eight, sim::Wait::kIssue) > 256 * 8 * 16);
  CHECK(one.instructions == 4 * 257);
  // Instructions of another pipe take no turn of this one.
  for (std::size_t i = 0; i < 256; ++i) text[i].text = "FFMA R4, R5, R6, RZ ;";
  CHECK(each(run(32, text).cycles, run(4, text).cycles, 7 * 256) < 2);
}

TEST_CASE("time: streaming from DRAM is as fast as DRAM, not faster") {
  // 1,056 CTAs of 8 warps read 17 MB, sixteen lines under way each; the last thing they do waits
  // for all.
  Kernel k = kernel(1056, 256);
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"STS [R5], R4 ;", control(1, kNone, kNone, 1)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00), {0x20, Op::kStore, Space::kShared, 4}};
  k.text.resize(2);
  k.fill = [](Warp& w) {
    for (std::uint64_t i = 0; i < 16; ++i)
      w.records.push_back(regular(0, kA + ((i * 1056 + w.cta) * 8 + w.warp) * 128, 4));
    w.records.push_back(regular(1, 0, 4));
  };
  const auto t = timed(k, h200());
  const auto n = h200().numbers();
  const double sectors = static_cast<double>(t.counters.l2.dram_read);
  const double least = sectors * 1000 / static_cast<double>(n.dram_sectors_per_kilocycle);
  const auto busy = static_cast<double>(t.time->cycles - n.time_launch_cycles);
  CHECK(busy > least);
  CHECK(busy < 2 * least + 2000);
}

TEST_CASE("time: a trace without a program section is timed all the same, and said to be") {
  Kernel k = chain(50, 264, 64);
  k.code.clear();
  const auto t = timed(k, h200());
  CHECK(t.counters.records == 264 * 2 * 50);
  CHECK(t.time->cycles > 50 * h200().numbers().latency_l1);
  bool said = false;
  for (const std::string& note : t.notes)
    said |= note.find("no program section") != std::string::npos;
  CHECK(said);
}

TEST_CASE("time: PTX is timed with waits worked out from its registers") {
  const auto ptx = [](const char* address) {
    Kernel k = kernel(1, 32);
    k.level = trace::Level::kPtx;
    for (std::uint32_t i = 0; i < 100; ++i) {
      k.code.push_back({16 * i, std::string("ld.global.u64 %rd1, [") + address + "];", 0, 0});
      k.sites.push_back({16 * i, Op::kLoad, Space::kGlobal, 8});
    }
    k.text.resize(100);
    k.fill = [](Warp& w) {
      for (std::uint32_t i = 0; i < 100; ++i) w.records.push_back(regular(i, kA, 0));
    };
    return cycles(k);
  };
  CHECK(ptx("%rd1") > ptx("%rd2") + 90 * (h200().numbers().latency_l1 - 12));
}

TEST_CASE("time: the same trace gives the same result, however its file is cut") {
  const Kernel k = mixture();
  const auto card = h200();
  const std::string once = all_of(timed(k, card));
  CHECK(all_of(timed(k, card)) == once);
  CHECK(all_of(timed(k, card, {.piece = 7})) == once);
  CHECK(all_of(timed(k, card, {.backwards = true})) == once);
  CHECK(all_of(timed(k, card, {}, 1 << 16)) == once);
}

TEST_CASE("time: a launch leaves nothing behind for the next one") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {mixture(), mixture()});
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions with_time;
  with_time.time = true;
  const auto both = must(sim::replay(reader, h200(), with_time)).details;
  REQUIRE(both.size() == 2);
  CHECK(all_of(both[0]) == all_of(both[1]));
  with_time.launch = 1;
  const auto second = must(sim::replay(reader, h200(), with_time)).details;
  CHECK(all_of(second.at(0)) == all_of(both[1]));
}

TEST_CASE("time: warps wait no longer than they are there") {
  for (const Kernel& k : {mixture(), chain(100, 300, 256), chain(200, 1, 1024, false)}) {
    const auto t = *timed(k, h200()).time;
    std::uint64_t waits = 0;
    for (const auto w : t.waits) waits += w;
    CHECK(waits <= t.warp_cycles);
    CHECK(waits > 0);
    CHECK(t.last_cta <= t.cycles);
  }
}

TEST_CASE("time: atomics on one word take turns, on many they do not") {
  const auto atomics = [](bool one) {
    Kernel k = kernel(132, 256);
    k.code = lines({{"RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5 ;", control(2, kNone, 0)},
                    {"@P0 BRA 0x0 ;", control(4)},
                    {"EXIT ;"}});
    k.sites = {{0x00, Op::kReduction, Space::kGlobal, 4}};
    k.text.resize(1);
    k.fill = [one](Warp& w) {
      for (std::uint64_t i = 0; i < 8; ++i)
        w.records.push_back(regular(0, kA + (one ? 0 : ((w.cta * 8 + w.warp) * 8 + i) * 128),
                                    one ? 0 : 4, one ? 1 : kLanes));
    };
    return *timed(k, h200()).time;
  };
  CHECK(atomics(true).cycles > 2 * atomics(false).cycles);
}
