// Files that carry right hashes and are wrong all the same: what a hostile or buggy writer could
// make. Each has a name, and each is refused with a message and a place.
#include "tests/catch.hpp"
#include "tests/traces/support.hpp"
#include "traces/format/block_table.hpp"
#include "traces/format/compression.hpp"
#include "traces/format/cta_index.hpp"
#include "traces/format/format.hpp"
#include "traces/format/metadata.hpp"
#include "traces/format/records_codec.hpp"
#include "traces/format/steps.hpp"

using namespace warpmem;
using namespace warpmem::trace;
using namespace warpmem::trace::testing;

namespace {

// Writes blocks as they are told, right or wrong.
class Forger {
 public:
  Forger() : bytes_(encode_file_header(put_origin(small_origin()))) {}

  BlockHeader& block(BlockType type, std::uint32_t launch, ByteSpan raw,
                     std::uint64_t records = 0) {
    finish();
    pending_ = true;
    header_ = {};
    header_.type = type;
    header_.launch = launch;
    header_.sequence = static_cast<std::uint32_t>(index.blocks.size());
    header_.records = records;
    body_ = compress(raw, 0);
    header_.body_bytes = header_.raw_bytes = static_cast<std::uint32_t>(raw.size());
    return header_;
  }
  void compressed(Bytes body) {  // instead of the stored body of the block just begun
    body_.bytes = std::move(body);
    header_.codec = Codec::kZstd;
    header_.body_bytes = static_cast<std::uint32_t>(body_.bytes.size());
  }
  void begin() {
    block(BlockType::kProgram, 0, put_program(small_program()));
    block(BlockType::kLaunchBegin, 0, put_launch(small_launch(0)));
    index.sites.resize(1);
  }
  Bytes seal() {
    finish();
    const std::uint64_t at = bytes_.size();
    const IndexBody table = index;
    block(BlockType::kIndex, 0, put_index(table));
    finish();
    put_bytes(bytes_,
              encode_footer({at, index.blocks.back().header.hash, bytes_.size() + kFooterBytes}));
    return bytes_;
  }

  IndexBody index;

 private:
  void finish() {
    if (!pending_) return;
    pending_ = false;
    const Bytes head = encode_block_header(header_, body_.bytes);
    header_.hash = load_le<std::uint64_t>(head.data() + 40);
    index.blocks.push_back({header_, bytes_.size()});
    put_bytes(bytes_, head);
    put_bytes(bytes_, body_.bytes);
  }

  Bytes bytes_;
  bool pending_ = false;
  BlockHeader header_;
  PackedBody body_;
};

Bytes tiny_records() {
  const std::vector<Site> sites = {{0x10, Op::kLoad, Space::kGlobal, 4}};
  const std::vector<Record> records = {patterns::regular(0, 0x1000, 4),
                                       patterns::regular(0, 0x1080, 4)};
  const std::vector<Segment> segments = {{0, 0, 0, 2}};
  return encode_records({sites, segments, records, {}});
}

struct Malformed {
  const char* name;
  void (*make)(Forger&);
  const char* message;  // a part of it
};

// Says where CTAs lie, right or wrong. Block 2 holds one segment, of CTA 0.
void with_runs(Forger& f, const std::vector<CtaRun>& runs) {
  f.block(BlockType::kCtaIndex, 0, put_runs(runs));
}

// An honest records block of the first launch, so that `change` is all that is wrong.
template <class Change>
void with_records(Forger& f, Change&& change, bool indexed = true) {
  f.begin();
  f.index.sites[0] = {{0x10, Op::kLoad, Space::kGlobal, 4}};
  Bytes raw = tiny_records();
  change(raw);
  f.block(BlockType::kRecords, 0, raw, 2);
  if (indexed) with_runs(f, {{0, 1, 1, 2, 0, 1}});
}

// Two CTAs of two warps each, of one record, and what the index says of them.
void with_four_segments(Forger& f, const std::vector<CtaRun>& runs) {
  f.begin();
  const std::vector<Site> sites = {{0x10, Op::kLoad, Space::kGlobal, 4}};
  f.index.sites[0] = sites;
  const std::vector<Record> records(4, patterns::regular(0, 0x1000, 4));
  const std::vector<Segment> segments = {{1, 0, 0, 1}, {1, 1, 1, 1}, {2, 0, 2, 1}, {2, 1, 3, 1}};
  f.block(BlockType::kRecords, 0, encode_records({sites, segments, records, {}}), 4);
  with_runs(f, runs);
}

const Malformed kMalformed[] = {
    {"a launch of no program",
     [](Forger& f) { f.block(BlockType::kLaunchBegin, 0, put_launch(small_launch(0))); },
     "names no program"},
    {"records of no launch", [](Forger& f) { f.block(BlockType::kRecords, 0, tiny_records(), 2); },
     "belongs to no launch"},
    {"a launch out of order",
     [](Forger& f) {
       f.begin();
       f.block(BlockType::kLaunchBegin, 7, put_launch(small_launch(1)));
     },
     "out of order"},
    {"a launch that ends twice",
     [](Forger& f) {
       f.begin();
       f.block(BlockType::kLaunchEnd, 0, put_launch_end({}));
       f.block(BlockType::kLaunchEnd, 0, put_launch_end({}));
     },
     "ends twice"},
    {"times of instructions that go back in the code",
     [](Forger& f) {
       f.begin();
       LaunchEnd end;
       end.times = {{0x10, 2, 1, 5}, {0x10, 1, 1, 6}};
       f.block(BlockType::kLaunchEnd, 0, put_launch_end(end));
     },
     "the launch's end is not well formed"},
    {"times of no instruction",
     [](Forger& f) {
       f.begin();
       LaunchEnd end;
       end.times = {{0x10, 0, 1, 5}};
       f.block(BlockType::kLaunchEnd, 0, put_launch_end(end));
     },
     "the launch's end is not well formed"},
    {"times of instructions in no copy",
     [](Forger& f) {
       f.begin();
       LaunchEnd end;
       end.times = {{0x10, 1, 0, 5}};
       f.block(BlockType::kLaunchEnd, 0, put_launch_end(end));
     },
     "the launch's end is not well formed"},
    {"more times than its block holds",
     [](Forger& f) {
       f.begin();
       Bytes raw = put_launch_end({});
       raw.pop_back();
       put_varint(raw, 1'000'000'000'000);
       f.block(BlockType::kLaunchEnd, 0, raw);
     },
     "the launch's end is not well formed"},
    {"records behind their launch's end",
     [](Forger& f) {
       f.begin();
       f.block(BlockType::kLaunchEnd, 0, put_launch_end({}));
       f.block(BlockType::kRecords, 0, tiny_records(), 2);
     },
     "follow the end"},
    {"a block of an unknown type",
     [](Forger& f) { f.block(static_cast<BlockType>(99), 0, Bytes{1}); }, "unknown type"},
    {"a program cut short",
     [](Forger& f) {
       f.block(BlockType::kProgram, 0, ByteSpan(put_program(small_program())).first(20));
     },
     "not well formed"},
    {"a program with bytes to spare",
     [](Forger& f) {
       Bytes raw = put_program(small_program());
       raw.push_back(0);
       f.block(BlockType::kProgram, 0, raw);
     },
     "not well formed"},
    {"an instruction of a file that is not listed",
     [](Forger& f) {
       Program program = small_program();
       program.code[0].file = 2;
       f.block(BlockType::kProgram, 0, put_program(program));
     },
     "not well formed"},
    {"a launch whose allocations cannot fit its block",
     [](Forger& f) {
       f.block(BlockType::kProgram, 0, put_program(small_program()));
       Launch launch = small_launch(0);
       launch.allocations.clear();
       Bytes raw = put_launch(launch);
       raw.pop_back();
       put_varint(raw, 1'000'000'000'000);
       f.block(BlockType::kLaunchBegin, 0, raw);
     },
     "not well formed"},
    {"steps that are not the first ones",
     [](Forger& f) {
       Bytes raw;
       put_varint(raw, 1);
       put_step(raw, {}, 1);
       f.block(BlockType::kSteps, 0, raw);
     },
     "steps are not well formed"},
    {"a step that follows one that is not before it",
     [](Forger& f) {
       Bytes raw;
       put_varint(raw, 0);
       put_step(raw, {.after = {0}}, 1);
       f.block(BlockType::kSteps, 0, raw);
     },
     "steps are not well formed"},
    {"half a step",
     [](Forger& f) {
       Bytes raw;
       put_varint(raw, 0);
       put_step(raw, {}, 0);
       raw.pop_back();
       f.block(BlockType::kSteps, 0, raw);
     },
     "steps are not well formed"},
    {"a note without its text", [](Forger& f) { f.block(BlockType::kNote, 0, Bytes{5}); },
     "not well formed"},
    {"a zstd bomb: a large size, a small frame",
     [](Forger& f) {
       f.begin();
       f.block(BlockType::kRecords, 0, Bytes(8 << 20), 2).raw_bytes = 8 << 20;
       f.compressed(compress(Bytes(9 << 20), 3).bytes);
       with_runs(f, {{0, 1, 1, 2, 0, 1}});
     },
     "another number of bytes"},
    {"a body that is two frames",
     [](Forger& f) {
       f.begin();
       const Bytes raw(1000);
       f.block(BlockType::kNote, 0, raw);
       Bytes two = compress(raw, 3).bytes;
       const Bytes again = two;
       put_bytes(two, again);
       f.compressed(two);
     },
     "not exactly one frame"},
    {"a body that is no zstd frame",
     [](Forger& f) {
       f.begin();
       f.block(BlockType::kNote, 0, Bytes(1000));
       f.compressed(Bytes(30, 0xaa));
     },
     "another number of bytes"},
    {"a CTA index that is no CTA index",
     [](Forger& f) {
       with_records(
           f, [](Bytes&) {}, false);
       f.block(BlockType::kCtaIndex, 0, Bytes{1, 2, 3});
     },
     "not well formed"},
    {"a CTA index with more segments than there are records",
     [](Forger& f) {
       with_records(
           f, [](Bytes&) {}, false);
       with_runs(f, {{0, 1000, 1, 2, 0, 8}});
     },
     "not there"},
    {"a CTA index of another launch's block",
     [](Forger& f) {
       with_records(
           f, [](Bytes&) {}, false);
       with_runs(f, {{0, 1, 1, 9, 0, 1}});
     },
     "not there"},
    {"a records block that no CTA index names",
     [](Forger& f) {
       with_records(
           f, [](Bytes&) {}, false);
     },
     "the CTA index does not name it"},
    {"a CTA index of another CTA",
     [](Forger& f) {
       with_records(
           f, [](Bytes&) {}, false);
       with_runs(f, {{1, 1, 1, 2, 0, 1}});
     },
     "the CTA index does not fit it"},
    {"a CTA index that begins behind the first segment",
     [](Forger& f) {
       with_four_segments(f, {{1, 1, 1, 2, 1, 2}});
     },
     "the CTA index does not fit it"},
    {"a CTA index that ends in front of the last segment",
     [](Forger& f) {
       with_four_segments(f, {{1, 1, 1, 2, 0, 2}});
     },
     "the CTA index does not fit it"},
    {"a CTA index with CTAs further apart",
     [](Forger& f) {
       with_four_segments(f, {{1, 2, 2, 2, 0, 2}});
     },
     "the CTA index does not fit it"},
    {"a CTA index with more CTAs of fewer segments",
     [](Forger& f) {
       with_four_segments(f, {{1, 4, 1, 2, 0, 1}});
     },
     "the CTA index does not fit it"},
    {"a CTA index that names a segment twice",
     [](Forger& f) {
       with_four_segments(f, {{1, 2, 1, 2, 0, 2}, {2, 1, 1, 2, 2, 2}});
     },
     "the CTA index does not fit it"},
    {"records of a CTA that the grid has not",
     [](Forger& f) {
       f.begin();
       const std::vector<Site> sites = {{0x10, Op::kLoad, Space::kGlobal, 4}};
       f.index.sites[0] = sites;
       const std::vector<Record> records = {patterns::regular(0, 0x1000, 4)};
       const std::vector<Segment> segments = {{std::uint64_t{1} << 40, 0, 0, 1}};
       f.block(BlockType::kRecords, 0, encode_records({sites, segments, records, {}}), 1);
       with_runs(f, {{std::uint64_t{1} << 40, 1, 1, 2, 0, 1}});
     },
     "a CTA that the grid has not"},
    {"records of a warp that the CTAs have not",
     [](Forger& f) {
       f.begin();
       const std::vector<Site> sites = {{0x10, Op::kLoad, Space::kGlobal, 4}};
       f.index.sites[0] = sites;
       const std::vector<Record> records = {patterns::regular(0, 0x1000, 4)};
       const std::vector<Segment> segments = {{0, 1000, 0, 1}};
       f.block(BlockType::kRecords, 0, encode_records({sites, segments, records, {}}), 1);
       with_runs(f, {{0, 1, 1, 2, 0, 1}});
     },
     "a warp that the CTAs have not"},
    {"records whose site the index lacks",
     [](Forger& f) {
       with_records(f, [](Bytes&) {});
       f.index.sites[0] = {};
     },
     "lacks one of its sites"},
    {"a records block cut short",
     [](Forger& f) { with_records(f, [](Bytes& raw) { raw.pop_back(); }); }, "does not add up"},
    {"a records block with bytes to spare",
     [](Forger& f) { with_records(f, [](Bytes& raw) { raw.push_back(0); }); }, "does not add up"},
    {"a records block with more records than its header says",
     [](Forger& f) {
       f.begin();
       f.index.sites[0] = {{0x10, Op::kLoad, Space::kGlobal, 4}};
       f.block(BlockType::kRecords, 0, tiny_records(), 1);
       with_runs(f, {{0, 1, 1, 2, 0, 1}});
     },
     "another number of records"},
    {"a control byte with unused bits",
     [](Forger& f) { with_records(f, [](Bytes& raw) { raw[raw.size() - 12] |= 0x80; }); },
     "damaged"},
};

}  // namespace

TEST_CASE("forged traces are refused by name") {
  TemporaryFolder folder;
  const std::string path = folder.file("t");
  for (const Malformed& malformed : kMalformed) {
    DYNAMIC_SECTION(malformed.name) {
      Forger forger;
      malformed.make(forger);
      write_file(path, forger.seal());
      const Dump got = dump(path, false);
      REQUIRE(got.error);
      CHECK(got.error->kind == ErrorKind::kMalformed);
      CHECK(got.error->message.find(malformed.message) != std::string::npos);
      CHECK(got.error->place.find(path) == 0);
      CHECK(got.error->place.find("byte ") != std::string::npos);
      CHECK_FALSE(got.error->fix.empty());
      dump(path, true);  // does not crash either
    }
  }
}

TEST_CASE("the forger can be honest") {
  TemporaryFolder folder;
  Forger forger;
  with_records(forger, [](Bytes&) {});
  write_file(folder.file("t"), forger.seal());
  const Dump got = dump(folder.file("t"), false);
  CHECK_FALSE(got.error);
  CHECK(got.records == 2);
}

TEST_CASE("a CTA index in more runs is as good, and --partial does without a wrong one") {
  TemporaryFolder folder;
  Forger honest, wrong;
  with_four_segments(honest, {{1, 1, 1, 2, 0, 2}, {2, 1, 1, 2, 2, 1}, {2, 1, 1, 2, 3, 1}});
  write_file(folder.file("honest"), honest.seal());
  const Dump good = dump(folder.file("honest"), false);
  CHECK_FALSE(good.error);
  CHECK(good.records == 4);
  with_four_segments(wrong, {{1, 4, 1, 2, 0, 1}});
  write_file(folder.file("wrong"), wrong.seal());
  const auto reader = TraceReader::open(folder.file("wrong"), {.allow_partial = true});
  REQUIRE(reader);
  CHECK(reader->quality().records == 4);
  CHECK(reader->ctas(0).value() == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("an index that does not cover the file is refused, and --partial reads on without it") {
  TemporaryFolder folder;
  const std::string path = folder.file("t");
  Forger forger;
  with_records(forger, [](Bytes&) {});
  forger.block(BlockType::kNote, 0, put_note("n"));
  forger.block(BlockType::kNote, 0,
               put_note("m"));  // begun here, so that the first is in the table
  forger.index.blocks.pop_back();
  write_file(path, forger.seal());
  const Dump strict = dump(path, false);
  REQUIRE(strict.error);
  CHECK(strict.error->kind == ErrorKind::kMalformed);
  CHECK(strict.error->message == "the index is damaged");
  CHECK(strict.error->fix.find("--partial") != std::string::npos);
  auto reader = TraceReader::open(path, {.allow_partial = true});
  REQUIRE(reader);
  CHECK(reader->quality().records == 2);
  CHECK_FALSE(reader->quality().sealed);
}

TEST_CASE("sizes over the limits are no block header") {
  BlockHeader header;
  header.type = BlockType::kRecords;
  header.raw_bytes = 16 << 20;
  header.codec = Codec::kZstd;
  header.body_bytes = 1024;
  CHECK_FALSE(decode_block_header(encode_block_header(header, {})));
  header.raw_bytes = kMaxRecordsRaw;
  CHECK(decode_block_header(encode_block_header(header, {})));
  header.records = kMaxBlockRecords + 1;
  CHECK_FALSE(decode_block_header(encode_block_header(header, {})));
  header = {};
  header.type = BlockType::kNote;
  header.records = 1;
  CHECK_FALSE(decode_block_header(encode_block_header(header, {})));
  header.records = 0;
  header.codec = static_cast<Codec>(2);
  header.body_bytes = 1, header.raw_bytes = 2;
  CHECK_FALSE(decode_block_header(encode_block_header(header, {})));
}

TEST_CASE("a file of a newer minor version opens, and says that something was skipped") {
  TemporaryFolder folder;
  Forger forger;
  Bytes raw = put_program(small_program());
  raw.push_back(42);  // a field that 1.8 does not know
  forger.block(BlockType::kProgram, 0, raw);
  forger.block(static_cast<BlockType>(99), 0, Bytes{1, 2, 3});
  Bytes bytes = forger.seal();
  bytes[10] = 9;
  const std::size_t origin = load_le<std::uint32_t>(bytes.data() + 12);
  store_le(bytes.data() + 16,
           hash_bytes(ByteSpan(bytes).first(16), ByteSpan(bytes).subspan(24, origin)));
  write_file(folder.file("t"), bytes);
  auto reader = TraceReader::open(folder.file("t"));
  REQUIRE(reader);
  CHECK(reader->programs().size() == 1);
  CHECK_FALSE(reader->quality().complete());
  CHECK(reader->quality().notes[0] == "written in format 1.9; what 1.8 does not know was skipped");
}

TEST_CASE("a records body with any byte changed decodes or is refused, and never crashes") {
  std::mt19937_64 random(11);
  for (const auto& pattern : patterns::all()) {
    std::vector<Record> records;
    std::vector<std::uint64_t> lanes;
    std::vector<Segment> segments;
    for (const auto& warp : small_warps(pattern)) {
      const auto first = static_cast<std::uint32_t>(records.size());
      for (Record record : warp.records) {
        if (!record.regular()) record.lanes += static_cast<std::uint32_t>(lanes.size());
        records.push_back(record);
      }
      lanes.insert(lanes.end(), warp.lanes.begin(), warp.lanes.end());
      segments.push_back(
          {warp.cta, warp.warp, first, static_cast<std::uint32_t>(warp.records.size())});
    }
    const Bytes good = encode_records({pattern.sites, segments, records, lanes});
    std::size_t refused = 0;
    for (int i = 0; i < 20'000; ++i) {
      Bytes raw = good;
      for (int k = 0; k <= i % 3; ++k)
        raw[random() % raw.size()] = static_cast<std::uint8_t>(random());
      raw.resize(raw.size() + kSlack);
      DecodedRecords out;
      refused += decode_records(ByteSpan(raw).first(good.size()), out) != nullptr;
    }
    CHECK(refused > 0);
  }
}
