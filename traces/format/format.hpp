// The trace file on disk (docs/reference/trace-format.md has every byte and the reasons):
//
//   file header | block | block | … | index block | footer
//
// A block is a 48-byte header and a body (one zstd frame, or stored as it is when that is not
// smaller). Everything is little-endian; every byte of the file lies under exactly one XXH3-64.
// Blocks are only ever appended, so a file cut anywhere is whole up to its last whole block; the
// index and the footer repeat what the blocks say, so that opening does not read them all.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "traces/format/bytes.hpp"

namespace warpmem::trace {

// As PNG's: a byte with the top bit set, a name, and line ends that a text transfer would break.
constexpr std::uint8_t kFileMagic[8] = {0x89, 'W', 'M', 'T', '\r', '\n', 0x1a, '\n'};
constexpr std::uint8_t kFooterMagic[8] = {'W', 'M', 'T', 'E', 'N', 'D', '\r', '\n'};
constexpr std::uint32_t kBlockMagic = 0x4b4c4257;  // "WBLK"

constexpr std::uint16_t kMajor = 1;  // a reader refuses a file of a newer major version …
constexpr std::uint16_t kMinor = 8;  // … and skips what it does not know in a newer minor one

constexpr std::size_t kFileHeaderBytes = 24;
constexpr std::size_t kBlockHeaderBytes = 48;
constexpr std::size_t kFooterBytes = 40;

// What a reader accepts, checked before anything is allocated. The writer stays far below.
constexpr std::uint32_t kMaxOriginBytes = 1u << 20;
constexpr std::uint32_t kMaxRecordsRaw = 8u << 20;  // raw bytes of a records block
constexpr std::uint32_t kMaxIndexRaw = 64u << 20;   // … of the index
constexpr std::uint32_t kMaxOtherRaw = 8u << 20;    // … of any other block
constexpr std::uint32_t kMaxBlockRecords = 1u << 20;
constexpr std::uint32_t kMaxBlockLanes = 1u << 22;
constexpr std::uint32_t kMaxBlockSites = 1u << 16;

// Where the writer closes a block: at most 256 KiB before zstd in the usual case.
constexpr std::uint32_t kBlockRecords = 32768;
constexpr std::uint32_t kBlockLanes = 65536;

enum class BlockType : std::uint8_t {
  kProgram = 1,
  kLaunchBegin = 2,
  kRecords = 3,
  kLaunchEnd = 4,
  kNote = 5,      // one thing found missing
  kCtaIndex = 6,  // where the CTAs of one launch lie
  kIndex = 7,     // the last block of a sealed file
  kSteps = 8,     // what the program asked of the GPU (since 1.8)
};
std::string_view block_type_name(BlockType type);
std::uint32_t max_raw_bytes(BlockType type);

enum class Codec : std::uint8_t { kStored = 0, kZstd = 1 };

struct BlockHeader {
  BlockType type = BlockType::kNote;
  Codec codec = Codec::kStored;
  std::uint32_t sequence = 0;  // blocks before it in the file
  std::uint32_t launch = 0;    // position among the file's launches; 0 where it has none
  std::uint32_t body_bytes = 0;
  std::uint32_t raw_bytes = 0;  // of the body before zstd
  std::uint64_t records = 0;
  std::uint64_t lost = 0;  // records of this launch known to be lost so far
  std::uint64_t hash = 0;  // XXH3-64 of the 40 bytes before it and the body
};

struct Footer {
  std::uint64_t index_offset = 0;
  std::uint64_t index_hash = 0;
  std::uint64_t file_bytes = 0;  // the whole file, footer included
};

// Hash of two pieces of memory as if they were one.
std::uint64_t hash_bytes(ByteSpan first, ByteSpan second = {});
// True where a wrong hash is to be refused: always, but in a fuzzing build, which could never
// guess one and would test nothing behind it.
bool hash_differs(std::uint64_t stored, std::uint64_t computed);

Bytes encode_file_header(ByteSpan origin);

Bytes encode_block_header(const BlockHeader& header, ByteSpan body);  // fills in the hash
// nullopt: no block header (wrong magic, unknown codec, sizes over the limits).
std::optional<BlockHeader> decode_block_header(ByteSpan bytes);
bool block_hash_matches(ByteSpan header_bytes, ByteSpan body);

Bytes encode_footer(const Footer& footer);
std::optional<Footer> decode_footer(ByteSpan bytes);

}  // namespace warpmem::trace
