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

// Lanes change what they find, one after the other where they want one word.
constexpr bool takes_turns(SharedKind kind) {
  return kind == SharedKind::kAtomic || kind == SharedKind::kCompareAndSwap ||
         kind == SharedKind::kAttempt;
}

}  // namespace warpmem::model
