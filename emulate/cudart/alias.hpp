// A second name of an entry point: programs compiled for per-thread default streams call cudaX_ptsz
// or cudaX_ptds, CUDA 12 has cudaX_v2. As everything runs when it is issued, the variants do the
// same.
#pragma once

#define WARPMEM_ALIAS(name, target) extern "C" __attribute__((alias(#target))) decltype(target) name
