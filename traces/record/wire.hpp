// What the GPU writes and the host reads: the only header that both sides of the recorder include.
//
// Records lie in chunks of pinned host memory. Each multiprocessor fills one chunk at a time (its
// stream); a warp takes room with one atomicAdd and writes straight over the bus. A record
// announces itself: a chunk is zeroed before it is handed out, and each 16-byte half of a record
// carries kTag, so that the host knows what has landed without a counter or a fence per record.
// A full chunk ends with a kNext record that names the stream's next chunk.
#pragma once

#include <cstdint>

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
  kFormOffsets,    // base + one signed 32-bit offset per active lane, after the header
  kFormAddresses,  // one 64-bit address per active lane, after the header
};

// 32 bytes, little endian; addresses follow, padded to a multiple of 32 bytes.
struct RawRecord {
  std::uint64_t base;   // kRawBegin: multiprocessor, and dynamic shared memory << 32
  std::uint32_t mask;   // active lanes
  std::uint32_t what;   // kind 0..3, form 4..7, bytes per lane 8..15, flags 16..23, tag 24..31
  std::uint32_t pc;     // low 32 bits
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

// What every patch of one launch gets as its user data; constant, in device memory.
struct LaunchSlot {
  unsigned long long* cursors;           // one a stream: chunk << 32 | next byte in it
  unsigned long long* ticket;            // chunks taken so far
  unsigned char* chunks;                 // pinned host memory
  const unsigned long long* free_queue;  // pinned: entry t % 2^chunk_bits = round << 32 | chunk
  const std::uint32_t* stop;             // pinned: not 0 when recording is over
  std::uint32_t chunk_bits;              // log2 of the number of chunks
  std::uint32_t slot;
  std::uint32_t cta_limit;  // record CTAs whose cta_hash() is at most this
  std::uint32_t reserved;
};

// Decides which CTAs --ctas keeps: the same ones in every run.
#ifdef __CUDACC__
__host__ __device__
#endif
    inline std::uint32_t
    cta_hash(std::uint32_t cta) {
  cta ^= cta >> 16;
  cta *= 0x7feb352du;
  cta ^= cta >> 15;
  cta *= 0x846ca68bu;
  return cta ^ (cta >> 16);
}

}  // namespace warpmem::record
