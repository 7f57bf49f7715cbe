// The replay of whole traces: launches, caches between them, progress, what is missing, and that
// the same trace gives the same result however it was written.
#include <set>

#include "sim/metric_rows.hpp"
#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

Kernel streaming(std::uint32_t ctas, std::uint64_t base = kA) {
  Kernel k = kernel(ctas, 64);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
  k.fill = [=](Warp& w) { w.records = {regular(ld, base + (w.cta * 2 + w.warp) * 128, 4)}; };
  return k;
}

// A kernel of one of the well-known patterns.
Kernel of_pattern(const trace::patterns::Pattern& pattern, std::uint32_t ctas) {
  Kernel k = kernel(ctas, pattern.warps_per_cta * 32);
  k.sites = pattern.sites;
  k.text.resize(k.sites.size());
  const auto fill = pattern.fill;
  k.fill = [fill](Warp& w) {
    std::mt19937_64 random(w.cta * 64 + w.warp);
    fill(w, random);
  };
  return k;
}

sim::ReplayOptions only(std::uint64_t launch) {
  sim::ReplayOptions o;
  o.launch = launch;
  return o;
}

sim::ReplayOptions keeping() {
  sim::ReplayOptions o;
  o.keep_caches = true;
  return o;
}

std::string replay_text(const std::vector<Kernel>& kernels, const WriteOptions& how,
                        const sim::ReplayOptions& options = {}) {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), kernels, how);
  const auto reader = open(folder.file("t.wmt"));
  const std::string once = everything(must(sim::replay(reader, h200(), options)));
  CHECK(once == everything(must(sim::replay(reader, h200(), options))));
  return once;
}

}  // namespace

TEST_CASE("the same trace gives the same result, in whatever order its blocks were written") {
  for (const auto& pattern : trace::patterns::all()) {
    const std::vector<Kernel> kernels = {of_pattern(pattern, 40)};
    INFO(pattern.name);
    const std::string plain = replay_text(kernels, {});
    CHECK(replay_text(kernels, {.backwards = true}) == plain);
    CHECK(replay_text(kernels, {.piece = 3}) == plain);
    CHECK(replay_text(kernels, {.backwards = true, .piece = 7}) == plain);
  }
}

TEST_CASE("sectors are conserved in every pattern") {
  for (const auto& pattern : trace::patterns::all()) {
    const auto c = count(of_pattern(pattern, 300));
    INFO(pattern.name);
    CHECK(c.global_ld.hits + c.l2.read + c.l2.merged == c.global_ld.sectors);
    CHECK(c.l2.write == c.global_st.sectors);
    CHECK(c.l1_fill_sectors == c.l2.read + c.l2.merged);
    CHECK(c.l1_write_sectors == c.l2.write);
    CHECK(c.theoretical_global == c.global_ld.sectors + c.global_st.sectors);
    CHECK(c.l2.read_hit <= c.l2.read);
    CHECK(c.l2.fabric_read_hit <= c.l2.fabric_read);
    CHECK(c.tag_requests >= c.global_ld.requests + c.global_st.requests);
    CHECK(c.shared_wavefronts >= c.inst_shared_ld + c.inst_shared_st);
    CHECK(c.tag_wavefronts_ld >= c.global_ld.requests);
    // Each sector that missed the L2 came from DRAM, in pieces of two.
    const std::uint64_t read = c.l2.dram_read - h200().numbers().launch_dram_read_sectors;
    CHECK(read <= 2 * (c.l2.read - c.l2.read_hit) + 2 * c.l2.write);
  }
}

TEST_CASE("metrics carry the profiler's names, once each, with a unit") {
  std::set<std::string> names;
  for (const sim::MetricRow& row : sim::metric_rows()) {
    CHECK(names.insert(row.name).second);
    CHECK(std::string(row.unit).size() > 2);
  }
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {streaming(2)});
  const auto reader = open(folder.file("t.wmt"));
  const auto result = must(sim::replay(reader, h200()));
  REQUIRE(result.launches.size() == 1);
  CHECK(result.launches[0].metrics.size() == names.size() + 1);  // and the configuration
  CHECK(result.launches[0].metrics.at("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum").value ==
        4);
  CHECK(result.launches[0].grid[0] == 2);
  CHECK(result.launches[0].kernel == "kernel0");
}

TEST_CASE("one launch alone, all launches, and one that is not there") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {streaming(1), streaming(2), streaming(3)});
  const auto reader = open(folder.file("t.wmt"));
  CHECK(must(sim::replay(reader, h200())).launches.size() == 3);
  const auto one = must(sim::replay(reader, h200(), only(1)));
  REQUIRE(one.launches.size() == 1);
  CHECK(one.launches[0].launch == 1);
  CHECK(one.details[0].counters.global_ld.requests == 4);
  const auto none = sim::replay(reader, h200(), only(9));
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == ErrorKind::kUsage);
  CHECK(none.error().text().find("launch 9 is not in the trace") != std::string::npos);
}

TEST_CASE("caches are flushed between launches unless they are to be kept") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {streaming(64), streaming(64)});
  const auto reader = open(folder.file("t.wmt"));
  const auto flushed = must(sim::replay(reader, h200()));
  CHECK(flushed.details[1].counters.l2.read_hit == 0);
  const auto kept = must(sim::replay(reader, h200(), keeping()));
  CHECK(kept.details[0].counters.l2.read_hit == 0);
  CHECK(kept.details[1].counters.l2.read_hit == kept.details[1].counters.l2.read);
  CHECK(kept.details[1].counters.global_ld.hits == 0);  // the L1s never outlive a launch
}

TEST_CASE("progress rises to the number of records, and a false stops the replay") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {streaming(500), streaming(500)});
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions options;
  std::uint64_t last = 0, total = 0, calls = 0;
  options.progress = [&](std::uint64_t done, std::uint64_t of) {
    CHECK(done >= last);
    CHECK(of == 2000);
    last = done, total = of, ++calls;
    return true;
  };
  must(sim::replay(reader, h200(), options));
  CHECK(calls > 0);
  CHECK(last == 2000);
  options.progress = [](std::uint64_t, std::uint64_t) { return false; };
  const auto stopped = sim::replay(reader, h200(), options);
  REQUIRE_FALSE(stopped.ok());
  CHECK(stopped.error().kind == ErrorKind::kInterrupted);
}

TEST_CASE("an unsealed trace replays as far as it goes and says so") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {streaming(100)}, {.seal = false});
  auto reader = trace::TraceReader::open(folder.file("t.wmt.partial"), {.allow_partial = true});
  REQUIRE(reader.ok());
  const auto result = must(sim::replay(*reader, h200()));
  REQUIRE(result.details.size() == 1);
  CHECK_FALSE(result.details[0].complete);
  CHECK(result.details[0].counters.records == 200);
  bool said = false;
  for (const auto& n : result.details[0].notes)
    said |= n == "the trace of this launch is not complete";
  CHECK(said);
}

TEST_CASE("lost records make a launch incomplete") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), {streaming(10)}, {.lost = 5});
  auto reader = trace::TraceReader::open(folder.file("t.wmt"), {.allow_partial = true});
  REQUIRE(reader.ok());
  CHECK_FALSE(must(sim::replay(*reader, h200())).details[0].complete);
}

TEST_CASE("a CTA that does not fit the card is refused with the limit it breaks") {
  struct Case {
    std::uint32_t threads, registers, shared;
    const char* message;
  };
  for (const Case& x :
       {Case{2080, 32, 0,
             "cudaErrorInvalidConfiguration (9): a CTA of 2,080 threads, h200 allows 1,024"},
        Case{32, 32, 300 * 1024,
             "cudaErrorInvalidValue (1): a CTA asks for 300 KiB of shared memory, h200 allows 227 "
             "KiB"},
        Case{1024, 255, 0,
             "cudaErrorLaunchOutOfResources (701): a CTA of 1,024 threads with 255 registers each "
             "takes"}}) {
    TemporaryFolder folder;
    Kernel k = streaming(1);
    k.launch.block = {x.threads, 1, 1};
    k.launch.registers = x.registers;
    k.launch.dynamic_shared = x.shared;
    write_trace(folder.file("t.wmt"), {k});
    const auto reader = open(folder.file("t.wmt"));
    const auto result = sim::replay(reader, h200());
    REQUIRE_FALSE(result.ok());
    CHECK(result.error().kind == ErrorKind::kUsage);
    const std::string text = result.error().text();
    INFO(text);
    CHECK(text.find(x.message) != std::string::npos);
    CHECK(text.find("t.wmt, launch 0 (kernel0)") != std::string::npos);
    CHECK(text.find("--set") != std::string::npos);
  }
}

TEST_CASE("what the source could not see is passed on") {
  TemporaryFolder folder;
  trace::Origin origin;
  origin.missing = {"constant loads", "multicast targets of bulk copies"};
  auto writer = must(trace::TraceWriter::create(folder.file("t.wmt"), origin));
  must(writer.seal());
  const auto reader = open(folder.file("t.wmt"));
  const auto result = must(sim::replay(reader, h200()));
  REQUIRE(result.notes.size() == 1);
  CHECK(result.notes[0] == "not in the trace: constant loads, multicast targets of bulk copies");
}

TEST_CASE("a launch with prefetches says that none of them is dropped") {
  const auto says = [](Op op) {
    Kernel k = kernel(1, 32);
    const auto site = k.site(op, Space::kGlobal, 4);
    k.fill = [=](Warp& w) { w.records.push_back(regular(site, kA, 4)); };
    TemporaryFolder folder;
    write_trace(folder.file("t.wmt"), {k});
    const auto notes = must(sim::replay(open(folder.file("t.wmt")), h200())).details.at(0).notes;
    return std::ranges::any_of(notes, [](const std::string& n) {
      return n.starts_with("every prefetch brings its lines");
    });
  };
  CHECK(says(Op::kPrefetch));
  CHECK_FALSE(says(Op::kLoad));
}

TEST_CASE("a launch with managed memory says that no page moves") {
  Kernel k = kernel(1, 32);
  const auto site = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E R4, desc[UR4][R2.64] ;");
  k.fill = [=](Warp& w) { w.records.push_back(regular(site, kA, 4)); };
  const auto says = [&](trace::AllocationKind kind) {
    k.launch.allocations = {{kA, 4096, kind}};
    TemporaryFolder folder;
    write_trace(folder.file("t.wmt"), {k});
    const auto notes = must(sim::replay(open(folder.file("t.wmt")), h200())).details.at(0).notes;
    return std::ranges::any_of(
        notes, [](const std::string& n) { return n.starts_with("managed memory"); });
  };
  CHECK(says(trace::AllocationKind::kManaged));
  CHECK_FALSE(says(trace::AllocationKind::kDevice));
}

TEST_CASE("a replay without room for decoded blocks gives the same result") {
  TemporaryFolder folder;
  sim::ReplayOptions no_room;
  no_room.decoded_bytes = 0;
  for (const auto& pattern : trace::patterns::all()) {
    INFO(pattern.name);
    write_trace(folder.file("t.wmt"), {of_pattern(pattern, 40)}, {.piece = 50});
    const auto reader = open(folder.file("t.wmt"));
    CHECK(everything(must(sim::replay(reader, h200(), no_room))) ==
          everything(must(sim::replay(reader, h200()))));
  }
}

TEST_CASE("an asynchronous copy is the same wherever the trace's blocks end") {
  TemporaryFolder folder;
  // Its two sides make other wavefronts than its source alone.
  Kernel k = kernel(2, 64);
  const auto read =
      k.site(Op::kAsyncCopyRead, Space::kGlobal, 4, "LDGSTS.E [R5], desc[UR4][R2.64] ;");
  const auto write = k.site(Op::kAsyncCopyWrite, Space::kShared, 4);
  const auto load = k.site(Op::kLoad, Space::kGlobal, 4, "LDG.E R4, desc[UR4][R2.64] ;");
  k.fill = [&](Warp& w) {
    for (std::uint64_t i = 0; i < 50; ++i) {
      w.records.push_back(
          listed(w, read, kLanes, [&](unsigned l) { return kA + i * 4096 + l * 4; }));
      w.records.push_back(
          listed(w, write, kLanes, [&](unsigned l) { return l % 8 * 128 + l / 8 * 4; }));
      if (i % 5 == w.warp) w.records.push_back(regular(load, kB + i * 128, 4));
      if (i % 7 == 0) w.records.push_back(regular(read, kB + i * 128, 4, 0xff));  // writes nothing
    }
  };
  for (const bool time : {false, true}) {
    write_trace(folder.file("t.wmt"), {k});
    sim::ReplayOptions options;
    options.time = time;
    const std::string whole =
        everything(must(sim::replay(open(folder.file("t.wmt")), h200(), options)));
    for (const std::size_t piece : {1u, 2u, 3u, 7u, 32u, 33u})
      for (const std::size_t bytes : {std::size_t{0}, options.decoded_bytes}) {
        INFO("pieces of " << piece << " records, " << bytes << " bytes");
        sim::ReplayOptions crowded = options;
        crowded.decoded_bytes = bytes;
        write_trace(folder.file("p.wmt"), {k}, {.piece = piece});
        CHECK(everything(must(sim::replay(open(folder.file("p.wmt")), h200(), crowded))) == whole);
      }
  }
}

TEST_CASE("launches replayed on several threads give the same result as one after the other") {
  TemporaryFolder folder;
  std::vector<Kernel> kernels;
  for (const auto& pattern : trace::patterns::all()) kernels.push_back(of_pattern(pattern, 20));
  write_trace(folder.file("t.wmt"), kernels);
  const auto reader = open(folder.file("t.wmt"));
  const std::string one = everything(must(sim::replay(reader, h200())));
  for (const unsigned threads : {2u, 3u, 64u}) {
    sim::ReplayOptions options;
    options.threads = threads;
    std::uint64_t last = 0, of = 0;
    options.progress = [&](std::uint64_t done, std::uint64_t total) {
      CHECK(done >= last);
      last = done;
      of = total;
      return true;
    };
    CHECK(everything(must(sim::replay(reader, h200(), options))) == one);
    CHECK(last == of);
  }
}

TEST_CASE("of launches that fail on several threads the first is reported") {
  TemporaryFolder folder;
  std::vector<Kernel> kernels(6, streaming(20));
  for (const std::size_t bad : {2u, 4u}) kernels[bad].launch.dynamic_shared = 1 << 30;
  write_trace(folder.file("t.wmt"), kernels);
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions options;
  options.threads = 4;
  for (int round = 0; round < 20; ++round) {
    const auto result = sim::replay(reader, h200(), options);
    REQUIRE_FALSE(result);
    CHECK(result.error().place.find("launch 2 ") != std::string::npos);
  }
}

TEST_CASE("a replay on several threads can be stopped") {
  TemporaryFolder folder;
  write_trace(folder.file("t.wmt"), std::vector<Kernel>(6, streaming(20)));
  const auto reader = open(folder.file("t.wmt"));
  sim::ReplayOptions options;
  options.threads = 4;
  options.progress = [](std::uint64_t, std::uint64_t) { return false; };
  const auto result = sim::replay(reader, h200(), options);
  REQUIRE_FALSE(result);
  CHECK(result.error().kind == ErrorKind::kInterrupted);
}
