// Which CTAs of a launch a trace with a share of them (--ctas) keeps. GPU and host both ask here.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define WARPMEM_BOTH_SIDES __host__ __device__ inline
#else
#define WARPMEM_BOTH_SIDES inline
#endif

namespace warpmem::trace {

// Decides which CTAs --ctas keeps: the same ones in every run.
WARPMEM_BOTH_SIDES std::uint32_t cta_hash(std::uint32_t cta) {
  cta ^= cta >> 16;
  cta *= 0x7feb352du;
  cta ^= cta >> 15;
  cta *= 0x846ca68bu;
  return cta ^ (cta >> 16);
}

}  // namespace warpmem::trace
