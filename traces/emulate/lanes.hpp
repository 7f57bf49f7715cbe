// The arithmetic of 32 lanes, one function an operation and type, found by name when a function is
// decoded. Compiled twice: for any x86-64, and for processors with AVX2 and FMA.
#pragma once

#include <string>
#include <unordered_map>

#include "traces/emulate/code.hpp"

namespace warpmem::emulate {

using HandlerTable = std::unordered_map<std::string, Handler>;

// By canonical name: "add.s32", "setp.ltu.f32", "cvt.f32.s32" … nullptr: there is no such operation.
Handler find_handler(const std::string& name);

// Sets rounding, flush-to-zero and saturation around in.inner.
Handler mode_wrapper();

// Rows of lanes: in.a as 64-bit integers, or doubles, whatever its register; and back.
enum class LaneKind : std::uint8_t { kNone, kU8, kU16, kU32, kU64, kS8, kS16, kS32, kS64, kF16, kBf16, kF32, kF64, kTf32 };

// cvt's description in Inst::sub: source kind, destination kind, register widths, rounding.
struct Conversion {
  LaneKind from, to;
  std::uint8_t from_bytes, to_bytes;  // of the registers
  std::uint8_t rounding;              // Rounding
  bool integral;                      // .rni, .rzi …: round to a whole number first
  bool saturate;
  bool flush;                         // .ftz
  std::uint32_t pack() const {
    return static_cast<std::uint32_t>(from) | static_cast<std::uint32_t>(to) << 4 | std::uint32_t{from_bytes} << 8 |
           std::uint32_t{to_bytes} << 12 | std::uint32_t{rounding} << 17 | std::uint32_t{integral} << 20 |
           std::uint32_t{saturate} << 21 | std::uint32_t{flush} << 22;
  }
  static Conversion unpack(std::uint32_t v) {
    return {static_cast<LaneKind>(v & 15), static_cast<LaneKind>(v >> 4 & 15), static_cast<std::uint8_t>(v >> 8 & 15),
            static_cast<std::uint8_t>(v >> 12 & 31), static_cast<std::uint8_t>(v >> 17 & 7), (v >> 20 & 1) != 0,
            (v >> 21 & 1) != 0, (v >> 22 & 1) != 0};
  }
};

}  // namespace warpmem::emulate
