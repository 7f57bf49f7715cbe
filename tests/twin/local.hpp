// Where a thread's local memory lies, by the rules of model/local/local_memory.hpp.
#pragma once

#include <algorithm>
#include <cstdint>

namespace warpmem::twin {

// Above every address that a program can have: where the twin keeps it, in bytes.
constexpr std::uint64_t kLocalLine = std::uint64_t{1} << 41;

class LocalPlaces {
 public:
  // Bytes of a thread: of the kernel's frame, and of the largest so far.
  LocalPlaces(std::uint64_t frame, std::uint64_t largest, std::uint64_t warps) : warps_(warps) {
    constexpr std::uint64_t kStack = 1024, kDriver = 1104;
    const std::uint64_t room = (std::max({frame, largest, kStack}) + 15) / 16 * 16;
    words_ = (room + kDriver) / 4;
    frame_ = (room - (frame + 7) / 8 * 8) / 4;
  }

  // Which word of all that there is the k-th one from an address is, for a warp of an SM: all lanes
  // have theirs side by side.
  std::uint64_t word(std::uint64_t sm, std::uint64_t warp_slot, std::uint64_t address,
                     std::uint64_t k) const {
    constexpr std::uint64_t kWindow = std::uint64_t{1} << 24;
    const std::uint64_t at = address % kWindow;
    // What lies below the frame is at the window's upper end.
    const std::uint64_t in_thread = at < kWindow / 2
                                        ? frame_ + at / 4 + k
                                        : frame_ + words_ - (kWindow - at + 3) / 4 % words_ + k;
    return (sm * warps_ + warp_slot) * words_ + in_thread % words_;
  }

 private:
  std::uint64_t warps_, words_, frame_;
};

}  // namespace warpmem::twin
