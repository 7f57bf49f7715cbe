// One zstd frame per block body, and the limits that keep a small file from asking for much memory.
#pragma once

#include "traces/format/bytes.hpp"
#include "traces/format/format.hpp"

namespace warpmem::trace {

// Room after the raw bytes that a decoder may read (never use): it loads eight bytes at a time.
constexpr std::size_t kSlack = 16;

struct PackedBody {
  Codec codec = Codec::kStored;
  Bytes bytes;
};

// Level 0 stores; so does any level whose result is not smaller.
PackedBody compress(ByteSpan raw, int level);

// Fills `raw` with raw_bytes + kSlack bytes. Returns a sentence without a stop when the body is not
// exactly one frame of exactly raw_bytes, else nullptr.
const char* decompress(Codec codec, ByteSpan body, std::size_t raw_bytes, Bytes& raw);

}  // namespace warpmem::trace
