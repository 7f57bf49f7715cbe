// A cuBLAS handle, and what each call checks before it computes.
#pragma once

#include <cstdint>

#include "emulate/cudart/driver_calls.hpp"

namespace warpmem::cublas {

using cudart::Stream;

enum Status : int {
  kDone = 0,
  kNotInitialized = 1,
  kInvalidValue = 7,
  kExecutionFailed = 13,
  kNotSupported = 15
};

struct Handle {
  Stream* stream = nullptr;
  int pointer_mode = 0, math_mode = 0, atomics_mode = 0;
};

void say_once();  // that these calls leave no records

// Memory that a GPU could reach.
inline bool on_gpu(const void* pointer) {
  void* base = nullptr;
  std::size_t bytes = 0;
  return cudart::__cudaFindAllocation(pointer, &base, &bytes) == 0;
}

// What the stream was given has happened; the pointers are the GPU's.
int ready(Handle* h);
template <class... P>
int start(Handle* h, const P*... pointers) {
  if (const int code = ready(h); code != kDone) return code;
  if (!(... && on_gpu(pointers))) return kExecutionFailed;
  say_once();
  return kDone;
}

}  // namespace warpmem::cublas
