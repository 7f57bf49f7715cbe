// Lanes that store to one word, as an H200 has it (kernels/micro/store_winners.cu).
#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "tests/emulate/support.hpp"

namespace warpmem::emulate::test {
namespace {

// Lanes of a mask store their number, plus one, to one of four places by two bits each.
std::string kernel(const std::string& memory, std::uint32_t bytes) {
  const std::string type = bytes == 16 ? ".v4.u32" : ".u" + std::to_string(8 * bytes);
  const std::string value = bytes == 16 ? "{%r3, %r3, %r3, %r3}" : bytes == 8 ? "%rd4" : "%r3";
  return R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 16 .b8 s[64];
.visible .entry k(.param .u64 to, .param .u32 mask, .param .u64 places) {
  .reg .pred %p<3>; .reg .b32 %r<8>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [to]; ld.param.u32 %r1, [mask]; ld.param.u64 %rd2, [places];
  mov.u32 %r2, %tid.x; add.u32 %r3, %r2, 1; cvt.u64.u32 %rd4, %r3;
  shl.b32 %r4, %r2, 1; shr.u64 %rd2, %rd2, %r4; and.b64 %rd2, %rd2, 3; mul.lo.u64 %rd2, %rd2, )" +
         std::to_string(bytes) + R"(;
  )" + (memory == "shared" ? "mov.u64 %rd3, s;" : "mov.u64 %rd3, %rd1;") +
         R"(
  add.u64 %rd2, %rd2, %rd3; shr.u32 %r5, %r1, %r2; and.b32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 0;
  @%p1 st.)" +
         memory + type + " [%rd2], " + value + R"(;
  bar.sync 0; setp.lt.u32 %p2, %r2, 16; mul.wide.u32 %rd5, %r2, 4;
  add.u64 %rd6, %rd3, %rd5; add.u64 %rd7, %rd1, %rd5;
  @%p2 ld.)" +
         memory + R"(.u32 %r6, [%rd6];
  bar.sync 0; @%p2 st.global.u32 [%rd7], %r6;
  ret;
})";
}

}  // namespace

TEST_CASE("of lanes that store to one word the lowest of the last 128 bytes has its value there") {
  std::ifstream in(WARPMEM_H200_DATA "/store_winners.csv");
  std::string line;
  std::getline(in, line);
  std::size_t cases = 0;
  for (; std::getline(in, line); ++cases) {
    for (char& c : line) c = c == ',' ? ' ' : c;
    std::istringstream words(line);
    std::string memory;
    std::uint32_t bytes = 0, mask = 0;
    std::uint64_t places = 0;
    words >> memory >> bytes >> std::hex >> mask >> places >> std::dec;
    Machine m(kernel(memory, bytes));
    const std::uint64_t to = m.buffer(std::vector<std::uint32_t>(16));
    m.argument(to), m.argument(mask), m.argument(places);
    REQUIRE(m.launch("k", {1, 1, 1}, {32, 1, 1}));
    const auto got = m.read<std::uint32_t>(to, 16);
    INFO(line);
    for (std::uint32_t place = 0; place < 4; ++place) {
      int lane = 0;
      words >> lane;
      std::uint64_t value = 0;
      std::memcpy(&value, reinterpret_cast<const std::byte*>(got.data()) + place * bytes,
                  std::min(bytes, 8u));
      CHECK(static_cast<int>(value & 0xff) == lane + 1);
    }
  }
  CHECK(cases == 400);
}

}  // namespace warpmem::emulate::test
