// Replay needs the model's state and a few blocks, however long the trace is.
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

constexpr std::uint32_t kCtas = 132, kWarps = 8;

// Warps of `loads` loads; the file holds `piece` records of every warp, then the next of every
// warp: as a recorder drains a GPU, where all CTAs run at once.
void write_long(const std::string& path, std::uint64_t loads, std::uint64_t piece) {
  Kernel k = kernel(kCtas, kWarps * 32);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
  auto writer = must(trace::TraceWriter::create(path, trace::Origin{}));
  must(writer.add_program(trace::Program{}));
  must(writer.begin_launch(k.launch));
  trace::BlockBuilder builder(0);
  std::vector<Record> records;
  for (std::uint64_t at = 0; at < loads; at += piece)
    for (std::uint64_t warp = 0; warp < kCtas * kWarps; ++warp) {
      records.clear();
      for (std::uint64_t i = at; i < std::min(loads, at + piece); ++i)
        records.push_back(regular(ld, kA + (warp * loads + i) * 128, 4));
      builder.add(warp / kWarps, static_cast<std::uint32_t>(warp % kWarps), records, k.sites, {});
      if (builder.full()) must(writer.append(builder.take()));
    }
  if (!builder.empty()) must(writer.append(builder.take()));
  must(writer.end_launch(0, {}));
  must(writer.seal());
}

// Peak memory of a process of its own that replays the trace, KiB; 0 when that failed.
long peak_kib(const std::string& path) {
  int ends[2];
  if (::pipe(ends) != 0) return 0;
  const pid_t child = ::fork();
  if (child == 0) {
    long peak = 0;
    auto reader = trace::TraceReader::open(path);
    if (reader && sim::replay(*reader, h200())) {
      rusage usage{};
      ::getrusage(RUSAGE_SELF, &usage);
      peak = usage.ru_maxrss;
    }
    const bool written = ::write(ends[1], &peak, sizeof peak) == sizeof peak;
    ::_exit(written ? 0 : 1);
  }
  long peak = 0;
  ::close(ends[1]);
  if (::read(ends[0], &peak, sizeof peak) != sizeof peak) peak = 0;
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return peak;
}

// How much more a trace ten times longer takes, MiB.
long growth(std::uint64_t few_piece, std::uint64_t many_piece) {
  TemporaryFolder folder;
  write_long(folder.file("short.wmt"), 400, few_piece);
  write_long(folder.file("long.wmt"), 4000, many_piece);
  const long few = peak_kib(folder.file("short.wmt")), many = peak_kib(folder.file("long.wmt"));
  UNSCOPED_INFO("422,400 records: " << few << " KiB, 4,224,000 records: " << many << " KiB");
  REQUIRE(few > 0);
  REQUIRE(many > 0);
  return (many - few) / 1024;
}

}  // namespace

// 4,224,000 records are 100 MB decoded. The block cache may fill up (32 MiB), no more.
TEST_CASE("replay's memory does not grow with a trace that was recorded") {
  CHECK(growth(50, 50) < 48);
}

// All of this trace's blocks are in use at once: each resident CTA is in one of its own.
TEST_CASE("replay's memory does not grow with a trace in CTA order") {
  CHECK(growth(400, 4000) < 48);
}
