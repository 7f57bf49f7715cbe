// The steps of opening a trace, shared by the two ways of doing it: through the index of a sealed
// file, or block after block.
#pragma once

#include "traces/format/block_table.hpp"
#include "traces/format/contents.hpp"
#include "traces/format/format.hpp"

namespace warpmem::trace {

constexpr const char* kCopyAgain = "copy or record the trace again";
constexpr const char* kUsePartial = "read what is whole with --partial";

Error malformed(const InputFile& file, std::uint64_t offset, std::string message, const char* fix);

Result<void> read_file_header(Contents& out);

// Takes in one block that is not part of the index. Returns a sentence when it makes no sense here.
const char* apply(Contents& out, const BlockEntry& entry, ByteSpan raw);

// After the last block: sums, notes on what is missing, the content's hash.
void judge(Contents& out);

// What the end of a sealed file says of its blocks; nullopt: it is damaged, too.
Result<IndexBody> read_index(const Contents& out, const Footer& footer);

// Through the index.
Result<void> read_sealed(Contents& out, const Footer& footer, IndexBody index);

// Whether all records can be read. Opening does not look at them, unless damage is to be skipped.
Result<bool> records_are_whole(const Contents& contents);

// An unsealed file, or a damaged one: block after block. What is damaged is skipped where a whole
// block follows; without an `index` nobody knows what was in it, so that no launch is taken that
// begins behind it. `why`: for the notes; empty where the skipped blocks say it.
Result<void> scan(Contents& out, const std::string& why, const IndexBody* index);

}  // namespace warpmem::trace
