// The host's side of the chunks (wire.hpp): which are free, and what has landed in the others.
//
// Any chunk may be freed in any order, so that a slow multiprocessor with a half-filled chunk never
// holds up the rest. Works on plain memory too, which is how it is tested without a GPU.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "traces/record/wire.hpp"

namespace warpmem::record {

class ChunkRing {
 public:
  // Bytes of pinned memory for `chunks` chunks, their free queue and the stop word.
  static std::size_t bytes_for(std::uint32_t chunks);

  // `memory` stays the caller's. `chunks`: a power of two above kStreams, as each stream starts
  // with one.
  ChunkRing(unsigned char* memory, std::uint32_t chunks);

  std::vector<unsigned long long> first_cursors() const;  // to copy to the device, one a stream
  // The fields of a LaunchSlot that point into the pinned memory.
  LaunchSlot slot_template() const;

  const unsigned char* chunk(std::uint32_t number) const {
    return chunks_ + std::size_t{number} * kChunkBytes;
  }
  std::uint32_t count() const { return count_; }
  // Zeroes the first `used` bytes and gives the chunk back to the GPU. Any thread.
  void release(std::uint32_t number, std::uint32_t used);
  // From now on the GPU records nothing and waits for nothing.
  void stop();

 private:
  unsigned char* chunks_;
  unsigned long long* queue_;
  std::uint32_t* stop_;
  std::uint32_t count_;
  std::atomic<std::uint64_t> released_{0};
};

// Follows one multiprocessor's records through its chunks.
class StreamReader {
 public:
  StreamReader(ChunkRing& ring, std::uint32_t stream) : ring_(&ring), chunk_(stream) {}

  // The next record if it has landed whole, else null. Frees chunks it has passed.
  const RawRecord* next();
  // The addresses behind the record that next() returned last.
  static std::uint32_t payload_bytes(const RawRecord& record);

 private:
  static bool payload_landed(const RawRecord& record);
  ChunkRing* ring_;
  std::uint32_t chunk_;
  std::uint32_t at_ = 0;
};

inline std::uint32_t raw_kind(std::uint32_t what) { return what & 15u; }
inline std::uint32_t raw_form(std::uint32_t what) { return what >> kFormShift & 15u; }
inline std::uint32_t raw_bytes(std::uint32_t what) { return what >> kBytesShift & 255u; }
inline std::uint32_t raw_flags(std::uint32_t what) { return what >> kFlagsShift & 15u; }
inline std::uint32_t raw_slot(std::uint32_t place) { return place >> kSlotShift & kSlotMask; }
inline std::uint32_t raw_grid(std::uint32_t place) { return place >> kGridShift & kGridMask; }
inline std::uint32_t raw_warp(std::uint32_t place) { return place & kWarpMask; }

}  // namespace warpmem::record
