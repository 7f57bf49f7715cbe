// Unsealed files, wrong files, and what the user is told.
#include <sys/stat.h>

#include <unistd.h>

#include <filesystem>

#include "base/run_files.hpp"
#include "tests/catch.hpp"
#include "tests/traces/support.hpp"

using namespace warpmem;
using namespace warpmem::trace;
using namespace warpmem::trace::testing;

namespace {

Error open_error(const std::string& path, bool allow_partial = false) {
  auto reader = TraceReader::open(path, {.allow_partial = allow_partial});
  REQUIRE_FALSE(reader);
  return reader.error();
}

}  // namespace

TEST_CASE("a recording that was killed opens from its .partial file up to the last whole block") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  {
    auto writer = TraceWriter::create(path, small_origin());
    REQUIRE(writer);
    REQUIRE(writer->add_program(small_program()));
    REQUIRE(writer->begin_launch(small_launch(4)));
    BlockBuilder builder(4);
    for (const auto& warp : small_warps(patterns::streaming())) {
      builder.add(warp.cta, warp.warp, warp.records, patterns::streaming().sites, warp.lanes);
    }
    REQUIRE(writer->append(builder.take(17)));
  }  // never sealed
  const std::string partial = path + ".partial";
  const Error missing = open_error(path);
  CHECK(missing.kind == ErrorKind::kIncomplete);
  CHECK(missing.message.find(partial) != std::string::npos);
  CHECK(missing.fix == "read " + partial + " with --partial");

  const Error unsealed = open_error(partial);
  CHECK(unsealed.kind == ErrorKind::kIncomplete);
  CHECK(unsealed.fix.find("--partial") != std::string::npos);

  auto reader = TraceReader::open(partial, {.allow_partial = true});
  REQUIRE(reader);
  CHECK(reader->quality().records == 16);
  CHECK(reader->quality().lost == 17);
  CHECK(reader->quality().unreadable_bytes == 0);
  CHECK_FALSE(reader->quality().sealed);
  CHECK_FALSE(reader->launches()[0].complete);
  CHECK(reader->ctas(0)->size() == 2);
  CHECK(reader->cta_segments(0, 1)->size() == 2);
  CHECK(reader->cta_segments(0, 9)->empty());
  REQUIRE(reader->quality().notes.size() == 3);
  CHECK(reader->quality().notes[1] == "launch 4: its end is missing");
}

TEST_CASE("the tail of a torn file is measured and named") {
  TemporaryFolder folder;
  Bytes bytes = small_trace();
  bytes.resize(bytes.size() - 60);  // the footer and a piece of the index
  write_file(folder.file("t"), bytes);
  auto reader = TraceReader::open(folder.file("t"), {.allow_partial = true});
  REQUIRE(reader);
  CHECK(reader->quality().records == 64);
  CHECK(reader->quality().unreadable_bytes > 0);
  CHECK(reader->launches()[0].complete);
}

TEST_CASE("the content's hash does not depend on the seal") {
  TemporaryFolder folder;
  Bytes bytes = small_trace();
  write_file(folder.file("sealed"), bytes);
  bytes.resize(bytes.size() - 8);
  write_file(folder.file("cut"), bytes);
  CHECK(TraceReader::open(folder.file("sealed"))->hash() ==
        TraceReader::open(folder.file("cut"), {.allow_partial = true})->hash());
}

TEST_CASE("files that are no traces are told apart") {
  TemporaryFolder folder;
  const std::string path = folder.file("t");
  SECTION("empty") {
    write_file(path, {});
    CHECK(open_error(path).kind == ErrorKind::kMalformed);
    CHECK(open_error(path, true).message == "the file is empty");
  }
  SECTION("foreign") {
    write_file(path, Bytes{'k', 'e', 'r', 'n', 'e', 'l', '-', '1', '\n'});
    CHECK(open_error(path).kind == ErrorKind::kMalformed);
    CHECK(open_error(path, true).message == "this is not a warpmem trace");
  }
  SECTION("shorter than its header") {
    write_file(path, ByteSpan(small_trace()).first(20));
    CHECK(open_error(path).kind == ErrorKind::kIncomplete);
    CHECK(open_error(path, true).kind == ErrorKind::kIncomplete);
  }
  SECTION("of a newer major version") {
    Bytes bytes = small_trace();
    bytes[8] = 2;
    write_file(path, bytes);
    const Error error = open_error(path, true);
    CHECK(error.kind == ErrorKind::kMalformed);
    CHECK(error.message == "the trace is of format 2.8; this version reads up to 1.x");
    CHECK(error.fix == "use a newer warpmem");
    CHECK(error.place == path + ", byte 8");
  }
  SECTION("converted as text") {
    Bytes bytes = small_trace();
    bytes.erase(bytes.begin() + 4);  // \r\n -> \n
    write_file(path, bytes);
    CHECK(open_error(path).kind == ErrorKind::kMalformed);
  }
  SECTION("a folder") { CHECK(open_error(folder.file("")).kind == ErrorKind::kUsage); }
  SECTION("a pipe, which must not block") {
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(open_error(path).kind == ErrorKind::kUsage);
  }
  SECTION("not there") { CHECK(open_error(folder.file("nothing")).kind == ErrorKind::kUsage); }
}

TEST_CASE("files in the way of a recording are not overwritten without being asked") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  write_file(path, Bytes{1, 2, 3});
  CHECK(TraceWriter::create(path, small_origin()).error().kind == ErrorKind::kUsage);
  const std::string other = folder.file("other.wmt");
  write_file(other + ".partial", Bytes{1, 2, 3});
  CHECK(TraceWriter::create(other, small_origin()).error().kind == ErrorKind::kUsage);
  CHECK(read_file(other + ".partial").size() == 3);
  {
    auto writer = TraceWriter::create(path, small_origin(), {.overwrite = true});
    REQUIRE(writer);
    CHECK(read_file(path) == Bytes{1, 2, 3});  // until it is sealed
    CHECK(TraceWriter::create(path, small_origin(), {.overwrite = true}).error().message ==
          "another recording is writing to it");
    REQUIRE(write_small(*writer));
  }
  CHECK(TraceReader::open(path));
  const auto nowhere = TraceWriter::create(folder.file("none/t.wmt"), small_origin());
  CHECK(nowhere.error().kind == ErrorKind::kUsage);
}

TEST_CASE("a recording leaves alone what a link in its way leads to") {
  TemporaryFolder folder;
  write_file(folder.file("mine"), Bytes{1, 2, 3});
  const std::string path = folder.file("t.wmt");
  REQUIRE(::symlink("mine", (path + ".partial").c_str()) == 0);
  CHECK_FALSE(TraceWriter::create(path, small_origin()));
  {
    auto writer = TraceWriter::create(path, small_origin(), {.overwrite = true});
    REQUIRE(writer);
    REQUIRE(write_small(*writer));
  }
  CHECK(TraceReader::open(path));
  CHECK(read_file(folder.file("mine")).size() == 3);
}

TEST_CASE("a recording through a link goes to its target") {
  TemporaryFolder folder;
  REQUIRE(::symlink("target.wmt", folder.file("link.wmt").c_str()) == 0);
  auto writer = TraceWriter::create(folder.file("link.wmt"), small_origin());
  REQUIRE(writer);
  REQUIRE(write_small(*writer));
  CHECK(TraceReader::open(folder.file("target.wmt")));
  CHECK(::unlink(folder.file("link.wmt").c_str()) == 0);
  CHECK(TraceReader::open(folder.file("target.wmt")));
}

TEST_CASE("a recording never writes over what the run reads, not even its .partial") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  write_file(path + ".partial", Bytes{0x89, 'W', 'M'});
  write_file(path, Bytes{1, 2});
  for (const std::string& input : {path, path + ".partial"}) {
    const RunFiles run;
    note_input(input);
    const auto refused = TraceWriter::create(path, small_origin(), {.overwrite = true});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::kUsage);
  }
  CHECK(read_file(path + ".partial").size() == 3);
  CHECK(read_file(path).size() == 2);
}

TEST_CASE("a file that has the name of an unfinished trace, and is none, stays") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  write_file(path + ".partial", Bytes{'m', 'i', 'n', 'e'});
  const auto refused = TraceWriter::create(path, small_origin(), {.overwrite = true});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::kUsage);
  CHECK(read_file(path + ".partial").size() == 4);
}

TEST_CASE("a recording without a record leaves no file") {
  TemporaryFolder folder;
  const std::string path = folder.file("t.wmt");
  {
    auto writer = TraceWriter::create(path, small_origin());
    REQUIRE(writer);
    REQUIRE(writer->add_program(small_program()));
    CHECK(writer->kept().empty());
  }
  CHECK_FALSE(std::filesystem::exists(path + ".partial"));
}

TEST_CASE("wrong use of the writer is an error of ours, and nothing is written") {
  auto file = std::make_shared<MemoryFile>();
  auto writer = TraceWriter::create_on(memory_sink(file), "t.wmt", small_origin());
  const auto internal = [](const auto& result) {
    return !result && result.error().kind == ErrorKind::kInternal;
  };
  CHECK(internal(writer->begin_launch(small_launch(0))));  // no such program
  REQUIRE(writer->add_program(small_program()));
  REQUIRE(writer->begin_launch(small_launch(0)));
  const std::size_t size = file->bytes.size();
  CHECK(internal(writer->begin_launch(small_launch(0))));
  CHECK(internal(writer->end_launch(1, {})));
  BlockBuilder builder(0);
  const std::vector<Record> records = {patterns::regular(3, 0, 0)};
  builder.add(0, 0, records, {}, {});
  CHECK_FALSE(builder.empty());
  CHECK(internal(writer->append(builder.take())));
  CHECK(builder.empty());
  CHECK(file->bytes.size() == size);
  REQUIRE(writer->end_launch(0, {}));
  CHECK(internal(writer->end_launch(0, {})));
  REQUIRE(writer->seal());
  CHECK(internal(writer->note_missing("too late")));
  CHECK(writer->seal());
}

TEST_CASE("asking for what a trace does not have is an error, not a crash") {
  TemporaryFolder folder;
  write_file(folder.file("t"), small_trace());
  auto reader = TraceReader::open(folder.file("t"));
  REQUIRE(reader);
  CHECK_FALSE(reader->decode(0));  // a program block
  CHECK_FALSE(reader->decode(1000));
  CHECK_FALSE(reader->ctas(7));
  CHECK_FALSE(reader->cta_segments(7, 0));
  CHECK(reader->sites(7).empty());
}
