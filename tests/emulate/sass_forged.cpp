// Machine code that nobody's compiler made: it ends, or it ends the launch with words.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/catch.hpp"
#include "tests/emulate/machine_code.hpp"
#include "tests/emulate/machine_input.hpp"

using namespace warpmem::emulate::test;

namespace {

// Something of each kind: addresses, barriers, divergence, products, copies, calls.
constexpr const char* kSeed = R"(
LDC R1, c[0x0][0x28] ;
S2R R0, SR_TID.X ;
ULDC.64 UR4, c[0x0][0x208] ;
LDC.64 R2, c[0x0][0x210] ;
IADD3 R1, R1, -0x20, RZ ;
IMAD.WIDE.U32 R2, R0, 0x4, R2 ;
LDG.E R4, desc[UR4][R2.64] ;
ISETP.GE.U32.AND P0, PT, R0, 0x10, PT ;
BSSY B0, `(.L_meet) ;
@P0 BRA `(.L_meet) ;
STL [R1+0x8], R4 ;
LDL.64 R6, [R1+0x8] ;
SHFL.DOWN P1, R5, R4, 0x1, 0x1f ;
.L_meet:
BSYNC B0 ;
UMOV UR6, 0x400 ;
UMOV UR7, 0x408 ;
STS [R0.X4+0x400], R5 ;
BAR.SYNC.DEFER_BLOCKING 0x0 ;
LDSM.16.M88.4 R8, [UR6] ;
WARPSYNC.ALL ;
HMMA.16816.F32 R12, R8, R10, R12 ;
HMMA.SP.16832.F32 R12, R8, R20, R12, R4, 0x1 ;
UMOV UR8, 0x1 ;
R2UR P1, UR9, R4 ;
UBLKCP.S.G [UR6], [UR4], UR8 ;
SYNCS.ARRIVE.TRANS64.A1T0 R16, [UR6], RZ ;
ATOMG.E.ADD.STRONG.GPU PT, R7, desc[UR4][R2.64], R5 ;
MOV R20, 0x210 ;
WARPSYNC 0xffff ;
CALL.REL.NOINC `(.L_called) ;
STG.E.128 desc[UR4][R2.64], R12 ;
HGMMA.64x16x16.F32 R24, gdesc[UR4], R24, gsb0 ;
EXIT ;
.L_called:
FADD R4, R4, |R5| ;
RET.REL.NODEC R20 `(k) ;
)";

std::string damaged(std::string text, std::mt19937& random) {
  constexpr std::string_view kPieces[] = {
      "R255",   "UR63", "-",   "|",   ".64", "0x7ffffff0", "[",   "]",    "c[",    "desc[",
      "gdesc[", "RZ",   "URZ", "!P6", "B15", ", ",         ";\n", "R253", "UR254", "0xffffffff"};
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (std::size_t k = 1 + below(4); k > 0; --k) {
    const std::size_t at = below(text.size());
    switch (below(4)) {
      case 0: text[at] = static_cast<char>(32 + below(95)); break;
      case 1: text.erase(at, 1 + below(6)); break;
      case 2: text.insert(at, kPieces[below(std::size(kPieces))]); break;
      default: {  // a line takes the place of another one
        const std::size_t from = text.find('\n', at), to = text.find('\n', below(text.size()));
        if (from == text.npos || to == text.npos) break;
        const std::size_t end = std::min(text.find('\n', from + 1), text.size());
        text.insert(to, text.substr(from, end - from));
      }
    }
  }
  return text;
}

bool says(const std::string& text, const char* what) { return text.find(what) != text.npos; }

}  // namespace

TEST_CASE("machine code: whatever a listing says, a launch ends with it or with words",
          "[forged]") {
  std::mt19937 random(7);
  const char* const thorough = std::getenv("WARPMEM_THOROUGH");
  std::size_t ended = 0, refused = 0;
  for (int i = 0; i < (thorough ? 100'000 : 5'000); ++i) {
    const std::uint32_t cc = std::array{75u, 80u, 90u, 120u}[static_cast<std::size_t>(i) % 4];
    const std::string text = placed(i < 4 ? std::string(kSeed) : damaged(kSeed, random));
    const std::string said = run_any_listing(text, cc);
    ++(said.empty() ? ended : refused);
  }
  CHECK(refused > ended);
  CHECK(ended > 0);
}

TEST_CASE("machine code: a stack that is none is named", "[forged]") {
  const auto run = [](const char* lines) { return run_any_listing(placed(lines), 90); };
  CHECK(says(run("LDC R1, c[0x0][0x28] ;\nIADD3 R1, R1, -0x100, RZ ;\nSTL [R1], R0 ;\nEXIT ;"),
             "the stack has overflowed: a thread has 64 bytes"));
  CHECK(says(run("MOV R1, 0x7ffffff0 ;\nLDL R0, [R1] ;\nEXIT ;"), "out-of-bounds local load"));
  CHECK(says(run("MOV R1, 0x2 ;\nLDL R0, [R1] ;\nEXIT ;"), "misaligned"));
}

TEST_CASE("machine code: calls of what is no function are named", "[forged]") {
  const auto run = [](const char* lines) { return run_any_listing(placed(lines), 90); };
  CHECK(says(run("MOV R4, 0x10 ;\nMOV R5, RZ ;\nCALL.ABS.NOINC R4 ;\nEXIT ;"),
             "which is not the address of a function"));
  CHECK(says(run("CALL.ABS.NOINC `(nobody) ;\nEXIT ;"), "is not known"));
  CHECK(says(run("MOV R4, 0xfff0 ;\nMOV R5, RZ ;\nRET.REL.NODEC R4 `(k) ;"),
             "outside the kernel's code"));
}

TEST_CASE("machine code: a jump to itself ends with the instructions that a warp may run",
          "[forged]") {
  CHECK(says(run_any_listing(placed("NOP ;\nMOV R4, 0x20 ;\nRET.REL.NODEC R4 `(k) ;\nEXIT ;"), 90),
             "as many as --max-instructions allows"));
}

TEST_CASE("machine code: lanes that wait for nobody are named", "[forged]") {
  const auto run = [](const char* lines) { return run_any_listing(placed(lines), 90); };
  CHECK(
      !run("S2R R0, SR_TID.X ;\nISETP.EQ.AND P0, PT, R0, 0x3, PT ;\n@P0 BRA `(.L_a) ;\n.L_b:\nBRA "
           "`(.L_b) ;\n.L_a:\nWARPSYNC 0xffffffff ;\nEXIT ;")
           .empty());
}

TEST_CASE("machine code: a cubin that is cut or changed is read or refused", "[forged]") {
  std::ifstream in(WARPMEM_TEST_CUBIN, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(in), {}};
  REQUIRE(bytes.size() > 256);
  std::vector<unsigned char> image(bytes.begin(), bytes.end());
  const std::string listing = placed("S2R R0, SR_TID.X ;\nEXIT ;");
  std::size_t refused = 0;
  for (std::size_t n = 0; n < image.size(); n += 1 + n / 40)
    refused += load_any_cubin(std::span(image).first(n), listing).empty() ? 0 : 1;
  CHECK(refused > 10);
  std::mt19937 random(11);
  for (int i = 0; i < 1'000; ++i) {
    std::vector<unsigned char> other = image;
    for (std::size_t k = 1 + random() % 8; k > 0; --k)
      other[random() % (k == 1 ? other.size() : std::size_t{64})] =
          static_cast<unsigned char>(random() >> 8);
    static_cast<void>(load_any_cubin(other, listing));
  }
}
