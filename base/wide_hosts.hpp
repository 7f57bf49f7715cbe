// Loops over a warp's lanes are compiled for hosts with wider vectors as well; which of them runs
// is settled when the program starts. They work on integers, so all of them say the same.
//
// Worth it for short functions that work on plain arrays: where a line belongs in the caches is
// worked out for eight lines at a time, and tables are searched with shifts that need no register
// of their own. (Of the whole program, compiled so, nothing was gained.)
#pragma once

// Sanitizers are not set up yet when the choice is made.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WARPMEM_WIDE_HOSTS \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
// For loops over one line after the other, that search and shift but work on nothing side by side.
#define WARPMEM_NEW_HOSTS __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WARPMEM_WIDE_HOSTS
#define WARPMEM_NEW_HOSTS
#endif

// Functions written for 512-bit vectors, for what compilers do not find by themselves. Each has a
// plain twin that says the same; whoever calls them asks wide_host() first. A test may set it to
// false, to hold the twins against each other.
#if defined(__x86_64__) && defined(__GNUC__)
#define WARPMEM_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt")))
#endif

namespace warpmem {

inline bool& wide_host() {
#ifdef WARPMEM_AVX512
  static bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                     __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                     __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("bmi2");
#else
  static bool wide = false;
#endif
  return wide;
}

}  // namespace warpmem
