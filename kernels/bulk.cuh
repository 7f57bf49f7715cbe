// The few PTX instructions that bulk copies need, one function each (compute capability 9.0). On
// older targets they are empty: the programs refuse to run there.
#pragma once

#include <cstdint>

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define BULK_PTX(...) asm volatile(__VA_ARGS__)
#else
#define BULK_PTX(...) ((void)0)
#endif

namespace bulk {

__device__ __forceinline__ std::uint32_t shared_address(const void* p) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(p));
}

// So many arrivals (a copy's comes with its expected bytes) end a phase. The fence shows the barrier
// to the copy engine.
__device__ __forceinline__ void barrier_init(std::uint64_t* barrier, std::uint32_t arrivals = 1) {
  [[maybe_unused]] const std::uint32_t at = shared_address(barrier);
  BULK_PTX("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "r"(arrivals) : "memory");
  BULK_PTX("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ __forceinline__ void barrier_arrive(std::uint64_t* barrier) {
  [[maybe_unused]] const std::uint32_t at = shared_address(barrier);
  BULK_PTX("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(at) : "memory");
}

__device__ __forceinline__ void barrier_expect(std::uint64_t* barrier, std::uint32_t bytes) {
  [[maybe_unused]] const std::uint32_t at = shared_address(barrier);
  BULK_PTX("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes)
           : "memory");
}

__device__ __forceinline__ void barrier_wait(std::uint64_t* barrier, std::uint32_t parity) {
  [[maybe_unused]] const std::uint32_t at = shared_address(barrier);
  std::uint32_t done = 1;
  do {
    BULK_PTX(
        "{ .reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
        "selp.u32 %0, 1, 0, p; }"
        : "=r"(done)
        : "r"(at), "r"(parity)
        : "memory");
  } while (done == 0);
}

// Whole pieces: addresses and size are multiples of 16 bytes.
__device__ __forceinline__ void load(void* shared, const void* global, std::uint32_t bytes,
                                     std::uint64_t* barrier) {
  [[maybe_unused]] const std::uint32_t to = shared_address(shared), at = shared_address(barrier);
  BULK_PTX(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to),
      "l"(global), "r"(bytes), "r"(at)
      : "memory");
}

__device__ __forceinline__ void store(void* global, const void* shared, std::uint32_t bytes) {
  [[maybe_unused]] const std::uint32_t from = shared_address(shared);
  BULK_PTX("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(global), "r"(from),
           "r"(bytes)
           : "memory");
}

__device__ __forceinline__ void add_words(void* global, const void* shared, std::uint32_t bytes) {
  [[maybe_unused]] const std::uint32_t from = shared_address(shared);
  BULK_PTX(
      "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::"l"(global),
      "r"(from), "r"(bytes)
      : "memory");
}

__device__ __forceinline__ void prefetch(const void* global, std::uint32_t bytes) {
  BULK_PTX("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(global), "r"(bytes) : "memory");
}

// Tiles of a tensor map: x counts elements in a row, y rows.
__device__ __forceinline__ void load_tile(void* shared, const void* map, int x, int y,
                                          std::uint64_t* barrier) {
  [[maybe_unused]] const std::uint32_t to = shared_address(shared), at = shared_address(barrier);
  BULK_PTX(
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(map), "r"(x), "r"(y), "r"(at)
      : "memory");
}

__device__ __forceinline__ void store_tile(const void* map, int x, int y, const void* shared) {
  [[maybe_unused]] const std::uint32_t from = shared_address(shared);
  BULK_PTX(
      "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map),
      "r"(x), "r"(y), "r"(from)
      : "memory");
}

// Makes the threads' own shared stores visible to the copy engine.
__device__ __forceinline__ void fence() { BULK_PTX("fence.proxy.async.shared::cta;" ::: "memory"); }

// Ends a group of stores and waits until they are in global memory.
__device__ __forceinline__ void finish_stores() {
  BULK_PTX("cp.async.bulk.commit_group;" ::: "memory");
  BULK_PTX("cp.async.bulk.wait_group 0;" ::: "memory");
}

}  // namespace bulk
