// The body of a records block before zstd: records as columns of surprises (prediction.hpp).
#pragma once

#include <memory_resource>
#include <span>
#include <vector>

#include "traces/format/compression.hpp"
#include "traces/format/record.hpp"

namespace warpmem::trace {

struct RecordsView {
  std::span<const Site> sites;
  std::span<const Segment> segments;  // .first is implied: they follow one another
  std::span<const Record> records;
  std::span<const std::uint64_t> lanes;
};

struct DecodedRecords {
  explicit DecodedRecords(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : records(memory), lanes(memory) {}
  std::vector<Site> sites;
  std::vector<Segment> segments;
  std::pmr::vector<Record> records;
  std::pmr::vector<std::uint64_t> lanes;
};

// Records must be consistent: sites and lanes in range, counts adding up.
Bytes encode_records(const RecordsView& view);

// `raw` is followed by kSlack readable bytes. Returns a sentence without a stop on bytes that
// encode_records cannot have written, else nullptr.
const char* decode_records(ByteSpan raw, DecodedRecords& out);
// Only what the index needs: sites and segments.
const char* decode_directory(ByteSpan raw, DecodedRecords& out);

}  // namespace warpmem::trace
