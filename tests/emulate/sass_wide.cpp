// Accesses that ptxas made wide.
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"

namespace warpmem::emulate {
namespace {

// Four words, of which the first was loaded before, by itself.
constexpr const char* kBody = R"(
  ld.shared.u32 %r1, [%r10+16];
  ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r10+16];
  st.shared.u32 [%r11], %r3;
  ret;)";

TEST_CASE("a word, and the four that it is one of, are one load by the word's name") {
  const std::vector<Line> code = {
      {0, "LDS.128 R20, [R10+0x10]"}, {2, "STS [R11], R21"}, {3, "EXIT"}};
  Mapped m(kBody, code);
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0x110, 0);
  m.access(1, 16, kAll, 0x110, 0);
  m.access(2, 4, kAll, 0x300, 4, trace::Op::kStore);
  CHECK(m.run() == "0/16 10/4");
  CHECK(m.counts.kept == 0);
  CHECK(m.counts.merged == 1);
  // By other lanes they are not.
  Mapped n(kBody, code);
  n.access(0, 4, kAll, 0x110, 0);
  n.access(1, 16, 0xff, 0x110, 0);
  n.access(2, 4, kAll, 0x300, 4, trace::Op::kStore);
  n.run();
  CHECK(n.counts.kept == 2);
}

}  // namespace
}  // namespace warpmem::emulate
