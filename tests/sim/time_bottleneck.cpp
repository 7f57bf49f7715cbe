// What limits a launch, in words: for each cause a small launch, or a result's numbers, with the
// cause, the place and the sentence that follow.
#include "sim/time/bottleneck.hpp"

#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using model::Resource;
using Cause = sim::Bottleneck::Cause;
using sim::Wait;

namespace {

// A launch's numbers: places in use, and warps that wait for half of their time.
sim::TimeResult result(std::vector<sim::TimeResult::Use> uses) {
  sim::TimeResult t;
  t.running = 1000;
  t.ctas = 264;
  t.warp_cycles = 132 * 8 * 1000;
  t.waits[static_cast<std::size_t>(Wait::kMemory)] = t.warp_cycles / 4 * 3;
  t.sms = t.sms_used = 132;
  t.sm_time = 1;
  t.warps_most = 64;
  t.uses = std::move(uses);
  return t;
}

sim::TimeResult::Use use(Resource place, double share, double most, std::uint32_t count,
                         std::uint32_t element = 0, std::uint32_t alike = 1) {
  return {place, share, most, element, count, alike, 0, 0};
}

// What the sentence says of a result is in its numbers.
void check_agrees(const sim::TimeResult& t, const sim::Bottleneck& b) {
  double most = 0;
  for (const auto& u : t.uses) most = std::max(most, u.most);
  CHECK(b.share == most);
  CHECK(most <= 1);
}

// Lines of which all warps load so many, each at `line(warp of the grid, i)`.
template <class F>
Kernel reads(std::uint32_t ctas, std::uint32_t threads, std::uint32_t loads, F line) {
  Kernel k = kernel(ctas, threads);
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"STS [R5], R4 ;", control(1, kNone, kNone, 1)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00), {0x20, Op::kStore, Space::kShared, 4}};
  k.text.resize(2);
  k.fill = [=](Warp& w) {
    for (std::uint64_t i = 0; i < loads; ++i)
      w.records.push_back(regular(0, kA + line(w.cta * (threads / 32) + w.warp, i) * 128, 4));
    w.records.push_back(regular(1, 0, 4));
  };
  return k;
}

}  // namespace

TEST_CASE("bottleneck: a place above the threshold limits, with the shares of the table") {
  const auto b = sim::bottleneck(result(
      {use(Resource::kDramBus, 0.881, 0.91, 188, 7, 180), use(Resource::kSlice, 0.5, 0.55, 96)}));
  CHECK(b.cause == Cause::kThroughput);
  CHECK(b.place == Resource::kDramBus);
  CHECK(b.share == 0.91);
  CHECK(b.sentence == "DRAM bus, in use 88.1 % of the time (91.0 % the busiest of 188)");
}

TEST_CASE("bottleneck: a hot slice limits, however little all slices do") {
  const auto b = sim::bottleneck(result({use(Resource::kSlice, 0.012, 0.996, 96, 85)}));
  CHECK(b.cause == Cause::kElement);
  CHECK(b.place == Resource::kSlice);
  CHECK(b.element == 85);
  CHECK(b.sentence == "L2 slice 85, in use 99.6 % of the time, 1.2 % over all 96");
}

TEST_CASE("bottleneck: of an element that is busiest and a kind that is, the larger share counts") {
  const auto t = result(
      {use(Resource::kDramBus, 0.8, 0.82, 188, 1, 188), use(Resource::kSlice, 0.1, 0.83, 96, 3)});
  CHECK(sim::bottleneck(t).place == Resource::kSlice);
  check_agrees(t, sim::bottleneck(t));
}

TEST_CASE("bottleneck: below the threshold it is latency, with what warps wait for") {
  const auto b = sim::bottleneck(result({use(Resource::kSlice, 0.46, 0.599, 96, 5)}));
  CHECK(b.cause == Cause::kLatency);
  CHECK(b.waits == Wait::kMemory);
  CHECK(b.waits_share == 0.75);
  CHECK(b.sentence ==
        "latency: no place is in use for more than 59.9 % of the time (L2 slice 5); warps wait for "
        "memory 75.0 % of their time, and 8.0 of 64 are on an SM on average");
  CHECK(sim::bottleneck(result({use(Resource::kSlice, 0.46, 0.6, 96, 5)})).cause ==
        Cause::kThroughput);
}

TEST_CASE("bottleneck: latency where few SMs have CTAs says so") {
  auto t = result({use(Resource::kL1, 0.002, 0.3, 132, 4)});
  t.sms_used = 1;
  const auto b = sim::bottleneck(t);
  CHECK(b.cause == Cause::kFewSms);
  CHECK(
      b.sentence.starts_with("latency on few SMs: 1 of 132 SMs have CTAs, and these for 100.0 %"));
  t.sms_used = 132;
  t.sm_time = 0.2;  // one CTA ran much longer than all others
  CHECK(sim::bottleneck(t).cause == Cause::kFewSms);
}

TEST_CASE("bottleneck: a small L1 is named where loads miss what it had, and it matters") {
  auto t = result({use(Resource::kPortIn, 0.8, 0.85, 132, 4, 132)});
  t.l1_bytes = 28 << 10;
  t.larger_l1 = {248 << 10, 0.45};
  CHECK(sim::bottleneck(t).cause == Cause::kSmallL1);
  CHECK(sim::bottleneck(t).sentence ==
        "SM ports, in, in use 80.0 % of the time (85.0 % the busiest of 132); shared memory leaves "
        "an L1 28 KiB of 248 KiB: 45.0 % of the lines that loads miss would be in a larger one");
  t.larger_l1->share = 0.24;
  CHECK(sim::bottleneck(t).cause == Cause::kThroughput);
  t.larger_l1->share = 0.45;
  t.uses = {use(Resource::kFma, 0.8, 0.85, 132, 4, 132)};  // what misses is not what limits
  CHECK(sim::bottleneck(t).cause == Cause::kThroughput);
  t.uses = {use(Resource::kPortIn, 0.4, 0.45, 132)};
  CHECK(sim::bottleneck(t).cause == Cause::kSmallL1);
  CHECK(sim::bottleneck(t).sentence.starts_with("small L1: shared memory leaves an L1 28 KiB"));
}

TEST_CASE("bottleneck: nothing in use is said as such") {
  CHECK(sim::bottleneck(result({})).cause == Cause::kNothing);
  CHECK_FALSE(sim::bottleneck(result({})).sentence.empty());
}

TEST_CASE("time: additions to one word make its L2 slice the bottleneck") {
  Kernel k = kernel(132, 256);
  k.code = lines({{"RED.E.ADD.F32.FTZ.RN.STRONG.GPU desc[UR4][R2.64], R6 ;", control(2)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {{0x00, Op::kReduction, Space::kGlobal, 4}};
  k.text.resize(1);
  k.fill = [](Warp& w) {
    for (int i = 0; i < 20; ++i) w.records.push_back(regular(0, kA, 0));
  };
  const auto t = *timed(k, h200()).time;
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kElement);
  CHECK(b.place == Resource::kSlice);
  CHECK(b.share > 0.9);
  CHECK(b.sentence.starts_with("L2 slice " + std::to_string(b.element) + ", in use "));
}

TEST_CASE("time: the SM that has all the work is the bottleneck") {
  Kernel k = reads(132, 256, 1, [](std::uint64_t w, std::uint64_t) { return w; });
  const auto light = k.fill;
  k.fill = [=](Warp& w) {
    if (w.cta != 3) return light(w);
    for (std::uint64_t i = 0; i < 2000; ++i) w.records.push_back(regular(0, kA + i % 4 * 128, 4));
    w.records.push_back(regular(1, 0, 4));
  };
  const auto t = *timed(k, h200()).time;
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kElement);
  CHECK(b.place == Resource::kL1);
  CHECK(b.sentence.find("L1 and shared memory of SM " + std::to_string(b.element)) == 0);
}

TEST_CASE("time: a stride of all channels on a plain map makes one channel the bottleneck") {
  const Kernel camps =
      reads(132, 256, 8, [](std::uint64_t w, std::uint64_t i) { return (i * 1056 + w) * 188 * 2; });
  model::Card plain = h200();
  must(plain.set("dram.map", "plain"));
  const auto t = *timed(camps, plain).time;
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kElement);
  REQUIRE(b.place);
  CHECK(model::is_of_channel(*b.place));
  CHECK(b.sentence.find("DRAM channel " + std::to_string(b.element)) != std::string::npos);
}

TEST_CASE("time: many CTAs that do next to nothing are bound by their starts") {
  const auto t =
      *timed(reads(20000, 32, 1, [](std::uint64_t, std::uint64_t) { return 0; }), h200()).time;
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kCtaStarts);
  CHECK(b.share > 0.9);
  CHECK(b.sentence.starts_with("CTA starts, in use 9"));
  CHECK(b.sentence.find("20,000 CTAs") != std::string::npos);
  // And the graph knows them too: nothing can be faster.
  CHECK(t.bound.cut.at(0).place == Resource::kCtaStart);
  CHECK(t.bound.cycles <= static_cast<double>(t.running));
}

TEST_CASE("time: constants at an address a lane make the constant caches the bottleneck") {
  Kernel k = kernel(132, 512);
  k.code = lines({{"LDC R4, c[0x3][R4] ;", control(2, 0, kNone, 1)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {{0x00, Op::kLoad, Space::kConstant, 4}};
  k.text.resize(1);
  const auto run = [&](std::int32_t stride) {
    k.fill = [=](Warp& w) {
      for (int i = 0; i < 64; ++i) w.records.push_back(regular(0, kA, stride));
    };
    return *timed(k, h200()).time;
  };
  const auto t = run(4);
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kConstants);
  CHECK(b.place == Resource::kConstant);
  CHECK(b.waits == Wait::kConstants);
  CHECK(b.waits_share > 0.9);
  CHECK(b.sentence.starts_with("constant caches, in use "));
  CHECK(run(0).running < t.running / 4);  // one address: no such queue
}

TEST_CASE("time: what the carve-out takes from the L1 is seen in its misses") {
  // Each SM goes over 100 KiB of its own four times; with 228 KiB of shared memory its L1 has 21
  // KiB.
  Kernel k = reads(132, 256, 400, [](std::uint64_t w, std::uint64_t i) {
    return w / 8 * 800 + (w % 8 * 100 + i % 100);
  });
  const auto own = *timed(k, h200()).time;
  CHECK_FALSE(own.larger_l1);
  k.launch.carveout = 100;
  const auto t = *timed(k, h200()).time;
  REQUIRE(t.larger_l1);
  CHECK(t.l1_bytes == 21 << 10);
  CHECK(t.larger_l1->share > 0.7);  // three of four times
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kSmallL1);
  CHECK(b.sentence.find("shared memory leaves an L1 21 KiB of") != std::string::npos);
  // What is read once, no L1 would have.
  k = reads(132, 256, 100, [](std::uint64_t w, std::uint64_t i) { return w * 100 + i; });
  k.launch.carveout = 100;
  CHECK(timed(k, h200()).time->larger_l1->share == 0);
}

TEST_CASE("time: asking what a larger L1 would have had changes no cycle and no counter") {
  Kernel k =
      reads(264, 256, 40, [](std::uint64_t w, std::uint64_t i) { return w * 7 + i % 13 * 31; });
  k.launch.carveout = 100;
  model::Card card = h200();
  const auto asked = timed(k, card);
  REQUIRE(asked.time->larger_l1);
  must(card.set("shared.configs", "228KiB"));  // no other size: nothing larger to ask for
  const auto not_asked = timed(k, card);
  REQUIRE_FALSE(not_asked.time->larger_l1);
  CHECK(asked.time->cycles == not_asked.time->cycles);
  CHECK(asked.time->waits == not_asked.time->waits);
  for (const auto& [name, value] : asked.metrics.metrics)
    CHECK(value.value == not_asked.metrics.metrics.at(name).value);
}

TEST_CASE("time: streaming from DRAM is bound by its bus") {
  const auto t =
      *timed(reads(1056, 256, 16, [](std::uint64_t w, std::uint64_t i) { return i * 8448 + w; }),
             h200())
           .time;
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kThroughput);
  CHECK(b.place == Resource::kDramBus);
}

TEST_CASE("time: a chain of loads in one warp is latency on one SM") {
  Kernel k = kernel(1, 32);
  k.code = lines({{"LDG.E R4, desc[UR4][R2.64] ;", control(2, 0, kNone, 1)},
                  {"@P0 BRA 0x0 ;", control(4)},
                  {"EXIT ;"}});
  k.sites = {load_at(0x00)};
  k.text.resize(1);
  k.fill = [](Warp& w) {
    for (std::uint64_t i = 0; i < 200; ++i) w.records.push_back(regular(0, kA + i * 1048576, 4));
  };
  const auto t = *timed(k, h200()).time;
  const auto b = sim::bottleneck(t);
  check_agrees(t, b);
  CHECK(b.cause == Cause::kFewSms);
  CHECK(b.waits == Wait::kMemory);
  CHECK(b.waits_share > 0.9);
  CHECK(b.sentence.find("warps wait for memory 9") != std::string::npos);
}
