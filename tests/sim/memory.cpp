// Replay needs the model's state and a few blocks, however long the trace is.
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/catch.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

Kernel long_warps(std::uint64_t loads) {
  Kernel k = kernel(132, 256);
  const auto ld = k.site(Op::kLoad, Space::kGlobal, 4);
  k.fill = [=](Warp& w) {
    w.records.reserve(loads);
    for (std::uint64_t i = 0; i < loads; ++i) w.records.push_back(regular(ld, kA + ((w.cta * 8 + w.warp) * loads + i) * 128, 4));
  };
  return k;
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

}  // namespace

TEST_CASE("replay's memory does not grow with the trace") {
  TemporaryFolder folder;
  // The warps' records lie in pieces, as a recorder drains them: no CTA ends before the last block.
  write_trace(folder.file("short.wmt"), {long_warps(400)});
  write_trace(folder.file("long.wmt"), {long_warps(4000)});
  const long few = peak_kib(folder.file("short.wmt")), many = peak_kib(folder.file("long.wmt"));
  INFO("422,400 records: " << few << " KiB, 4,224,000 records: " << many << " KiB");
  REQUIRE(few > 0);
  REQUIRE(many > 0);
  // The longer one is 100 MB decoded. The block cache may fill up, no more.
  CHECK(many - few < 48 * 1024);
}
