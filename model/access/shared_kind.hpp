// What an access of shared memory does, as far as its passes depend on it.
#pragma once

#include <cstdint>

namespace warpmem::model {

enum class SharedKind : std::uint8_t {
  kLoad,
  kStore,
  kMatrix,
  kAtomic,
  kCompareAndSwap,
  kAttempt,
  kReduction
};

}  // namespace warpmem::model
