// What goes in comes out.
#include "tests/catch.hpp"
#include "tests/traces/support.hpp"
#include "traces/format/metadata.hpp"

using namespace warpmem;
using namespace warpmem::trace;
using namespace warpmem::trace::testing;

namespace {

// Has every CTA and warp that there can be.
Launch largest_launch() {
  Launch launch = small_launch(0);
  launch.grid = launch.block = {~0u, ~0u, ~0u};
  return launch;
}

// Writes the warps as one launch and compares every record read back.
void check_round_trip(const patterns::Pattern& pattern, const std::vector<patterns::Warp>& warps,
                      int zstd_level = 3) {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  {
    auto writer = TraceWriter::create(path, small_origin());
    REQUIRE(writer);
    REQUIRE(writer->add_program(small_program()));
    REQUIRE(writer->begin_launch(largest_launch()));
    BlockBuilder builder(0, zstd_level);
    for (const auto& warp : warps) {
      builder.add(warp.cta, warp.warp, warp.records, pattern.sites, warp.lanes);
      if (builder.full()) REQUIRE(writer->append(builder.take()));
    }
    REQUIRE(writer->append(builder.take()));
    REQUIRE(writer->end_launch(0, {}));
    REQUIRE(writer->seal());
  }
  auto reader = TraceReader::open(path);
  REQUIRE(reader);
  CHECK(reader->quality().complete());
  CHECK(reader->launches()[0].complete);
  const auto sites = reader->sites(0);
  std::size_t next = 0, differences = 0;
  for (const auto block : reader->launches()[0].blocks) {
    auto decoded = reader->decode(block);
    REQUIRE(decoded);
    for (const Segment& segment : decoded->segments) {
      const auto& warp = warps.at(next++);
      REQUIRE(segment.cta == warp.cta);
      REQUIRE(segment.warp == warp.warp);
      REQUIRE(segment.count == warp.records.size());
      for (std::uint32_t i = 0; i < segment.count; ++i) {
        const Record& got = decoded->records[segment.first + i];
        const Record& want = warp.records[i];
        bool same = sites[got.site] == pattern.sites[want.site] && got.mask == want.mask &&
                    got.regular() == want.regular() && got.base == want.base &&
                    got.stride == want.stride;
        for (int lane = 0; same && !got.regular() && lane < got.active(); ++lane) {
          const auto l = static_cast<unsigned>(lane);
          same = decoded->lanes[got.lanes + l] == warp.lanes[want.lanes + l];
        }
        differences += !same;
      }
    }
  }
  CHECK(next == warps.size());
  CHECK(differences == 0);
}

}  // namespace

TEST_CASE("every pattern comes back as it was written, over several blocks") {
  for (const auto& pattern : patterns::all()) {
    DYNAMIC_SECTION(pattern.name) {
      std::mt19937_64 random(3);
      std::vector<patterns::Warp> warps;
      std::size_t records = 0;
      for (std::uint64_t cta = 0; records < 100'000; ++cta) {
        for (std::uint32_t warp = 0; warp < pattern.warps_per_cta; ++warp) {
          pattern.fill(warps.emplace_back(patterns::Warp{cta, warp, {}, {}}), random);
          records += warps.back().records.size();
        }
      }
      check_round_trip(pattern, warps);
    }
  }
}

TEST_CASE("aligned addresses come back although the expected one is not aligned") {
  // Every eighth warp 64 bytes on: 8 bytes a warp are expected of the next, which moves by 64.
  patterns::Pattern pattern;
  pattern.sites = {{0x10, Op::kLoad, Space::kGlobal, 4}};
  std::vector<patterns::Warp> warps;
  std::uint64_t base = 0x7f0000000000;
  for (const std::uint64_t cta : {0, 8, 16, 17, 18, 25, 100}) {
    warps.push_back({cta, 0, {}, {}});
    for (int i = 0; i < 3; ++i) warps.back().records.push_back(patterns::regular(0, base, 4));
    base += 64;
  }
  check_round_trip(pattern, warps);
}

TEST_CASE("extreme values come back as they were written") {
  patterns::Pattern pattern;
  pattern.sites = {{0, Op::kLoad, Space::kGlobal, 0},
                   {0xffffffff, Op::kCtaEnd, Space::kSurface, 0xffffffff}};
  const std::uint64_t top = ~std::uint64_t{0};
  patterns::Warp warp{top, ~0u, {}, {}};
  for (const std::uint64_t base : {top, std::uint64_t{0}, std::uint64_t{1} << 63, top - 1}) {
    for (const std::int32_t stride : {0, 1, -1, INT32_MAX, INT32_MIN}) {
      for (const std::uint32_t mask : {0u, 1u, 0x80000000u, ~0u}) {
        for (const std::uint32_t site : {0u, 1u}) {
          warp.records.push_back(patterns::regular(site, base, stride, mask));
          warp.records.push_back(patterns::listed(warp, site, mask, [&](unsigned lane) {
            return lane % 2 ? base : lane * (std::uint64_t{1} << 58);
          }));
        }
      }
    }
  }
  for (const int level : {0, 1, 3})
    check_round_trip(pattern, {{0, 0, warp.records, warp.lanes}, warp}, level);
}

TEST_CASE("one call with more records than a block is split and comes back in order") {
  auto pattern = patterns::gather();
  std::mt19937_64 random(1);
  patterns::Warp warp{5, 1, {}, {}};
  for (int i = 0; i < 3000; ++i) pattern.fill(warp, random);
  BlockBuilder builder(0);
  builder.add(warp.cta, warp.warp, warp.records, pattern.sites, warp.lanes);
  CHECK(builder.full());
  const EncodedBlock block = builder.take();
  CHECK(builder.empty());
  REQUIRE(block.more.size() == 2);
  CHECK(block.records + block.more[0].records + block.more[1].records == warp.records.size());

  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "t.wmt", small_origin());
  REQUIRE(writer->add_program(small_program()));
  REQUIRE(writer->begin_launch(largest_launch()));
  REQUIRE(writer->append(block));
  REQUIRE(writer->seal());
  TemporaryFolder folder;
  write_file(folder.file("t"), file->bytes);
  auto reader = TraceReader::open(folder.file("t"));
  REQUIRE(reader);
  CHECK(reader->cta_segments(0, 5)->size() == 3);
  std::vector<std::uint64_t> lanes;
  for (const auto number : reader->launches()[0].blocks) {
    const auto decoded = reader->decode(number);
    REQUIRE(decoded);
    lanes.insert(lanes.end(), decoded->lanes.begin(), decoded->lanes.end());
  }
  CHECK(lanes == warp.lanes);
}

TEST_CASE("site numbers of the caller may change from call to call") {
  const std::vector<Site> first = {{16, Op::kLoad, Space::kGlobal, 4}};
  const std::vector<Site> second = {{32, Op::kStore, Space::kGlobal, 4}, first[0]};
  BlockBuilder builder(0);
  const std::vector<Record> a = {patterns::regular(0, 100, 4)};
  const std::vector<Record> b = {patterns::regular(1, 200, 4), patterns::regular(0, 300, 4)};
  builder.add(0, 0, a, first, {});
  builder.add(0, 1, b, second, {});
  const EncodedBlock block = builder.take();
  CHECK(block.sites == std::vector<Site>{first[0], second[0]});
}

TEST_CASE("launches may overlap, and each keeps its own blocks, sites and records lost") {
  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "t.wmt", small_origin());
  REQUIRE(writer->add_program(small_program()));
  REQUIRE(writer->begin_launch(small_launch(10)));
  REQUIRE(writer->begin_launch(small_launch(20)));
  const auto one = [](std::uint32_t launch, std::uint32_t pc, std::uint64_t lost) {
    BlockBuilder builder(launch);
    const std::vector<Site> sites = {{pc, Op::kLoad, Space::kGlobal, 4}};
    const std::vector<Record> records = {patterns::regular(0, 100, 4)};
    builder.add(0, 0, records, sites, {});
    return builder.take(lost);
  };
  REQUIRE(writer->append(one(20, 1, 0)));
  REQUIRE(writer->append(one(10, 2, 5)));
  REQUIRE(writer->append(one(20, 3, 0)));
  REQUIRE(writer->append(one(10, 4, 9)));
  REQUIRE(writer->note_missing("texture loads"));
  REQUIRE(writer->end_launch(10, {.records = 0, .lost = 11, .skipped_ctas = 3, .truncated = true}));
  REQUIRE(writer->end_launch(20, {}));
  REQUIRE(writer->seal());
  CHECK(file->synced);
  CHECK(file->published);
  TemporaryFolder folder;
  write_file(folder.file("t"), file->bytes);
  auto reader = TraceReader::open(folder.file("t"));
  REQUIRE(reader);
  REQUIRE(reader->launches().size() == 2);
  CHECK(reader->launches()[0].launch.id == 10);
  CHECK(reader->launches()[0].blocks == std::vector<std::uint32_t>{4, 6});
  CHECK(reader->launches()[0].end.records == 2);
  CHECK_FALSE(reader->launches()[0].complete);
  CHECK(reader->launches()[1].complete);
  CHECK(reader->sites(0)[1].pc == 4);
  CHECK(reader->sites(1)[1].pc == 3);
  CHECK(reader->decode(5)->launch == 1);
  CHECK(reader->decode(5)->records[0].site == 1);
  const Quality& quality = reader->quality();
  CHECK(quality.lost == 11);
  CHECK(quality.records == 4);
  CHECK_FALSE(quality.complete());
  CHECK(quality.notes == std::vector<std::string>{"texture loads", "launch 10: 11 records lost",
                                                  "launch 10: cut at the record limit given",
                                                  "launch 10: 3 CTAs left out on request"});
}

TEST_CASE("a note says how often a launch ran, and the trace is complete all the same") {
  const auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "t", small_origin());
  REQUIRE(writer);
  REQUIRE(writer->add_program(small_program()));
  for (const std::uint32_t id : {3u, 44u}) {
    REQUIRE(writer->begin_launch(small_launch(id)));
    REQUIRE(writer->end_launch(id, {}));
  }
  const Repeats repeats{3, 41, 2}, of_no_launch{7, 2, 0};
  REQUIRE(writer->note_missing(repeats_note(repeats)));
  TemporaryFolder folder;
  SECTION("of a launch that is there") {
    REQUIRE(writer->seal());
    write_file(folder.file("t"), file->bytes);
    auto reader = TraceReader::open(folder.file("t"));
    REQUIRE(reader);
    CHECK(reader->quality().complete());
    CHECK(reader->launches()[0].repeats == repeats);
    CHECK(reader->launches()[1].repeats == Repeats{});
  }
  SECTION("of one that is not there it is a note like others") {
    REQUIRE(writer->note_missing(repeats_note(of_no_launch)));
    REQUIRE(writer->seal());
    write_file(folder.file("t"), file->bytes);
    auto reader = TraceReader::open(folder.file("t"));
    REQUIRE(reader);
    CHECK(reader->quality().notes == std::vector<std::string>{repeats_note(of_no_launch)});
  }
}

TEST_CASE("notes about repeated launches are told from others") {
  for (const Repeats& r : {Repeats{0, 2, 0}, Repeats{4294967295u, 18446744073709551615u, 17}})
    CHECK(parse_repeats(repeats_note(r)) == r);
  const std::string good = repeats_note({3, 41, 2});
  for (const std::string& bad :
       {good + ".", good.substr(1), good.substr(0, good.size() - 1), repeats_note({3, 1, 0}),
        repeats_note({3, 4, 4}), std::string("launch 3 ran"),
        std::string("launch -3 ran 4 times in a row, and is in the trace once"),
        std::string("launch 3 did not end: interrupted"), std::string()})
    CHECK_FALSE(parse_repeats(bad));
}

TEST_CASE("how often instructions ran comes back; ends of 1.2 do not say") {
  LaunchEnd end{.records = 9, .lost = 0, .skipped_ctas = 1, .truncated = false};
  const Bytes none = put_launch_end(end);
  const auto old = parse_launch_end(ByteSpan(none).first(none.size() - 1), false);
  REQUIRE(old);
  CHECK(old->records == 9);
  CHECK(old->times.empty());
  end.times = {{0, 3, 1, 12}, {0x30, 1, 4, ~std::uint64_t{0}}, {0xfffffff0, 1, 1, 0}};
  const Bytes raw = put_launch_end(end);
  const auto back = parse_launch_end(raw, false);
  REQUIRE(back);
  CHECK(back->times == end.times);
  for (std::size_t n = none.size(); n < raw.size(); ++n)
    CHECK_FALSE(parse_launch_end(ByteSpan(raw).first(n), false));
}

TEST_CASE("the same records give the same bytes") {
  CHECK(small_trace() == small_trace());
  CHECK(small_trace(0) == small_trace(0));
}

TEST_CASE("the origin, programs and launches come back") {
  TemporaryFolder folder;
  write_file(folder.file("t"), small_trace());
  auto reader = TraceReader::open(folder.file("t"));
  REQUIRE(reader);
  CHECK(reader->origin().gpu == "NVIDIA H200");
  CHECK(reader->origin().missing == std::vector<std::string>{"constant loads"});
  CHECK(reader->programs()[0].code[1].text == "STG.E desc[UR4][R6.64], R4");
  CHECK(reader->programs()[0].code[1].line == 6);
  const Launch& launch = reader->launches()[1].launch;
  CHECK(launch.id == 5);
  CHECK(launch.carveout == -1);
  CHECK(launch.window.hit_ratio == 0.5f);
  CHECK(launch.allocations[1].base == patterns::kB);
  CHECK(launch.allocations[1].kind == AllocationKind::kManaged);
  CHECK(reader->hash().size() == 16);
}

TEST_CASE(
    "records added one by one, warps interleaved, come back warp by warp in their own order") {
  const auto pattern = patterns::spmv();
  std::vector<patterns::Warp> warps;
  std::mt19937_64 random(1);
  for (std::uint32_t w = 0; w < 8; ++w)
    pattern.fill(warps.emplace_back(patterns::Warp{9, w, {}, {}}), random);
  BlockBuilder builder(0);
  for (std::size_t i = 0; i < 100; ++i) {
    for (auto warp = warps.rbegin(); warp != warps.rend(); ++warp) {
      if (i >= warp->records.size()) continue;
      builder.add(9, warp->warp, std::span(warp->records).subspan(i, 1), pattern.sites,
                  warp->lanes);
    }
  }
  const EncodedBlock block = builder.take();
  REQUIRE(block.segments.size() == 8);
  BlockBuilder ordered(0);
  for (const auto& warp : warps) {
    ordered.add(9, warp.warp, warp.records, pattern.sites, warp.lanes);
  }
  CHECK(block.body == ordered.take().body);
  for (std::uint32_t w = 0; w < 8; ++w) {
    CHECK(block.segments[w].warp == w);
    CHECK(block.segments[w].count == warps[w].records.size());
  }
}

TEST_CASE("scheduling control comes back field by field, or as not known") {
  const Bytes raw = put_program(small_program_with_control());
  const auto program = parse_program(raw, false);
  REQUIRE(program);
  const Instruction& load = program->code[0];
  CHECK(load.stall() == 1);
  CHECK_FALSE(load.yield());
  CHECK(load.write_barrier() == 4);
  CHECK(load.read_barrier() == 0);
  CHECK(load.wait_mask() == 0);
  CHECK(load.reuse_mask() == 0);
  const Instruction& store = program->code[1];
  CHECK(store.wait_mask() == 63);
  CHECK(store.reuse_mask() == 15);
  CHECK(store.read_barrier() == kNoBarrier);
  CHECK_FALSE(program->code[2].has_control());
  // One bit too many is no control.
  Program wrong = small_program();
  wrong.code[0].control = 1u << kControlBits;
  CHECK_FALSE(parse_program(put_program(wrong), false));
}

TEST_CASE("the control of an instruction is found in its 128 bits") {
  // nvcc 13.0, sm_90, "LDG.E R0, desc[UR6][R2.64]": sets scoreboard 4, and the next reader waits.
  CHECK(control_of(0x000122000c1e1900) == 0x91);
  Instruction wait;
  wait.control = control_of(0x0101e20000000800);  // "STS [R11], R0"
  CHECK(wait.wait_mask() == 1u << 4);
  CHECK(wait.read_barrier() == 0);
  CHECK(wait.write_barrier() == kNoBarrier);
  CHECK(wait.stall() == 1);
}
