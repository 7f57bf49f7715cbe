// Divisions and roots for which ptxas calls a function of its own when a lane's operands are out of
// the ordinary (a zero is divided, a result has no full precision): which warps do, only the
// operands say. For the time engine.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmem::emulate {

enum class OwnFunction : std::uint8_t {
  kNone,
  kDivideDouble,
  kReciprocalDouble,
  kRootDouble,
  kReciprocalFloat,
  kRootFloat,
  kAlways,  // divisions of 64-bit integers
};

// Of an opcode as the PTX has it ("div.rn.f64").
OwnFunction own_function(std::string_view opcode);

// Whether any of these lanes takes it, by the comparisons that ptxas 13.0 puts before the call
// (sm_90). Operands are 32 values of 4 or 8 bytes.
bool calls_own_function(OwnFunction what, const void* a, const void* b, std::uint32_t lanes);

}  // namespace warpmem::emulate
