// A launch's kernel parameters: where a kernel's machine code looks for them in constant bank 0,
// and how the driver's launch calls hand them over.
#pragma once

#include <cstdint>
#include <vector>

namespace warpmem::record {

struct KernelParameters {
  struct One {
    std::uint32_t ordinal = 0;  // which one, from 0
    std::uint32_t offset = 0;   // bytes behind the first
    std::uint32_t bytes = 0;
    bool operator==(const One&) const = default;
  };
  std::vector<One> each;    // in any order
  std::uint32_t at = 0;     // offset in constant bank 0
  std::uint32_t bytes = 0;  // of all; 0: none, or the file does not say
};

// The parameters as the code reads them, from a launch call's `kernelParams` (a pointer to each
// one's value) or `extra` (a buffer with all of them). Empty when neither has them, or the file did
// not say where they go.
std::vector<std::uint8_t> pack_parameters(const KernelParameters& kernel, void* const* each,
                                          void* const* extra);

}  // namespace warpmem::record
