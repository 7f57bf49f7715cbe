// What opening a trace finds out: everything but the records.
#pragma once

#include "traces/format/block_table.hpp"
#include "traces/format/cta_index.hpp"
#include "traces/format/input_file.hpp"
#include "traces/format/reader.hpp"
#include "traces/format/site_table.hpp"
#include "traces/format/steps.hpp"

namespace warpmem::trace {

struct Contents {
  explicit Contents(InputFile input) : file(std::move(input)) {}

  InputFile file;
  Origin origin;
  std::uint64_t first_block = 0;  // offset
  std::uint64_t header_hash = 0;
  bool newer_minor = false;  // fields and blocks that this version does not know are skipped
  std::uint64_t hash = 0;
  Quality quality;
  std::vector<BlockEntry> blocks;
  std::vector<Program> programs;
  std::vector<LaunchSummary> launches;
  std::vector<bool> ended;  // by launch: its end block is there
  std::vector<host::Operation> steps;
  std::vector<Repeats> repeats;  // as notes tell them
  std::vector<SiteTable> sites;  // by launch
  std::vector<CtaIndex> ctas;    // by launch
};

Result<Contents> open_contents(const std::string& path, const OpenOptions& options);

// Reads, checks and decompresses one block: `raw` is its header.raw_bytes bytes and kSlack more.
// `data` is scratch.
Result<void> read_body(const InputFile& file, const BlockEntry& entry, Bytes& data, Bytes& raw);

// Whether the segments of a records block are of its launch, and those that the CTA index names: a
// sentence if not.
const char* misfit(const Contents& contents, const BlockHeader& header,
                   std::span<const Segment> segments);
// … of its launch alone.
const char* outside(const Launch& launch, std::span<const Segment> segments);

Error bad_block(const InputFile& file, const BlockEntry& entry, const std::string& problem);

}  // namespace warpmem::trace
