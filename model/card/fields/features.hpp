// What GPUs of a compute capability have: 90 is 9.0.
#pragma once

namespace warpmem::model {

constexpr bool has_async_copies(unsigned capability) { return capability >= 80; }  // cp.async
// Of CTAs; with them came CPCs, and shared memory of other SMs.
constexpr bool has_clusters(unsigned capability) { return capability >= 90; }
constexpr bool has_bulk_copies(unsigned capability) { return capability >= 90; }  // cp.async.bulk

// Multiply-adds of 32-bit numbers that an SM starts in a cycle (CUDA programming guide, arithmetic
// instructions).
constexpr unsigned multiply_adds(unsigned capability) {
  return capability < 20    ? 8
         : capability == 20 ? 32
         : capability < 30  ? 48
         : capability < 50  ? 192
         : capability < 60  ? 128
         : capability == 60 ? 64
         : capability < 70  ? 128
         : capability <= 80 ? 64
                            : 128;
}
// Cycles of the SM clock in which a bank of shared memory gives a word.
constexpr unsigned bank_cycles(unsigned capability) { return capability < 30 ? 2 : 1; }

}  // namespace warpmem::model
