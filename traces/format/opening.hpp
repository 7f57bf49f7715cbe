// The steps of opening a trace, shared by the two ways of doing it: through the index of a sealed
// file, or block after block.
#pragma once

#include "traces/format/contents.hpp"
#include "traces/format/format.hpp"

namespace warpmem::trace {

constexpr const char* kCopyAgain = "copy or record the trace again";
constexpr const char* kUsePartial = "read what precedes the damage with --partial";

Error malformed(const InputFile& file, std::uint64_t offset, std::string message, const char* fix);

Result<void> read_file_header(Contents& out);

// Takes in one block that is not part of the index. Returns a sentence when it makes no sense here.
const char* apply(Contents& out, const BlockEntry& entry, ByteSpan raw);

// After the last block: sums, notes on what is missing, the content's hash.
void judge(Contents& out);

// Through the index.
Result<void> read_sealed(Contents& out, const Footer& footer);

// An unsealed file, or one whose end is damaged (`why`): block after block up to the last whole
// one.
Result<void> scan(Contents& out, const std::string& why);

}  // namespace warpmem::trace
