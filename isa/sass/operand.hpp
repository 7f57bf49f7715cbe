// One operand of a SASS instruction, decoded from the text that nvdisasm prints:
// "-|R4.H0_H0|.reuse", "desc[UR4][R2.64+UR6+0x10]", "c[0x0][R4+0x210]", "!PT", "SR_TID.X". What a
// number means (an integer, half of a double) is the instruction's affair: both readings are there.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace warpmem::trace {

// RZ, URZ, PT and UPT as the encoding has them (URZ as that of 10.0 and later, where UR63 is one
// like others; before it is URZ's own number and has no other name).
constexpr std::uint16_t kZeroRegister = 255, kZeroUniform = 255, kTruePredicate = 7;
constexpr std::uint16_t kNoRegister = 0xffff;

struct SassOperand {
  enum class Kind : std::uint8_t {
    kRegister,         // R4, RZ
    kUniformRegister,  // UR4, URZ
    kPredicate,        // P0, PT
    kUniformPredicate,
    kBarrierRegister,  // B0: a convergence barrier
    kScoreboard,       // SB0
    kSpecial,          // SR_TID.X: `text`
    kInteger,          // 0x10, -0x7
    kFloat,            // 1.5, +INF, -QNAN
    kConstant,         // c[bank][…], cx[UR…][…]
    kMemory,           // [R2.64+UR4+0x10], desc[UR4][…], gdesc[UR4]
    kLabel,            // `(.L_x_1), `(function): `text`
    kText,             // all else, as it stands: 2D, PR, {0,1}
  };
  Kind kind = Kind::kText;
  bool negative = false;    // -R4
  bool absolute = false;    // |R4|
  bool complement = false;  // ~R4, !P0
  bool reuse = false;
  std::uint16_t number = kNoRegister;  // of the register or predicate
  std::vector<std::string> modifiers;  // of the register: "64", "H0_H0", "F32"
  std::int64_t value = 0;              // of an integer
  double real = 0;                     // of a float, or of an integer's
  bool nan = false;                    // its sign is `negative`, as an infinity's is in `real`
  bool signalling = false;
  // A constant: `bank`, or the uniform register `descriptor` that names it (cx[UR4]). Memory:
  // `descriptor`, if it has one. Both: the registers that are added to `value`.
  std::uint16_t bank = 0;
  std::uint16_t descriptor = kNoRegister;
  std::uint16_t base = kNoRegister;     // R2
  std::uint16_t uniform = kNoRegister;  // UR4
  bool wide = false;                    // R2.64: with the register behind it
  std::uint8_t scale = 1;               // R2.X4, R2.X8, R2.X16
  bool base_unsigned = false;           // R2.U32: 32 bits of an address of 64
  bool base_signed = false;             // R2.S32
  bool wide_uniform = false;            // UR4.64
  bool group = false;                   // gdesc[…]
  std::string text;

  bool is_zero_register() const {
    return (kind == Kind::kRegister && number == kZeroRegister) ||
           (kind == Kind::kUniformRegister && number == kZeroUniform);
  }
  bool has(std::string_view modifier) const;
};

// Kind kMalformed, naming the operand, where brackets or numbers do not end as they should. A word
// that is no operand of these is kText.
Result<SassOperand> decode_operand(std::string_view text);

}  // namespace warpmem::trace
