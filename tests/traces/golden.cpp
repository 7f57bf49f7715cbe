// The format, byte by byte, and a file of every released version. A change here is a new version of
// the format: docs/reference/trace-format.md says which one.
#include <fmt/format.h>

#include "tests/catch.hpp"
#include "tests/traces/golden_bytes.hpp"
#include "tests/traces/support.hpp"
#include "traces/format/metadata.hpp"
#include "traces/format/records_codec.hpp"

using namespace warpmem::trace;
using namespace warpmem::trace::testing;

namespace {

std::string hex(ByteSpan bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += fmt::format("{:02x}{}", bytes[i], i % 16 == 15 ? "\n" : " ");
  }
  return out;
}

// Two warps of one CTA: a load with all lanes and one whose address is listed.
Bytes tiny_trace() {
  auto file = std::make_shared<MemoryFile>();
  Origin origin;
  origin.tool = "t";
  auto writer = TraceWriter::create_on(memory_sink(file), "t", origin, {.zstd_level = 0});
  Program program;
  program.name = "k";
  REQUIRE(writer->add_program(program));
  Launch launch;
  launch.id = 7;
  launch.block = {64, 1, 1};
  REQUIRE(writer->begin_launch(launch));
  const std::vector<Site> sites = {{0x10, Op::kLoad, Space::kGlobal, 4}};
  BlockBuilder builder(7, 0);
  patterns::Warp first{0, 0, {patterns::regular(0, 0x1000, 4)}, {}};
  patterns::Warp second{0, 1, {}, {}};
  second.records = {
      patterns::listed(second, 0, 0x3, [](unsigned l) { return l ? 0x10f0u : 0x1004u; })};
  for (const auto& warp : {first, second}) {
    builder.add(warp.cta, warp.warp, warp.records, sites, warp.lanes);
  }
  REQUIRE(writer->append(builder.take(1)));
  REQUIRE(writer->end_launch(7, {.records = 2, .lost = 1, .skipped_ctas = 0, .truncated = false}));
  REQUIRE(writer->seal());
  return file->bytes;
}

}  // namespace

TEST_CASE("a tiny trace is these bytes") { CHECK(hex(tiny_trace()) == kTinyTrace); }

TEST_CASE("a trace of format 1.0 opens for ever") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.0.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
}

TEST_CASE("a trace of format 1.1 opens for ever, with its scheduling control") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace(3, small_program_with_control()));
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.1.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find("LDG.E R4, desc[UR4][R2.64] 1:7 control 91\n") != std::string::npos);
}

TEST_CASE("a trace of format 1.2 opens for ever, with rounds of loops and a launch's parameters") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_rounds());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.2.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find("parameters at 210: 00 10 00 00 00 7f 00 00 c8 00 00 00\n") !=
        std::string::npos);
  CHECK(old.text.find(fmt::format("  70 {} 0 0 ffffffff 63 + 0\n",
                                  static_cast<int>(Op::kRounds))) != std::string::npos);
}

TEST_CASE("a trace of format 1.3 opens for ever, with how often its instructions ran") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_rounds({{0, 4, 1, 32}, {0x40, 1, 2, 64}, {0x70, 1, 1, 3200}}));
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.3.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find("at 40 1 of 2 copies ran 64\n") != std::string::npos);
}

TEST_CASE("a trace of format 1.4 opens for ever, with the pieces of its bulk copies") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_pieces());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.4.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  // Lane 3's addresses: 0x10200 begins a copy, 0x10100 is of one that has begun.
  CHECK(old.text.find(fmt::format("  40 {} 1 64 00000008 101fa + 2\n",
                                  static_cast<int>(Op::kBulkRead))) != std::string::npos);
  CHECK(old.text.find(fmt::format("  40 {} 1 64 00000008 100fd + 1\n",
                                  static_cast<int>(Op::kBulkRead))) != std::string::npos);
}

TEST_CASE("a trace of format 1.5 opens for ever, with the texels of its fetches") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_texels());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.5.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find(fmt::format("  40 {} 6 4 ", static_cast<int>(Op::kTexel))) !=
        std::string::npos);
}

TEST_CASE("a trace of format 1.6 opens for ever, with what its products read") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_products());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.6.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find(fmt::format("  40 {} 2 6144 ", static_cast<int>(Op::kProductRead))) !=
        std::string::npos);
}

TEST_CASE("a trace of format 1.7 opens for ever, with what the program said of the L2") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_limits());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.7.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find("fetches 128 bytes, persisting lines end: true\n") != std::string::npos);
}

TEST_CASE("a trace of format 1.8 opens for ever, with what the program asked of the GPU") {
  TemporaryFolder folder;
  const std::string now = folder.file("now.wmt");
  write_file(now, small_trace_with_steps());
  const Dump expected = dump(now, false);
  const Dump old = dump(WARPMEM_GOLDEN_TRACES "/v1.8.wmt", false);
  REQUIRE_FALSE(old.error);
  CHECK(old.text == expected.text);
  CHECK(old.text.find("step 0 3 0 1048576 4 2 0 0 1 true:\n"
                      "step 2 0 0 0 1 2 0 1234.5 0.25 false: 0\n"
                      "step 4 0 0 0 1 2 0 0 1 true: 1\n"
                      "step 5 0 0 0 1 0 0 0 1 true: 0 2\n") != std::string::npos);
}

TEST_CASE("a record of a bulk copy says its address and what it is of its copy") {
  for (const std::uint32_t lane : {0u, 1u, 31u})
    for (const Piece piece : {Piece::kUnknown, Piece::kFurther, Piece::kFirst}) {
      const Record r = piece_record(lane, 0x2000, piece);
      CHECK(r.mask == 1u << lane);
      CHECK(r.regular());
      CHECK(r.base + lane * static_cast<std::uint64_t>(r.stride) == 0x2000);
      CHECK(piece_of(r) == piece);
    }
  Record none;  // what no version writes
  for (const std::int32_t stride : {-1, 3, 64}) {
    none.stride = stride;
    CHECK(piece_of(none) == Piece::kUnknown);
  }
}

TEST_CASE("rounds are written so that a reader of 1.1 takes them for a prefetch of nothing") {
  Bytes out;
  put_site(out, {0x70, Op::kRounds, Space::kNone, 0});
  Bytes prefetch;
  put_site(prefetch, {0x70, Op::kPrefetch, Space::kNone, 0xffffffff});
  CHECK(out == prefetch);
  Cursor in(out);
  CHECK(parse_site(in) == Site{0x70, Op::kRounds, Space::kNone, 0});
  // The number that the operation has in memory is none of the file's.
  out[1] = static_cast<std::uint8_t>(Op::kRounds);
  Cursor wrong(out);
  parse_site(wrong);
  CHECK_FALSE(wrong.ok());
}

TEST_CASE("further texels are written so that a reader of 1.4 takes them for a prefetch") {
  Bytes out, prefetch;
  put_site(out, {0x70, Op::kTexel, Space::kTexture, 8});
  put_site(prefetch, {0x70, Op::kPrefetch, Space::kTexture, 8});
  CHECK(out == prefetch);
  Cursor in(out);
  CHECK(parse_site(in) == Site{0x70, Op::kTexel, Space::kTexture, 8});
}

TEST_CASE("what a product reads is written so that a reader of 1.5 takes it for a prefetch") {
  Bytes out, prefetch;
  put_site(out, {0x70, Op::kProductRead, Space::kShared, 6144});
  put_site(prefetch, {0x70, Op::kPrefetch, Space::kShared, 6144});
  CHECK(out == prefetch);
  Cursor in(out);
  CHECK(parse_site(in) == Site{0x70, Op::kProductRead, Space::kShared, 6144});
}

TEST_CASE("equal rounds of neighbouring warps cost next to nothing") {
  const std::vector<Site> sites = {{0x10, Op::kLoad, Space::kGlobal, 4},
                                   {0x40, Op::kRounds, Space::kNone, 0}};
  std::vector<Record> records;
  std::vector<Segment> segments;
  for (std::uint32_t w = 0; w < 8000; ++w) {
    segments.push_back({w / 8, w % 8, 2 * w, 2});
    records.push_back(patterns::regular(0, 0x100000 + 128 * w, 4));
    records.push_back(patterns::regular(1, 999, 0));
  }
  // Control bytes and little else: zstd makes nothing of those.
  CHECK(encode_records({sites, segments, records, {}}).size() < records.size() + 8100);
}
