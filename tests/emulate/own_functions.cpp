// Divisions and roots for which ptxas calls a function of its own: which warps call it.
#include "emulate/ptx/own_functions.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "tests/emulate/mapped.hpp"

namespace warpmem::emulate {
namespace {

template <typename Value>
bool calls(const char* opcode, Value a, Value b = 1, std::uint32_t lanes = 1) {
  std::array<Value, 32> x{}, y{};
  x.fill(static_cast<Value>(3)), y.fill(static_cast<Value>(2));
  x[0] = a, y[0] = b;
  return calls_own_function(own_function(opcode), x.data(), y.data(), lanes);
}

TEST_CASE("a division that has nothing out of the ordinary calls nothing") {
  constexpr double kHuge = std::numeric_limits<double>::max(),
                   kTiny = std::numeric_limits<double>::min();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  CHECK(!calls("div.rn.f64", 1.0, 3.0));
  CHECK(!calls("div.rn.f64", -1e-280, 7.0));
  CHECK(calls("div.rn.f64", 0.0, 3.0));  // what is divided is none of full precision
  CHECK(calls("div.rn.f64", 1e-300, 3.0));
  CHECK(calls("div.rn.f64", 1.0, 0.0));  // the quotient
  CHECK(calls("div.rn.f64", 1e-200, 1e200));
  CHECK(calls("div.rn.f64", 1.0, kHuge));  // what divides
  CHECK(calls("div.rn.f64", 1.0, kInf));
  CHECK(!calls("div.rn.f64", 0.0, 3.0, ~1u));  // not of these lanes
  CHECK(calls("div.rn.f64", 0.0, 3.0, ~0u));
  CHECK(!calls("rcp.rn.f64", 4.0));
  CHECK(calls("rcp.rn.f64", 0.0));
  CHECK(calls("rcp.rn.f64", kTiny / 2));
  CHECK(calls("rcp.rn.f64", kHuge));
  CHECK(!calls("sqrt.rn.f64", 2.0));
  CHECK(calls("sqrt.rn.f64", 0.0));
  CHECK(calls("sqrt.rn.f64", -1.0));
}

TEST_CASE("so do roots and reciprocals of floats; divisions of 64-bit integers always call") {
  CHECK(!calls("sqrt.rn.f32", 2.0f));
  CHECK(calls("sqrt.rn.f32", 0.0f));
  CHECK(calls("sqrt.rn.f32", -2.0f));
  CHECK(!calls("rcp.rn.f32", 2.0f));
  CHECK(calls("rcp.rn.f32", 0.0f));
  CHECK(calls("rcp.rn.f32", std::numeric_limits<float>::infinity()));
  CHECK(own_function("div.s64") == OwnFunction::kAlways);
  CHECK(own_function("div.s32") == OwnFunction::kNone);
  CHECK(own_function("rcp.approx.f32") == OwnFunction::kNone);
}

TEST_CASE("warps of which a lane divides a zero are counted, on any number of threads") {
  for (const std::uint32_t threads : {1u, 4u}) {
    test::Machine m(std::string(test::kHeader) + R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .f64 %d<4>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; setp.lt.u32 %p1, %r1, 160;
  cvt.rn.f64.u32 %d1, %r1; mov.f64 %d2, 0d4008000000000000;
  @%p1 div.rn.f64 %d3, %d1, %d2;
  div.rn.f64 %d3, %d2, %d2;
  mul.wide.u32 %rd2, %r1, 8; add.u64 %rd1, %rd1, %rd2; st.global.f64 [%rd1], %d3; ret;
})");
    m.options.threads = threads;
    m.argument(m.buffer(std::vector<double>(192)));
    const std::string name = (std::filesystem::temp_directory_path() / "own_calls.wmt").string();
    const auto ok = m.launch("k", {7, 1, 1}, {192, 1, 1}, 0, name);
    std::filesystem::remove(name);
    REQUIRE(ok.ok());
    REQUIRE(m.statistics.own_calls.size() > 6);
    CHECK(m.statistics.own_calls[5] == 7);  // the first of six warps of each CTA
    CHECK(m.statistics.times[5] == 42);
    CHECK(m.statistics.own_calls[6] == 0);
  }
}

TEST_CASE("the block that calls ran as often as its statement says") {
  const char* body = R"(
  div.rn.f64 %d3, %d1, %d2;
  st.shared.f64 [%r1], %d3;
  ret;)";
  Mapped m(body,
           {{0, "MUFU.RCP64H R3, R7"},
            {0, "@P0 BRA 0x40"},
            {0, "MOV R0, 0x40"},
            {0, "CALL.REL.NOINC 0x60"},
            {1, "STS.64 [R1], R2"},
            {2, "EXIT"},
            {-1, "DMUL R2, R4, R6"},
            {-1, "RET.REL.NODEC R8 0x0"}},
           "", ".reg .f64 %d<4>;");
  REQUIRE(m.why.empty());
  REQUIRE(m.map.origins.size() == 8);
  for (const std::size_t i : {0u, 1u}) {
    CHECK(m.map.origins[i].statement == 0);
    CHECK(!m.map.origins[i].own_call);
  }
  for (const std::size_t i : {2u, 3u}) {
    CHECK(m.map.origins[i].statement == 0);
    CHECK(m.map.origins[i].own_call);
  }
}

}  // namespace
}  // namespace warpmem::emulate
