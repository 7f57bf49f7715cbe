// A damaged trace is detected, not simulated: every length, every bit.
#include "tests/catch.hpp"
#include "tests/traces/support.hpp"

using namespace warpmem;
using namespace warpmem::trace;
using namespace warpmem::trace::testing;

TEST_CASE("a trace cut at any length gives an exact prefix, longer with every block") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  const Bytes whole = small_trace();
  REQUIRE(whole.size() <= 4096);
  write_file(path, whole);
  const Dump complete = dump(path, false);
  REQUIRE_FALSE(complete.error);
  auto full = TraceReader::open(path);
  std::vector<Record> all;
  for (const auto& launch : full->launches()) {
    for (const auto block : launch.blocks) {
      const auto decoded = full->decode(block);
      all.insert(all.end(), decoded->records.begin(), decoded->records.end());
    }
  }

  std::size_t before = 0, opened = 0, wrong = 0;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    write_file(path, ByteSpan(whole).first(length));
    const auto refused = TraceReader::open(path);
    REQUIRE_FALSE(refused);
    wrong += refused.error().fix.empty();
    wrong += refused.error().kind != (length == 0 ? ErrorKind::kMalformed : ErrorKind::kIncomplete);
    auto reader = TraceReader::open(path, {.allow_partial = true});
    if (!reader) {
      wrong += opened != 0;  // once it opens, it opens for every greater length
      continue;
    }
    ++opened;
    wrong += reader->quality().complete();
    std::size_t count = 0;
    for (const auto& launch : reader->launches()) {
      for (const auto block : launch.blocks) {
        const auto decoded = reader->decode(block);
        REQUIRE(decoded);
        for (const Record& record : decoded->records) {
          const Record& want = all.at(count++);
          wrong += record.mask != want.mask || record.base != want.base || record.site != want.site;
        }
      }
    }
    wrong += count < before || count != reader->quality().records;
    before = count;
  }
  CHECK(wrong == 0);
  CHECK(before == all.size());
  CHECK(opened > whole.size() / 2);
}

TEST_CASE("every flipped bit is detected or changes nothing") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  Bytes bytes = small_trace();
  REQUIRE(bytes.size() <= 4096);
  write_file(path, bytes);
  const Dump original = dump(path, false);
  REQUIRE_FALSE(original.error);
  std::size_t detected = 0, silent = 0, nameless = 0, kept = 0;
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    write_file(path, bytes);
    const Dump strict = dump(path, false);
    detected += strict.error.has_value();
    silent += !strict.error && strict.text != original.text;
    if (strict.error) {
      const auto& error = *strict.error;
      nameless += error.place.find(path) != 0 || error.message.empty() || error.fix.empty();
      nameless += error.kind != ErrorKind::kMalformed && error.kind != ErrorKind::kIncomplete;
    }
    if (bit % 16 == 0) {  // with --partial: what precedes the damage, and never more
      auto reader = TraceReader::open(path, {.allow_partial = true});
      if (reader) {
        kept += reader->quality().records;
        silent += reader->quality().complete() && !dump(path, true).error;
      }
    }
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
  }
  WARN(bytes.size() * 8 << " single-bit flips: " << detected << " detected, " << silent
                        << " silent changes");
  CHECK(silent == 0);
  CHECK(nameless == 0);
  CHECK(kept > 0);
  CHECK(detected == bytes.size() * 8);
}

TEST_CASE("bytes added behind a sealed trace are noticed") {
  TemporaryFolder folder;
  Bytes bytes = small_trace();
  bytes.push_back(0);
  write_file(folder.file("t"), bytes);
  const auto refused = TraceReader::open(folder.file("t"));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kIncomplete);
  auto reader = TraceReader::open(folder.file("t"), {.allow_partial = true});
  REQUIRE(reader);
  CHECK(reader->quality().records == 64);
}

namespace {

// By block: how many records a trace holds in it, and where it lies; from a whole trace.
struct Block {
  std::size_t begin = 0, end = 0;
  std::uint8_t type = 0;
  std::uint64_t records = 0;
};

std::vector<Block> blocks_of(const Bytes& bytes) {
  std::vector<Block> out;
  std::size_t at = 24 + load_le<std::uint32_t>(bytes.data() + 12);
  while (at + 48 <= bytes.size() && bytes[at] == 'W' && bytes[at + 1] == 'B') {
    const std::size_t end = at + 48 + load_le<std::uint32_t>(bytes.data() + at + 16);
    out.push_back({at, end, bytes[at + 4], load_le<std::uint64_t>(bytes.data() + at + 24)});
    at = end;
  }
  return out;
}

constexpr std::uint8_t kRecordsBlock = 3, kIndexBlock = 7;

std::uint64_t readable(const TraceReader& reader) {
  std::uint64_t records = 0;
  for (const auto& launch : reader.launches())
    for (const auto block : launch.blocks) {
      const auto decoded = reader.decode(block);
      REQUIRE(decoded);
      records += decoded->records.size();
    }
  return records;
}

}  // namespace

TEST_CASE("with --partial a damaged records block is skipped, and what was in it is told as lost") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  const Bytes whole = small_trace();
  for (const bool sealed : {true, false}) {
    for (const Block& block : blocks_of(whole)) {
      if (block.type != kRecordsBlock) continue;
      for (const std::size_t at : {block.begin, block.begin + 8, block.begin + 40, block.end - 1}) {
        INFO("byte " << at << ", sealed " << sealed);
        Bytes bytes = whole;
        bytes[at] ^= 0x10;
        if (!sealed) bytes.resize(bytes.size() - 1);
        write_file(path, bytes);
        auto reader = TraceReader::open(path, {.allow_partial = true});
        REQUIRE(reader);
        CHECK_FALSE(reader->quality().complete());
        CHECK(reader->quality().sealed == sealed);
        CHECK(reader->quality().records == readable(*reader));
        if (sealed) {
          CHECK(reader->quality().records == 64 - block.records);
          CHECK(reader->quality().lost == block.records);
          CHECK(reader->quality().unreadable_bytes == 0);
        } else {  // what began behind it may be anything
          CHECK(reader->quality().records <= 64 - block.records);
        }
        bool told = false;
        for (const std::string& note : reader->quality().notes)
          told = told || note.find("were skipped") != std::string::npos ||
                 note.find("not readable") != std::string::npos;
        CHECK(told);
      }
    }
  }
}

TEST_CASE("with --partial a damaged block of another kind costs no record that can be understood") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  const Bytes whole = small_trace();
  for (const Block& block : blocks_of(whole)) {
    if (block.type == kRecordsBlock || block.type == kIndexBlock) continue;
    Bytes bytes = whole;
    bytes[block.end - 1] ^= 1;
    write_file(path, bytes);
    auto reader = TraceReader::open(path, {.allow_partial = true});
    INFO("block of type " << int{block.type});
    REQUIRE(reader);
    CHECK_FALSE(reader->quality().complete());
    CHECK(readable(*reader) == reader->quality().records);
    const bool begin = block.type == 2;  // nobody knows the launch
    if (!begin) CHECK(reader->quality().records == 64);
    if (block.type == 1) CHECK(reader->programs()[0].code.empty());
  }
}
