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
