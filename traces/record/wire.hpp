// What the GPU writes and the host reads: the only header that both sides of the recorder include.
//
// Records lie in chunks of pinned host memory. Each multiprocessor fills one chunk at a time (its
// stream); a warp takes room with one atomicAdd and writes straight over the bus. A record
// announces itself: a chunk is zeroed before it is handed out, each 16-byte half of a record
// carries kTag, and no word of the addresses behind it is zero, so that the host knows what has
// landed without a counter or a fence per record. A full chunk ends with a kNext record that names
// the stream's next chunk.
#pragma once

#include <cstdint>

#include "traces/format/cta_choice.hpp"

namespace warpmem::record {

constexpr std::uint32_t kChunkBytes = 64 * 1024;
constexpr std::uint32_t kRecordBytes = 32;                            // also the unit of allocation
constexpr std::uint32_t kChunkCapacity = kChunkBytes - kRecordBytes;  // room kept for kNext
constexpr std::uint32_t kStreams = 256;          // at least the number of multiprocessors
constexpr std::uint32_t kLaunchSlots = 1024;     // launches in flight at once
constexpr std::uint32_t kStopped = 0xffffffffu;  // in place of a chunk number: record no more
constexpr std::uint32_t kTag = 0x5Au;

enum RawKind : std::uint32_t {
  kRawGlobal,
  kRawShared,
  kRawLocal,
  kRawRemote,
  kRawAsyncCopyRead,
  kRawAsyncCopyWrite,  // cp.async: global side, then shared side
  kRawMatrix,
  kRawPrefetch,
  kRawBulkReadGlobal,
  kRawBulkReadShared,
  kRawBulkWriteGlobal,
  kRawBulkWriteShared,
  kRawBarrier,
  kRawBegin,
  kRawExit,
  kRawNext,
};

// How a record's addresses are written.
enum RawForm : std::uint32_t {
  kFormRegular,    // base + lane * stride
  kFormTwoLevel,   // all 32 lanes: base + (lane % 2^k) * stride + (lane / 2^k) * outer; flags hold
                   // k, `mask` holds outer (a 16 x 16 block walks memory this way)
  kFormOffsets,    // base + a signed offset per active lane: 32-bit words (offset << 1) + 1, after
                   // the header
  kFormAddresses,  // one 64-bit address per active lane, inverted, after the header
};

// 32 bytes, little endian; addresses follow, padded to a multiple of 32 bytes.
struct RawRecord {
  std::uint64_t base;   // kRawBegin: multiprocessor, and dynamic shared memory << 32
  std::uint32_t mask;   // active lanes
  std::uint32_t what;   // kind 0..3, form 4..7, bytes per lane 8..15, flags 16..23, tag 24..31
  std::uint32_t pc;     // low 32 bits; kRawBegin, kRawExit: the GPU's clock, low 32 bits of ns
  std::int32_t stride;  // bulk copies: bytes; barriers: threads expected; kRawBegin: grid id
  std::uint32_t cta;    // linear
  std::uint32_t
      place;  // warp 0..4, low bits of the grid's id 5..13, launch slot 14..23, tag 24..31
};
static_assert(sizeof(RawRecord) == kRecordBytes, "the GPU writes it as two 16-byte halves");

constexpr std::uint32_t kKindShift = 0, kFormShift = 4, kBytesShift = 8, kFlagsShift = 16;
constexpr std::uint32_t kGridShift = 5, kSlotShift = 14, kTagShift = 24;
constexpr std::uint32_t kWarpMask = 31, kGridMask = 511, kSlotMask = 1023;
// Low four flags are the patching API's read, write, system atomic, prefetch; above them, for
// kFormTwoLevel, k.
constexpr std::uint32_t kFlagRead = 1, kFlagWrite = 2, kTwoLevelShift = 4;
// Of kRawBulkReadShared, where the API has no system atomics: a warpgroup's product reads.
constexpr std::uint32_t kFlagProduct = 4;

// What every patch of one launch gets as its user data; constant, in device memory. The first two
// pairs are each read with one instruction.
struct alignas(16) LaunchSlot {
  unsigned long long* cursors;  // one a stream: chunk << 32 | next byte in it
  unsigned char* chunks;        // pinned host memory
  std::uint32_t cta_limit;      // record CTAs whose cta_hash() is at most this
  std::uint32_t slot;
  unsigned long long* ticket;            // chunks taken so far
  const unsigned long long* free_queue;  // pinned: entry t % 2^chunk_bits = round << 32 | chunk
  const std::uint32_t* stop;             // pinned: not 0 when recording is over
  std::uint32_t chunk_bits;              // log2 of the number of chunks
  std::uint32_t reserved;
};

// Addresses behind a record, as words that are never zero. Offsets have 31 bits.
WARPMEM_BOTH_SIDES std::uint32_t offset_word(std::int32_t offset) {
  return static_cast<std::uint32_t>(offset) << 1 | 1u;
}
WARPMEM_BOTH_SIDES std::int32_t offset_of_word(std::uint32_t word) {
  return static_cast<std::int32_t>(word) >> 1;
}
WARPMEM_BOTH_SIDES std::uint64_t address_word(std::uint64_t address) { return ~address; }
WARPMEM_BOTH_SIDES std::uint64_t address_of_word(std::uint64_t word) { return ~word; }

}  // namespace warpmem::record
