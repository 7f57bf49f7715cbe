// Writes a trace: append-only checked blocks into NAME.partial, sealed by fsync and rename.
// Format: docs/trace-format.md. Not thread-safe; BlockBuilder is the part to run in parallel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/launch.hpp"
#include "traces/program.hpp"
#include "traces/record.hpp"

namespace warpmem::trace {

// Where a trace came from; written once, at the start.
struct Origin {
  Level level = Level::kSass;
  std::string tool;       // "warpmem 0.1.0 record"
  std::string command;    // the traced program's command line
  std::string gpu;        // "NVIDIA H200"
  std::string arch;       // "sm_90"
  std::string driver;     // "580.159.04"
  std::string cuda;       // "13.0"
  std::string date;       // ISO 8601, UTC; empty for reproducible output
  std::uint32_t sms = 0;
  std::vector<std::string> missing;  // what this source cannot see: "constant loads", …
};

// One encoded block: records of one launch. Built without a writer, so several threads can encode.
struct EncodedBlock {
  std::uint32_t launch = 0;
  std::uint64_t records = 0;
  std::uint64_t lost = 0;          // records known to be lost before this block
  std::uint64_t raw_bytes = 0;     // before zstd
  std::vector<std::uint8_t> body;  // the zstd frame
  std::vector<Segment> segments;   // for the index
};

// Collects segments of one launch and encodes them once about 256 KiB raw are reached.
class BlockBuilder {
 public:
  explicit BlockBuilder(std::uint32_t launch, int zstd_level = 3);
  ~BlockBuilder();
  BlockBuilder(BlockBuilder&&) noexcept;
  BlockBuilder& operator=(BlockBuilder&&) noexcept;

  // Adds consecutive records of one warp. record.site indexes `sites`; record.lanes indexes
  // `lanes`. Segments of the same warp must be added in the warp's order.
  void add(std::uint64_t cta, std::uint32_t warp, std::span<const Record> records,
           std::span<const Site> sites, std::span<const std::uint64_t> lanes);
  bool full() const;   // time to take()
  bool empty() const;
  EncodedBlock take(std::uint64_t lost = 0);  // leaves the builder empty

 private:
  struct State;
  std::unique_ptr<State> state_;
};

class TraceWriter {
 public:
  // Creates PATH.partial. Fails with kResources or kUsage (PATH exists and !overwrite …).
  static Result<TraceWriter> create(const std::string& path, const Origin& origin);
  ~TraceWriter();  // an unsealed file stays behind as .partial
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;

  Result<std::uint32_t> add_program(const Program& program);  // its index
  Result<void> begin_launch(const Launch& launch);
  Result<void> append(const EncodedBlock& block);             // of a launch begun and not ended
  Result<void> end_launch(std::uint32_t launch, const LaunchEnd& end);
  Result<void> note_missing(const std::string& what);         // found out later: adds to quality
  Result<void> seal();                                        // index, footer, fsync, rename

 private:
  struct State;
  explicit TraceWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmem::trace
