// What a PTX statement does to memory, and whether a machine instruction can have come from it.
#pragma once

#include <cstdint>

#include "emulate/ptx/code.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::emulate {

struct PtxAccess {
  enum class Sort : std::uint8_t {
    kNone,
    kLoad,
    kStore,
    kAtomic,
    kAsync,
    kMatrixLoad,
    kMatrixStore,
    kFragment,
    kTexture,
    kBulk,
    kBarrier,
    kPrefetch
  };
  Sort sort = Sort::kNone;
  Space space = Space::kGeneric;
  std::uint32_t bytes = 0;  // per lane; 0 where the statement does not say

  bool shared_atomic() const {
    return sort == Sort::kAtomic && (space == Space::kShared || space == Space::kGeneric);
  }
};

PtxAccess access_of(const Code& code, const Inst& in);

// Does this machine instruction leave a record?
bool leaves_record(const trace::SassInstruction& in);
// Can it be the access of such a statement?
bool could_be(const PtxAccess& ptx, const trace::SassInstruction& in);

}  // namespace warpmem::emulate
