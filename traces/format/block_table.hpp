// The index of a sealed file: every block before it, and the sites of every launch.
#pragma once

#include <optional>
#include <vector>

#include "traces/format/format.hpp"
#include "traces/format/record.hpp"

namespace warpmem::trace {

struct BlockEntry {
  BlockHeader header;        // .sequence is its position in the table
  std::uint64_t offset = 0;  // in the file; blocks follow one another without gaps
};

struct IndexBody {
  std::vector<BlockEntry> blocks;
  std::vector<std::vector<Site>> sites;  // by launch
};

Bytes put_index(const IndexBody& index);
// `first_offset`: of block 0; `file_bytes` bounds what the table may claim.
std::optional<IndexBody> parse_index(ByteSpan bytes, std::uint64_t first_offset,
                                     std::uint64_t file_bytes, bool newer);

// XXH3 over the file header's hash and the hashes of all blocks that are not an index: the same for
// a sealed trace and for a recovered one that lost nothing.
std::uint64_t content_hash(std::uint64_t file_header_hash, const std::vector<BlockEntry>& blocks);

}  // namespace warpmem::trace
