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
