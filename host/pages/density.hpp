// Which pages of a block a driver moves beside those that faulted: the density rule of NVIDIA's
// open driver (kernel-open/nvidia-uvm/uvm_perf_prefetch.c, 2016 to 2022, MIT; read, nothing taken
// over).
//
// A fault grows to its big page of 64 KiB. Then, in a binary tree over the block, the largest
// region around a faulted page of which more than so many per cent are at the destination, or on
// the way there, is moved as a whole.
#pragma once

#include <bitset>
#include <cstddef>

namespace warpmem::host {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kBigPages = 16;     // of a big page: 64 KiB
constexpr std::size_t kBlockPages = 512;  // of a block: 2 MiB
constexpr std::size_t kBlockBytes = kBlockPages * kPageBytes;

using Pages = std::bitset<kBlockPages>;

// What moves, the faulted pages among it. `pages`: how many of the block there are, as the last
// block of an allocation may be shorter. `percent`: 51 as the driver has it; 100: no region is
// dense enough, so that a faulted page moves alone.
Pages pages_to_move(const Pages& there, const Pages& faulted, std::size_t pages, unsigned percent);

}  // namespace warpmem::host
