// Writes records into chunks exactly as the device code does (traces/record/patches.cu), so that
// everything behind it is tested without a GPU.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "traces/record/chunk_ring.hpp"
#include "traces/record/wire.hpp"

namespace warpmem::record {

// Pinned memory, cursors and ticket of one context.
class FakeGpu {
 public:
  explicit FakeGpu(std::uint32_t chunks)
      : memory(ChunkRing::bytes_for(chunks) / 32 + 1), cursors(kStreams), chunk_count(chunks) {
    for (std::uint32_t s = 0; s < kStreams; ++s) cursors[s] = std::uint64_t{s} << 32;
  }
  unsigned char* bytes() { return reinterpret_cast<unsigned char*>(memory.data()); }

  struct Where {
    std::uint32_t sm = 0, slot = 0, cta = 0, warp = 0, grid = 0;
  };

  // False when recording was stopped. `payload`: an address or offset for each lane of `mask`.
  bool emit(const Where& where, std::uint32_t kind, std::uint32_t form,
            std::uint32_t bytes_per_lane, std::uint32_t flags, std::uint32_t pc, std::uint32_t mask,
            std::uint64_t base, std::int32_t stride, const void* payload = nullptr) {
    const auto lanes = static_cast<std::uint32_t>(std::popcount(mask));
    const std::uint32_t payload_bytes = form == kFormOffsets     ? lanes * 4
                                        : form == kFormAddresses ? lanes * 8
                                                                 : 0;
    unsigned char* room = reserve(where.sm, kRecordBytes + (payload_bytes + 31) / 32 * 32);
    if (room == nullptr) return false;
    write_half(room + 16, pc, static_cast<std::uint32_t>(stride), where.cta,
               where.warp | (where.grid & kGridMask) << kGridShift | where.slot << kSlotShift |
                   kTag << kTagShift);
    write_half(room, static_cast<std::uint32_t>(base), static_cast<std::uint32_t>(base >> 32), mask,
               kind | form << kFormShift | bytes_per_lane << kBytesShift | flags << kFlagsShift |
                   kTag << kTagShift);
    // Last: on a bus, too, the addresses may land after their header.
    const auto words = [&](auto* to, auto encode) {
      for (std::uint32_t i = 0; i < lanes && payload_bytes != 0; ++i) {
        std::decay_t<decltype(*to)> plain;
        std::memcpy(&plain, static_cast<const unsigned char*>(payload) + i * sizeof plain,
                    sizeof plain);
        std::atomic_ref(to[i]).store(encode(plain), std::memory_order_release);
      }
    };
    if (form == kFormOffsets)
      words(reinterpret_cast<std::uint32_t*>(room + kRecordBytes),
            [](std::uint32_t offset) { return offset_word(static_cast<std::int32_t>(offset)); });
    if (form == kFormAddresses)
      words(reinterpret_cast<std::uint64_t*>(room + kRecordBytes), address_word);
    return true;
  }

 private:
  struct alignas(32) Unit {
    unsigned char bytes[32];
  };

  static void write_half(unsigned char* at, std::uint32_t a, std::uint32_t b, std::uint32_t c,
                         std::uint32_t d) {
    auto* words = reinterpret_cast<std::uint32_t*>(at);
    words[0] = a;
    words[1] = b;
    words[2] = c;
    std::atomic_ref<std::uint32_t>(words[3]).store(d, std::memory_order_release);
  }

  std::uint32_t take_chunk() {
    auto* queue =
        reinterpret_cast<unsigned long long*>(bytes() + std::size_t{chunk_count} * kChunkBytes);
    auto* stop = reinterpret_cast<std::uint32_t*>(queue + chunk_count);
    const std::uint64_t t = ticket.fetch_add(1);
    for (;;) {
      if (std::atomic_ref<std::uint32_t>(*stop).load() != 0) return kStopped;
      const std::uint64_t value = std::atomic_ref<unsigned long long>(queue[t % chunk_count])
                                      .load(std::memory_order_acquire);
      if (value >> 32 == t / chunk_count + 1) return static_cast<std::uint32_t>(value);
      std::this_thread::yield();
    }
  }

  unsigned char* reserve(std::uint32_t sm, std::uint32_t wanted) {
    std::atomic_ref<std::uint64_t> cursor(cursors[sm]);
    for (;;) {
      const std::uint64_t old = cursor.fetch_add(wanted);
      const auto chunk = static_cast<std::uint32_t>(old >> 32),
                 at = static_cast<std::uint32_t>(old);
      if (chunk == kStopped) {
        cursor.store(std::uint64_t{kStopped} << 32);
        return nullptr;
      }
      unsigned char* start = bytes() + std::size_t{chunk} * kChunkBytes;
      if (at + wanted <= kChunkCapacity) return start + at;
      if (at <= kChunkCapacity) {
        const std::uint32_t next = take_chunk();
        write_half(start + at, next, 0, 0, kRawNext | kTag << kTagShift);
        write_half(start + at + 16, 0, 0, 0, kTag << kTagShift);
        cursor.store(std::uint64_t{next} << 32 | (next == kStopped ? 0 : wanted));
        return next == kStopped ? nullptr : bytes() + std::size_t{next} * kChunkBytes;
      }
      while (static_cast<std::uint32_t>(cursor.load()) > kChunkCapacity) std::this_thread::yield();
    }
  }

  std::vector<Unit> memory;
  std::vector<std::uint64_t> cursors;
  std::uint32_t chunk_count;
  std::atomic<std::uint64_t> ticket{0};
};

}  // namespace warpmem::record
