// How often warps ran each instruction, as a trace says it.
#include <unistd.h>

#include <filesystem>

#include "tests/emulate/support.hpp"
#include "traces/format/reader.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::test;

namespace {

// By statement, of a launch of `ctas` CTAs of 64 threads.
std::vector<std::uint64_t> times_of(const std::string& body, std::uint32_t ctas,
                                    std::uint32_t threads = 1) {
  Machine m(std::string(kHeader) + R"(
.extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, .param .b64 e);
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<10>; .reg .b32 %r<30>; .reg .b64 %rd<10>;
)" + body + "\n}\n");
  m.argument(m.buffer(std::vector<std::uint32_t>(64)));
  m.options.threads = threads;
  std::string name = (std::filesystem::temp_directory_path() / "warpmem-times-XXXXXX").string();
  const int file = ::mkstemp(name.data());
  REQUIRE(file >= 0);
  ::close(file);
  const auto ok = m.launch("k", {ctas, 1, 1}, {64, 1, 1}, 0, name);
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
  auto reader = trace::TraceReader::open(name);
  std::filesystem::remove(name);
  REQUIRE(reader.ok());
  std::vector<std::uint64_t> out;
  for (const trace::TimesRun& run : reader->launches()[0].end.times) {
    CHECK(run.pc == 16 * out.size());
    CHECK(run.copies == 1);
    out.insert(out.end(), run.instructions, run.times);
  }
  return out;
}

// A branch that half of warp 0's lanes take and none of warp 1's, and a loop of three rounds.
constexpr const char* kBody = R"(
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p1, %r1, 16;
  @%p1 bra LOW;
  add.u32 %r2, %r1, 1;
  bra JOIN;
LOW:
  add.u32 %r2, %r1, 2;
  add.u32 %r2, %r2, 3;
JOIN:
  mov.u32 %r3, 0;
AGAIN:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 3;
  @%p2 bra AGAIN;
  ret;
)";

}  // namespace

TEST_CASE("times: a warp counts once for each side of a branch that its lanes take") {
  CHECK(times_of(kBody, 1) == std::vector<std::uint64_t>{2, 2, 2, 2, 2, 1, 1, 2, 6, 6, 6, 2});
  CHECK(times_of(kBody, 5) ==
        std::vector<std::uint64_t>{10, 10, 10, 10, 10, 5, 5, 10, 30, 30, 30, 10});
}

TEST_CASE("times: who waits at an mbarrier asks once, however often the emulator let it ask") {
  // Warp 1 waits for warp 0, which is long about it; nobody waits for the second phase.
  const char* body = R"(
  .shared .align 8 .b64 bar;
  mov.u32 %r0, bar; mov.u32 %r1, %tid.x;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra READY;
  mbarrier.init.shared.b64 [%r0], 1;
READY:
  bar.sync 0;
  setp.ge.u32 %p2, %r1, 32;
  @%p2 bra POLL;
  mov.u32 %r3, 0;
AGAIN:
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p2, %r3, 20000;
  @%p2 bra AGAIN;
  @%p1 bra POLL;
  mbarrier.arrive.shared.b64 _, [%r0];
POLL:
  mbarrier.try_wait.parity.shared.b64 %p3, [%r0], 0;
  @%p3 bra DONE;
  bra POLL;
DONE:
  mov.u32 %r4, 7;
  ret;
)";
  const auto times = times_of(body, 3);
  REQUIRE(times.size() == 19);
  CHECK(times[9] == 3 * 20000);
  CHECK(times[13] == 3);
  CHECK(times[14] == 3 * 2);
  CHECK(times[15] == times[14]);
  CHECK(times[16] == 0);
  CHECK(times[17] == 3 * 2);
}

TEST_CASE("times: lanes meet behind a switch of which a case that nobody takes ends the program") {
  for (const char* end : {"trap;", "call.uni __assertfail, (p0, p1, p2, p3, p4); exit;"}) {
    const std::string body = std::string(R"(
  .param .b64 p0; .param .b64 p1; .param .b32 p2; .param .b64 p3; .param .b64 p4;
  mov.u32 %r1, %tid.x;
  and.b32 %r2, %r1, 1;
  setp.eq.s32 %p1, %r2, 0;
  @%p1 bra ZERO;
  setp.eq.s32 %p2, %r2, 1;
  @%p2 bra ONE;
  )") + end + R"(
ONE:
  mov.u32 %r3, 7;
  bra JOIN;
ZERO:
  mov.u32 %r3, 5;
JOIN:
  add.u32 %r4, %r3, 1;
  add.u32 %r4, %r4, 2;
  ret;
)";
    const auto times = times_of(body, 1);
    REQUIRE(times.size() > 6);
    CHECK(times[times.size() - 1] == 2);  // once a warp
    CHECK(times[times.size() - 2] == 2);
  }
}

TEST_CASE("times: they are the same on any number of threads") {
  // Enough rounds that CTAs run side by side.
  std::string body = kBody;
  body.replace(body.find("%r3, 3;"), 7, "%r3, 3000;");
  const auto alone = times_of(body, 200);
  CHECK(alone[8] == 200 * 2 * 3000);
  CHECK(times_of(body, 200, 4) == alone);
}
