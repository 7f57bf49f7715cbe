// Names of the driver's functions at their calls. The lines are what nvcc 13 made of new, printf
// and delete for sm_90.
#include "binary/disassembly/driver_calls.hpp"

#include "tests/catch.hpp"

using namespace warpmem;

namespace {

std::vector<std::string> named(const std::vector<std::string>& text) {
  std::vector<trace::Instruction> code;
  for (const std::string& t : text)
    code.push_back({static_cast<std::uint32_t>(16 * code.size()), t});
  record::name_driver_calls(code, {{0x0, "vprintf"}, {0x8, "malloc"}, {0x10, "free"}});
  std::vector<std::string> out;
  for (const trace::Instruction& i : code) out.push_back(i.text);
  return out;
}

}  // namespace

TEST_CASE("calls through constant bank 4 get the function's name", "[record]") {
  const auto a = named({"MOV R0, 0x8 ;", "IMAD.MOV.U32 R5, RZ, RZ, RZ ;", "LDC.64 R2, c[0x4][R0] ;",
                        "LEPC R20, 0x60 ;", "CALL.ABS.NOINC R2 ;", "EXIT ;"});
  CHECK(a[4] == "CALL.ABS.NOINC R2 `(malloc) ;");
  CHECK(a[5] == "EXIT ;");
  // The offset in the instruction, and as the smallest numbers of half precision.
  CHECK(named({"LDC.64 R6, c[0x4][0x10] ;", "CALL.ABS.NOINC R6"})[1] ==
        "CALL.ABS.NOINC R6 `(free)");
  CHECK(named({"HFMA2.MMA R4, -RZ, RZ, 0, 9.5367431640625e-07 ;", "LDC.64 R6, c[0x4][R4] ;",
               "CALL.ABS.NOINC R6 ;"})[2] == "CALL.ABS.NOINC R6 `(free) ;");
  CHECK(named({"MOV R0, 0x0 ;", "LDC.64 R2, c[0x4][R0] ;", "CALL.ABS.NOINC R2 ;"})[2] ==
        "CALL.ABS.NOINC R2 `(vprintf) ;");
}

TEST_CASE("calls of what is not known keep their text", "[record]") {
  for (const std::vector<std::string>& text :
       {std::vector<std::string>{"LDC.64 R2, c[0x4][0x18] ;",
                                 "CALL.ABS.NOINC R2 ;"},                      // no function
        {"LDC.64 R2, c[0x4][0x8] ;", "MOV R2, R4 ;", "CALL.ABS.NOINC R2 ;"},  // overwritten
        {"MOV R0, 0x8 ;", "LDC.64 R0, c[0x0][0x210] ;", "LDC.64 R2, c[0x4][R0] ;",
         "CALL.ABS.NOINC R2 ;"},
        {"@P0 LDC.64 R2, c[0x4][0x8] ;", "CALL.ABS.NOINC R2 ;"},    // perhaps
        {"LD.E.64 R2, desc[UR4][R2.64] ;", "CALL.ABS.NOINC R2 ;"},  // a virtual function
        {"CALL.ABS.NOINC `(malloc) ;"},
        {"NOP;", "BRA 0x10;"}})
    CHECK(named(text) == text);
}
