#include "sim/probe/kernels.hpp"

#include <fmt/format.h>

namespace warpmem::sim::probe {
namespace {

using trace::Op;
using trace::Space;

constexpr std::uint32_t kNone = trace::kNoBarrier;

// Stall cycles, the scoreboard that the result sets, a mask of those that are waited for.
constexpr std::uint32_t control(std::uint32_t stall, std::uint32_t sets = kNone,
                                std::uint32_t waits = 0) {
  return stall | 1u << 4 | sets << 5 | kNone << 8 | waits << 11;
}

class Code {
 public:
  explicit Code(std::string name) {
    k_.name = std::move(name);
    k_.sites.push_back({0, Op::kCtaBegin, Space::kNone, 0});
    line("MOV R1, 0x0", control(4));
  }
  void line(std::string text, std::uint32_t word) {
    k_.code.push_back({pc(), std::move(text), 0, 0, word});
  }
  void load(std::string text, Space space, std::uint32_t bytes, std::uint32_t word) {
    k_.loads.push_back(static_cast<std::uint32_t>(k_.sites.size()));
    k_.sites.push_back({pc(), Op::kLoad, space, bytes});
    line(std::move(text), word);
  }
  void store(std::string text, std::uint32_t bytes, std::uint32_t word) {
    k_.stores.push_back(static_cast<std::uint32_t>(k_.sites.size()));
    k_.sites.push_back({pc(), Op::kStore, Space::kGlobal, bytes});
    line(std::move(text), word);
  }
  void back_to(std::uint32_t target) {
    line("ISETP.NE.AND P0, PT, R1, RZ, PT", control(4));
    line(fmt::format("@P0 BRA 0x{:x}", target), control(5));
  }
  std::uint32_t pc() const { return static_cast<std::uint32_t>(16 * k_.code.size()); }
  Kernel end() {
    k_.sites.push_back({pc(), Op::kCtaEnd, Space::kNone, 0});
    line("EXIT", control(5));
    return std::move(k_);
  }

 private:
  Kernel k_;
};

constexpr std::uint32_t kUnroll = 16;  // loads of a chase for each branch back

const char* wide(std::uint32_t bytes) { return bytes == 16 ? ".128" : bytes == 8 ? ".64" : ""; }

}  // namespace

Kernel chase(Through through, bool indexed) {
  Code code("chase");
  const char* const scope = through == Through::kPastL1 ? ".STRONG.GPU" : "";
  const std::uint32_t loop = code.pc();
  for (std::uint32_t i = 0; i < kUnroll; ++i) {
    code.load(fmt::format("LDG.E{}{} R2, [R2.64]", indexed ? "" : ".64", scope), Space::kGlobal,
              indexed ? 4 : 8, control(1, 0, 1));
    if (indexed) code.line("IMAD.WIDE R2, R2, R5, R6", control(5, kNone, 1));
  }
  code.back_to(loop);
  return code.end();
}

Kernel shared_chase() {
  Code code("shared_chase");
  const std::uint32_t loop = code.pc();
  for (std::uint32_t i = 0; i < kUnroll; ++i)
    code.load("LDS R2, [R2]", Space::kShared, 4, control(1, 0, 1));
  code.back_to(loop);
  return code.end();
}

Kernel read_rounds(std::uint32_t unroll, std::uint32_t bytes, Through through) {
  Code code("read_rounds");
  const char* const scope = through == Through::kPastL1 ? ".STRONG.GPU" : "";
  const std::uint32_t loop = code.pc();
  for (std::uint32_t i = 0; i < unroll; ++i)
    code.load(fmt::format("LDG.E{}{} R{}, [R2.64+0x{:x}]", wide(bytes), scope, 8 + 4 * i, 8192 * i),
              Space::kGlobal, bytes, control(1, 0));
  code.line("FADD R4, R4, R8", control(4, kNone, 1));
  for (std::uint32_t i = 1; i < unroll; ++i)
    code.line(fmt::format("FADD R4, R4, R{}", 8 + 4 * i), control(4));
  code.back_to(loop);
  return code.end();
}

Kernel shared_rounds(std::uint32_t unroll) {
  Code code("shared_rounds");
  const std::uint32_t loop = code.pc();
  for (std::uint32_t i = 0; i < unroll; ++i)
    code.load(fmt::format("LDS R{}, [R2+0x{:x}]", 8 + i, 4096 * i), Space::kShared, 4,
              control(1, 0));
  code.line("FADD R4, R4, R8", control(4, kNone, 1));
  code.back_to(loop);
  return code.end();
}

Kernel stream(std::uint32_t loads, bool stores) {
  Code code("stream");
  // Which element the thread has, and whether there is one.
  code.line("S2R R0, SR_CTAID.X", control(1, 0));
  code.line("S2R R3, SR_TID.X", control(2, 0));
  code.line("IMAD R0, R0, c[0x0][0x0], R3", control(5, kNone, 1));
  code.line("ISETP.GE.AND P0, PT, R0, c[0x0][0x178], PT", control(12));
  code.line("@P0 EXIT", control(5));
  code.line("MOV R5, 0x8", control(4));
  code.line("IMAD.WIDE R2, R0, R5, c[0x0][0x160]", control(5));
  code.line("IMAD.WIDE R4, R0, R5, c[0x0][0x168]", control(5));
  for (std::uint32_t i = 0; i < loads; ++i)
    code.load(fmt::format("LDG.E.64 R{}, [R{}.64]", 8 + 2 * i, 2 + 2 * i), Space::kGlobal, 8,
              control(1, 0));
  if (loads > 0) code.line("FFMA R20, R8, R9, R10", control(4, kNone, 1));
  if (stores) code.store("STG.E.64 [R4.64], R20", 8, control(1));
  return code.end();
}

}  // namespace warpmem::sim::probe
