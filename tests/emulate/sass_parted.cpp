// Machine code in which ptxas has put a YIELD: lanes part as on an H200, which said the numbers
// below when kernels/micro/parted_loops.cu asked it.
#include <numeric>

#include "tests/emulate/machine_code.hpp"
#include "tests/emulate/support.hpp"

using namespace warpmem::emulate;
using namespace warpmem::emulate::test;
using u32 = std::uint32_t;
using u64 = std::uint64_t;

namespace {

MachineCodeRun parted(const std::string& kernel) {
  return MachineCodeRun(shipped("../sass/parted.sass"), {.kernel = kernel});
}

void runs(MachineCodeRun& m, u32 threads) {
  m.options.max_instructions = 2'000'000;
  const auto ok = m.launch({1, 1, 1}, {threads, 1, 1});
  INFO((ok ? std::string() : ok.error().text()));
  REQUIRE(ok.ok());
}

u32 tries_of_lock(u32 lanes, u32 warps) {
  MachineCodeRun m = parted("locks");
  const u64 lock = m.buffer(std::vector<u32>(64)), tries = m.buffer(std::vector<u32>(32 * warps));
  m.argument(lock), m.argument(tries), m.argument(lanes);
  runs(m, 32 * warps);
  CHECK(m.read<u32>(lock, 64)[32] == lanes);
  const auto each = m.read<u32>(tries, 32 * warps);
  return std::accumulate(each.begin(), each.end(), 0u);
}

}  // namespace

TEST_CASE(
    "machine code: lanes of a warp that want one lock try once for each that had it before, as on "
    "an H200") {
  CHECK(tries_of_lock(4, 1) == 10);
  CHECK(tries_of_lock(32, 1) == 528);
}

TEST_CASE("machine code: warps that want one lock try about as often as on an H200") {
  const u32 tries = tries_of_lock(128, 4);  // there 27,600, of 128 lanes in 4 warps
  CHECK(tries > 24'000);
  CHECK(tries < 32'000);
}

TEST_CASE("machine code: lanes that wait for lanes of their warp look as often as on an H200") {
  MachineCodeRun m = parted("chain");
  const u64 flags = m.buffer(std::vector<u32>(32)), tries = m.buffer(std::vector<u32>(32));
  m.argument(flags), m.argument(tries);
  runs(m, 32);
  const auto each = m.read<u32>(tries, 32);
  CHECK(std::accumulate(each.begin(), each.end(), 0u) == 526);
}

TEST_CASE("machine code: who leaves a loop with a YIELD goes on alone, until WARPSYNC") {
  MachineCodeRun m = parted("looks");
  const u64 words = m.buffer(std::vector<u32>(32, 1)), masks = m.buffer(std::vector<u32>(64));
  m.argument(words), m.argument(masks);
  runs(m, 32);
  const auto got = m.read<u32>(masks, 64);
  for (u32 l = 0; l < 32; ++l) {
    CHECK(got[l] == 0x01010101u << (l % 8));
    CHECK(got[32 + l] == ~0u);
  }
}
