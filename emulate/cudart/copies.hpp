// Copies and fills: every call of the API becomes one of these.
#pragma once

#include "emulate/cudart/runtime.hpp"

namespace warpmem::cudart {

// One side of a copy: memory with a pitch, or an array.
struct Side {
  Array* array = nullptr;
  std::byte* pointer = nullptr;
  std::size_t pitch = 0, rows = 0;  // bytes of a row; rows of a slice
  Position at{0, 0, 0};             // bytes into the row (also of an array), rows, slices
};

struct Copy {
  Side from, to;
  std::size_t width = 0, height = 1, depth = 1;  // bytes, rows, slices
  CopyKind kind = kCopyDefault;
};

struct Fill {
  std::byte* pointer = nullptr;
  std::size_t pitch = 0, rows = 0;
  std::size_t width = 0, height = 1, depth = 1;  // elements, rows, slices
  unsigned value = 0, element_bytes = 1;
};

Copy flat_copy(void* to, const void* from, std::size_t bytes, CopyKind kind);
Copy copy_of(const Copy3D& parameters);
Copy3D parameters_of(const Copy& copy);

// Checks that device sides lie in live allocations, then moves the bytes. `stream` bears the time.
Code run(Runtime& r, Stream& stream, const Copy& copy);
Code run(Runtime& r, Stream& stream, const Fill& fill);
// Whether the host itself brings it to the GPU, from pageable memory: a call that waits returns
// when it has done so.
bool host_brings(Runtime& r, const Copy& copy);
inline bool host_brings(Runtime&, const Fill&) { return false; }
Code check(Runtime& r, const Copy& copy);
Code check(Runtime& r, const Fill& fill);

}  // namespace warpmem::cudart
