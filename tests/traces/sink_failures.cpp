// A disk that fails at the n-th operation, for every n: what was whole stays readable.
#include <sys/resource.h>

#include <filesystem>

#include "tests/catch.hpp"
#include "tests/traces/support.hpp"

using namespace warpmem;
using namespace warpmem::trace;
using namespace warpmem::trace::testing;

namespace {

struct Outcome {
  std::shared_ptr<MemoryFile> file = std::make_shared<MemoryFile>();
  std::optional<Error> error;
};

Outcome write_with_failure(int n, bool for_ever, std::size_t partly, int code) {
  Outcome out;
  out.file->fail_at = n;
  out.file->for_ever = for_ever;
  out.file->partly = partly;
  out.file->code = code;
  auto writer = TraceWriter::create_on(memory_sink(out.file), "t.wmt", small_origin());
  if (!writer) {
    out.error = writer.error();
  } else if (auto done = write_small(*writer); !done) {
    out.error = done.error();
  }
  return out;
}

// A program, and a launch with one record.
Result<void> write_one_launch(TraceWriter& writer) {
  if (auto added = writer.add_program(small_program()); !added) return added.error();
  if (auto begun = writer.begin_launch(small_launch(0)); !begun) return begun;
  const auto pattern = patterns::streaming();
  BlockBuilder builder(0);
  for (const auto& warp : small_warps(pattern))
    builder.add(warp.cta, warp.warp, warp.records, pattern.sites, warp.lanes);
  if (auto appended = writer.append(builder.take()); !appended) return appended;
  LaunchEnd end;
  end.truncated = true;
  return writer.end_launch(0, end);
}

}  // namespace

TEST_CASE("the n-th operation fails, n = 1 until none does") {
  TemporaryFolder folder;
  const std::string path = folder.file("t");
  const Bytes whole = small_trace();
  for (const bool for_ever : {false, true}) {
    for (const std::size_t partly : {0, 1, 100}) {
      int n = 1;
      for (;; ++n) {
        const Outcome out = write_with_failure(n, for_ever, partly, n % 2 ? 28 : 5);
        if (!out.error) break;
        const Error& error = *out.error;
        INFO("operation " << n << ": " << error.text());
        CHECK(error.kind == ErrorKind::kResources);
        // Without a record there is nothing to keep.
        const bool kept = error.message.find("kept in t.wmt.partial") != std::string::npos;
        CHECK(error.place == (kept ? "t.wmt.partial" : "t.wmt"));
        CHECK(kept == (error.message.find("no record was written") == std::string::npos));
        CHECK(kept != out.file->discarded);
        CHECK_FALSE(error.fix.empty());
        CHECK_FALSE(out.file->published);
        if (n == 1) continue;  // not even the header
        write_file(path, out.file->bytes);
        auto reader = TraceReader::open(path, {.allow_partial = true});
        REQUIRE(reader);
        for (const auto& launch : reader->launches()) {
          for (const auto block : launch.blocks) CHECK(reader->decode(block));
        }
        const std::size_t readable = out.file->bytes.size() - reader->quality().unreadable_bytes;
        CHECK(readable <= whole.size());
        CHECK(std::equal(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(readable),
                         out.file->bytes.begin()));
      }
      CHECK(n == 16);  // header, 8 blocks, 3 index blocks, footer, fsync, rename: 15 operations
    }
  }
}

TEST_CASE(
    "after a passing failure the same call succeeds and the trace is as if nothing happened") {
  const Bytes whole = small_trace();
  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "t.wmt", small_origin());
  REQUIRE(writer);
  int failures = 0;
  const auto retry = [&](auto&& call) {
    file->fail_at = file->calls + 1;
    file->partly = 30;
    CHECK_FALSE(call());
    ++failures;
    CHECK(call());
  };
  retry([&] { return writer->add_program(small_program()).ok(); });
  std::uint32_t id = 3;
  for (const auto& list :
       {std::vector{patterns::streaming(), patterns::spmv()}, std::vector{patterns::transpose()}}) {
    retry([&] { return writer->begin_launch(small_launch(id)).ok(); });
    for (const auto& pattern : list) {
      BlockBuilder builder(id);
      for (const auto& warp : small_warps(pattern)) {
        builder.add(warp.cta, warp.warp, warp.records, pattern.sites, warp.lanes);
      }
      const EncodedBlock block = builder.take();
      retry([&] { return writer->append(block).ok(); });
    }
    retry([&] { return writer->end_launch(id, {}).ok(); });
    id += 2;
  }
  retry([&] { return writer->seal().ok(); });
  CHECK(failures == 9);
  CHECK(file->published);
  CHECK(file->bytes == whole);
}

TEST_CASE("after a failed fsync a trace is never called sealed") {
  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "t.wmt", small_origin());
  REQUIRE(writer->add_program(small_program()));
  file->fail_at = file->calls + 3;  // index, footer, fsync
  CHECK_FALSE(writer->seal());
  CHECK_FALSE(writer->seal());
  CHECK_FALSE(file->published);
}

TEST_CASE("a trace that a failure has cut short is closed, and never gets its name") {
  auto file = std::make_shared<MemoryFile>();
  {
    auto writer = TraceWriter::create_on(memory_sink(file), "t.wmt", small_origin());
    REQUIRE(writer);
    REQUIRE(write_one_launch(*writer));
    REQUIRE(writer->seal_incomplete());
    CHECK(writer->kept() == "t.wmt.partial");
  }
  CHECK(file->synced);
  CHECK_FALSE(file->published);
  CHECK_FALSE(file->discarded);
  TemporaryFolder folder;
  write_file(folder.file("t"), file->bytes);
  auto reader = TraceReader::open(folder.file("t"));
  REQUIRE(reader);
  CHECK(reader->quality().sealed);
}

TEST_CASE("a limit on the size of files ends a recording with what fits, not by a signal") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  const Bytes whole = small_trace(0);
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const rlimit limit{whole.size() - 600, before.rlim_max};
  std::optional<Error> error;
  {
    auto writer = TraceWriter::create(path, small_origin());
    REQUIRE(writer);
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    if (auto done = write_small(*writer, 0); !done) error = done.error();
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  }
  REQUIRE(error);
  CHECK(error->kind == ErrorKind::kResources);
  CHECK(error->place == path + ".partial");
  CHECK(error->fix.find("ulimit -f") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(path));
  auto reader = TraceReader::open(path + ".partial", {.allow_partial = true});
  REQUIRE(reader);
  CHECK(reader->quality().records > 0);
}
