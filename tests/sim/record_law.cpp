// What is replayed is what is in the file.
#include "sim/engine/record_law.hpp"

#include <random>

#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

// Records of all kinds; warps differ in how many they have.
Kernel mixed(std::uint32_t ctas) {
  Kernel k = kernel(ctas, 96);
  const auto begin = k.site(Op::kCtaBegin, Space::kNone, 0);
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4);
  const auto store = k.site(Op::kStore, Space::kGlobal, 4);
  const auto shared = k.site(Op::kLoad, Space::kShared, 4);
  const auto barrier = k.site(Op::kBarrier, Space::kNone, 0);
  const auto rounds = k.site(Op::kRounds, Space::kNone, 0xffffffff);
  const auto end = k.site(Op::kCtaEnd, Space::kNone, 0);
  k.fill = [=](Warp& w) {
    const std::uint64_t at = (w.cta * 3 + w.warp) * 128;
    w.records = {regular(begin, 0, 0), regular(load, kA + at, 4)};
    for (std::uint64_t i = 0; i < (w.cta + w.warp) % 5; ++i) {
      w.records.push_back(regular(shared, at % 1024, 4));
      w.records.push_back(listed(
          w, load, kLanes, [&](unsigned lane) { return kB + (at * 7 + lane * 4096) % (1 << 22); }));
      w.records.push_back(regular(rounds, 3, 0));
    }
    w.records.push_back(regular(barrier, 0, 0));
    w.records.push_back(regular(store, kB + at, 4));
    w.records.push_back(regular(end, 0, 0));
  };
  return k;
}

}  // namespace

TEST_CASE("what is replayed is what is stored, by both engines, on one thread and on many") {
  TemporaryFolder folder;
  WriteOptions pieces;
  pieces.piece = 3;
  for (const WriteOptions& how : {WriteOptions{}, pieces}) {
    write_trace(folder.file("t.wmt"), {mixed(600), mixed(3)}, how);
    const auto reader = open(folder.file("t.wmt"));
    for (const bool time : {false, true})
      for (const unsigned threads : {1u, 4u}) {
        sim::ReplayOptions options;
        options.time = time;
        options.threads = threads;
        options.few_records = 0, options.few_threads = 0, options.few_warps = 0;
        const auto result = must(sim::replay(reader, h200(), options));
        std::uint64_t rounds = 0;  // which the counts engine has no use for
        for (std::uint64_t i = 0; i < 600 && !time; ++i)
          for (std::uint64_t w = 0; w < 3; ++w) rounds += (i + w) % 5;
        CHECK(result.details[0].counters.records + rounds == reader.launches()[0].end.records);
        CHECK(result.details[1].counters.records > 0);
      }
    sim::Rewrite some;
    some.choose = [](const trace::Launch&, std::vector<std::uint64_t>& ctas) {
      ctas.resize(ctas.size() / 3);
    };
    sim::ReplayOptions part;
    part.rewrite = part.warm = &some;
    const auto chosen = must(sim::replay(reader, h200(), part));
    CHECK(chosen.details[0].counters.records < reader.launches()[0].end.records / 2);
    CHECK(chosen.details[0].warm_records == chosen.details[0].counters.records);
  }
}

TEST_CASE("a replay that leaves records out breaks the law") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {mixed(6)});
  const auto reader = open(folder.file("t.wmt"));
  const std::uint64_t all = reader.launches()[0].end.records;
  std::uint64_t segments = 0;
  for (const std::uint32_t b : reader.launches()[0].blocks)
    segments += must(reader.decode(b)).segments.size();
  const auto law = [&](std::uint64_t replayed, const sim::Taken& taken,
                       const sim::Rewrite* rewrite) {
    return sim::check_records(reader, 0, replayed, taken, rewrite, nullptr);
  };
  CHECK(law(all, {segments, all, all}, nullptr).ok());
  CHECK(
      law(all - 5, {segments, all - 5, all}, nullptr).ok());  // five that the engine has no use for
  for (const auto& [replayed, taken] : std::initializer_list<std::pair<std::uint64_t, sim::Taken>>{
           {all - 1, {segments, all, all}},
           {all + 1, {segments, all, all}},
           {all - 1, {segments, all - 1, all - 1}},
           {0, {}}}) {
    const auto broken = law(replayed, taken, nullptr);
    REQUIRE(!broken.ok());
    CHECK(broken.error().kind == ErrorKind::kInternal);
    CHECK(broken.error().message.starts_with(
        "a conservation law does not hold: records replayed = records "));
    CHECK(broken.error().place.find("launch 0") != std::string::npos);
  }
  sim::Rewrite two;
  two.choose = [](const trace::Launch&, std::vector<std::uint64_t>& ctas) { ctas.resize(2); };
  CHECK(law(9, {6, 9, 9}, &two).ok());  // three warps each
  CHECK_FALSE(law(9, {5, 9, 9}, &two).ok());
  CHECK_FALSE(law(9, {segments, 9, 9}, &two).ok());
}
