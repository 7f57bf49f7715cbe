// What tests/emulate/sass_parted.cpp runs: loops that lanes leave at different times, in which
// ptxas puts a YIELD. parted.sass is its machine code, as printed by
//   nvcc -arch=sm_90 -cubin parted.cu && nvdisasm -c parted.cubin

// Tries of each thread for a lock; a[32] counts who had it.
extern "C" __global__ void locks(unsigned* a, unsigned* tries, unsigned lanes) {
  if (threadIdx.x >= lanes) return;
  unsigned k = 0;
  do ++k;
  while (atomicCAS(a, 0u, 1u) != 0);
  __threadfence();
  a[32] += 1;
  __threadfence();
  atomicExch(a, 0u);
  tries[threadIdx.x] = k;
}

// Lane l waits for lane l - 1: how often it looked in vain.
extern "C" __global__ void chain(volatile unsigned* flags, unsigned* tries) {
  unsigned k = 0;
  if (threadIdx.x != 0)
    while (flags[threadIdx.x - 1] == 0) ++k;
  __threadfence();
  flags[threadIdx.x] = 1;
  tries[threadIdx.x] = k;
}

// Lane l goes round l mod 8 times; then which lanes it is together with, and behind __syncwarp().
extern "C" __global__ void looks(const volatile unsigned* words, unsigned* masks) {
  int left = threadIdx.x & 7;
  while ((left -= words[threadIdx.x]) >= 0) {
  }
  masks[threadIdx.x] = __activemask();
  __syncwarp();
  masks[threadIdx.x + 32] = __activemask();
}
