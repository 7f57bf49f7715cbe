// Operands as nvdisasm prints them.
#include "isa/sass/operand.hpp"

#include <cmath>

#include "tests/catch.hpp"

using namespace warpmem;
using namespace warpmem::trace;
using Kind = SassOperand::Kind;

namespace {

SassOperand decoded(std::string_view text) {
  auto operand = decode_operand(text);
  INFO(text);
  REQUIRE(operand.ok());
  return *operand;
}

}  // namespace

TEST_CASE("registers and predicates, with what stands around them") {
  const SassOperand r = decoded("-|R4.H0_H0|.reuse");
  CHECK(r.kind == Kind::kRegister);
  CHECK(r.number == 4);
  CHECK((r.negative && r.absolute && r.reuse && r.has("H0_H0")));
  CHECK(decoded("RZ").is_zero_register());
  CHECK(decoded("URZ").is_zero_register());
  CHECK_FALSE(decoded("UR63").is_zero_register());
  CHECK(decoded("~R12").complement);
  CHECK(decoded("UR63").kind == Kind::kUniformRegister);
  const SassOperand p = decoded("!PT");
  CHECK((p.kind == Kind::kPredicate && p.number == kTruePredicate && p.complement));
  CHECK(decoded("UP2").kind == Kind::kUniformPredicate);
  CHECK(decoded("B15").kind == Kind::kBarrierRegister);
  CHECK(decoded("SB0").kind == Kind::kScoreboard);
  CHECK(decoded("SR_TID.X").kind == Kind::kSpecial);
  CHECK(decoded("R300").kind == Kind::kText);
  CHECK(decoded("2D").kind == Kind::kText);
}

TEST_CASE("numbers, whole and not") {
  CHECK(decoded("0x10").value == 16);
  CHECK(decoded("-0x7").value == -7);
  CHECK(decoded("1.5").real == 1.5);
  CHECK(decoded("-INF").real == -INFINITY);
  CHECK(decoded("1.17549435082228750797e-38").real == 1.17549435082228750797e-38);
  const SassOperand n = decoded("-QNAN");
  CHECK((n.kind == Kind::kFloat && n.nan && n.negative));
}

TEST_CASE("constants and addresses") {
  const SassOperand c = decoded("c[0x3][R4+0x10]");
  CHECK((c.kind == Kind::kConstant && c.bank == 3 && c.base == 4 && c.value == 16));
  CHECK(decoded("-c[0x0][0x210]").negative);
  CHECK(decoded("cx[UR4][0x10]").descriptor == 4);
  const SassOperand m = decoded("desc[UR4][R2.64+UR6+-0x10]");
  CHECK((m.kind == Kind::kMemory && m.descriptor == 4 && m.base == 2 && m.wide && m.uniform == 6 &&
         m.value == -16));
  CHECK(decoded("[R2.X8+UR4]").scale == 8);
  CHECK(decoded("[R2.U32+UR4.64]").wide_uniform);
  CHECK(decoded("gdesc[UR8]").group);
  CHECK(decoded("`(.L_x_4)").text == ".L_x_4");
}

TEST_CASE("operands that do not end as they should are errors") {
  for (const char* text : {"|R4", "c[0x0", "c[0x0][R4", "c[0x99][0x0]", "[R2", "[R2+@]",
                           "desc[R4][R2]", "`(x", "[R2+R4+R6]"}) {
    INFO(text);
    CHECK(!decode_operand(text).ok());
  }
}
