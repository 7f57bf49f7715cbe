// Where a thread's local memory lies, compute capability 7.0 and later.
//
// Word w of lane l of a resident warp lies at word w * 32 + l of the warp's own area, so that one
// 4-byte word of all lanes is one line. Areas of an SM's warps lie next to each other, those of SMs
// in the order of their numbers. A thread's share holds the largest frame that the program has
// launched so far, or the default limit of the stack if that is more, then what is the driver's:
// the kernel's frame ends where that begins, and frames of functions it calls lie below it.
// Measured on an H200 (kernels/micro/local_places.cu, driver 580, CUDA 13.0, 2026-11-23): the L1's
// sets of 2,905 words of frames of 8 to 1,010 words, of warps of 13 SMs, are all as said here. A
// profiler makes the driver's part larger (Nsight Compute 2025.3: 1,104 bytes, else 576); every
// counter has been read under one, so its layout is the one assumed.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpmem::model {

class LocalMemory {
 public:
  static constexpr std::uint32_t kDriverBytes = 1104, kDriverBytesAlone = 576;

  LocalMemory() = default;
  // Bytes of a thread: of the kernel's frame, and of the largest so far. `warps`: that fit an SM.
  LocalMemory(std::uint64_t frame, std::uint64_t largest, std::uint64_t warps,
              std::uint32_t driver = kDriverBytes)
      : warps_(warps) {
    constexpr std::uint64_t kStack = 1024;
    const std::uint64_t room = (std::max({frame, largest, kStack}) + 15) / 16 * 4;
    words_ = room + driver / 4;
    frame_ = room - (frame + 7) / 8 * 2;
  }

  // First line of the area of a warp, from where local memory begins.
  std::uint64_t area(std::uint64_t sm, std::uint64_t warp_slot) const {
    return (sm * warps_ + warp_slot) * words_;
  }
  // Which word of its thread's share the k-th one from an address is. Addresses count from the
  // kernel's frame on, in a window of 24 bits; what lies below the frame is at the window's upper
  // end.
  std::uint64_t word(std::uint64_t address, std::uint64_t k = 0) const {
    constexpr std::uint64_t kWindow = std::uint64_t{1} << 24;
    const std::uint64_t at = address % kWindow;
    if (at < kWindow / 2) return (frame_ + at / 4 + k) % words_;
    const std::uint64_t below = (kWindow - at + 3) / 4 % words_;
    return (frame_ + words_ - below + k) % words_;
  }

 private:
  std::uint64_t warps_ = 1;
  std::uint64_t words_ = 1;  // of a thread, 4 bytes each
  std::uint64_t frame_ = 0;  // the first one of the kernel's frame
};

}  // namespace warpmem::model
