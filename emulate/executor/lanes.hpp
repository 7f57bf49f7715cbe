// The arithmetic of 32 lanes, one function an operation and type, found by name when a function is
// decoded. Compiled twice (lanes/): for any x86-64, and for processors with AVX2 and FMA.
#pragma once

#include <string>

#include "emulate/executor/code.hpp"

namespace warpmem::emulate {

// How lanes/ tells its operations: called for each with the parts of its name.
using AddHandler = void (*)(void* to, const char* head, const char* operation, const char* type,
                            Handler handler);

// By canonical name: "add.s32", "setp.ltu.f32", "cvt.f32.s32" … nullptr: there is no such
// operation.
Handler find_handler(const std::string& name);

// Sets rounding, flush-to-zero and saturation around in.inner.
Handler mode_wrapper();

// Rows of lanes: in.a as 64-bit integers, or doubles, whatever its register; and back.
enum class LaneKind : std::uint8_t {
  kNone,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kBf16,
  kF32,
  kF64,
  kTf32
};

// cvt's description in Inst::sub: source kind, destination kind, register widths, rounding.
// Always inlined: lanes/avx2.cpp must leave no copy that the linker could give to everybody.
enum class NanAs : std::uint8_t { kByType, kZero, kMost };  // what an integer becomes of NaN
struct Conversion {
  LaneKind from, to;
  std::uint8_t from_bytes, to_bytes;  // of the registers
  std::uint8_t rounding;              // Rounding
  bool integral;                      // .rni, .rzi …: round to a whole number first
  bool saturate;
  bool flush;         // .ftz
  bool relu, finite;  // .relu, .satfinite
  // Of machine code alone:
  NanAs nan;
  bool flush_all;         // denormals of every type, before and after
  bool negate, absolute;  // which leave a NaN's sign alone
  [[gnu::always_inline]] std::uint32_t pack() const {
    return static_cast<std::uint32_t>(from) | static_cast<std::uint32_t>(to) << 4 |
           std::uint32_t{from_bytes} << 8 | std::uint32_t{to_bytes} << 12 |
           std::uint32_t{rounding} << 17 | std::uint32_t{integral} << 20 |
           std::uint32_t{saturate} << 21 | std::uint32_t{flush} << 22 | std::uint32_t{relu} << 23 |
           std::uint32_t{finite} << 24 | static_cast<std::uint32_t>(nan) << 25 |
           std::uint32_t{flush_all} << 27 | std::uint32_t{negate} << 28 |
           std::uint32_t{absolute} << 29;
  }
  [[gnu::always_inline]] static Conversion unpack(std::uint32_t v) {
    return {static_cast<LaneKind>(v & 15),
            static_cast<LaneKind>(v >> 4 & 15),
            static_cast<std::uint8_t>(v >> 8 & 15),
            static_cast<std::uint8_t>(v >> 12 & 31),
            static_cast<std::uint8_t>(v >> 17 & 7),
            (v >> 20 & 1) != 0,
            (v >> 21 & 1) != 0,
            (v >> 22 & 1) != 0,
            (v >> 23 & 1) != 0,
            (v >> 24 & 1) != 0,
            static_cast<NanAs>(v >> 25 & 3),
            (v >> 27 & 1) != 0,
            (v >> 28 & 1) != 0,
            (v >> 29 & 1) != 0};
  }
};

// A video instruction's description in Inst::sub.
enum class VideoOp : std::uint8_t {
  kAdd,
  kSub,
  kAbsdiff,
  kMin,
  kMax,
  kAverage,
  kSet,
  kShl,
  kShr,
  kMad
};
struct Video {
  VideoOp op;
  bool signed_d, signed_a, signed_b;
  std::uint8_t part_d, part_a, part_b;  // 0 whole register, 1-4 bytes, 5-6 half-words
  bool saturate;
  std::uint8_t second;  // 0 none, 1 add
  std::uint8_t mode;    // vset: comparison; shifts: wraps
  std::uint8_t parts;   // 1, 2 or 4
  [[gnu::always_inline]] std::uint32_t pack() const {
    return static_cast<std::uint32_t>(op) | std::uint32_t{signed_d} << 4 |
           std::uint32_t{signed_a} << 5 | std::uint32_t{signed_b} << 6 |
           std::uint32_t{part_d} << 7 | std::uint32_t{part_a} << 10 | std::uint32_t{part_b} << 13 |
           std::uint32_t{saturate} << 16 | std::uint32_t{second} << 17 | std::uint32_t{mode} << 19 |
           std::uint32_t{parts} << 22;
  }
  [[gnu::always_inline]] static Video unpack(std::uint32_t v) {
    return {static_cast<VideoOp>(v & 15),
            (v >> 4 & 1) != 0,
            (v >> 5 & 1) != 0,
            (v >> 6 & 1) != 0,
            static_cast<std::uint8_t>(v >> 7 & 7),
            static_cast<std::uint8_t>(v >> 10 & 7),
            static_cast<std::uint8_t>(v >> 13 & 7),
            (v >> 16 & 1) != 0,
            static_cast<std::uint8_t>(v >> 17 & 3),
            static_cast<std::uint8_t>(v >> 19 & 7),
            static_cast<std::uint8_t>(v >> 22 & 7)};
  }
};

}  // namespace warpmem::emulate
