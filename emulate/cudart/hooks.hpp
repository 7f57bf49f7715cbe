// Calls of NVIDIA's compilers that pass through the emulator, so that the machine code they make
// has its PTX in it (binary/cubin/kept_ptx.hpp). The audit library finds the compiler when a
// program loads it, however that is done, puts the addresses of its calls into
// `warpmem_real_<call>` and leads the program to `warpmem_hook_<call>_<copy>`: a process may have
// several copies of a compiler, of different versions.
#pragma once

namespace warpmem::cudart {
constexpr int kCopies = 4;
}

// A call of the compiler's, for the hooks: `name`_real(copy)(…).
#define WARPMEM_REAL(name, ...)                                                               \
  extern "C" {                                                                                \
  __attribute__((visibility("default"))) void* warpmem_real_##name[warpmem::cudart::kCopies]; \
  }                                                                                           \
  inline auto name##_real(int copy) {                                                         \
    return reinterpret_cast<int (*)(__VA_ARGS__)>(warpmem_real_##name[copy]);                 \
  }
// The copies of a hook: a template name##_hook<copy> is behind them.
#define WARPMEM_HOOK(name, parameters, arguments)                             \
  extern "C" {                                                                \
  int warpmem_hook_##name##_0 parameters { return name##_hook<0> arguments; } \
  int warpmem_hook_##name##_1 parameters { return name##_hook<1> arguments; } \
  int warpmem_hook_##name##_2 parameters { return name##_hook<2> arguments; } \
  int warpmem_hook_##name##_3 parameters { return name##_hook<3> arguments; } \
  }
