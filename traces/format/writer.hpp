// Writes a trace: append-only checked blocks into NAME.partial, sealed by fsync and rename.
// Format: docs/reference/trace-format.md. Not thread-safe; BlockBuilder is the part to run in
// parallel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "isa/program.hpp"
#include "traces/format/launch.hpp"
#include "traces/format/record.hpp"

namespace warpmem::trace {

// Where a trace came from; written once, at the start.
struct Origin {
  Level level = Level::kSass;
  std::string tool;     // "warpmem 0.1.0 record"
  std::string command;  // the traced program's command line
  std::string gpu;      // "NVIDIA H200"
  std::string arch;     // "sm_90"
  std::string driver;   // "580.159.04"
  std::string cuda;     // "13.0"
  std::string date;     // ISO 8601, UTC; empty for reproducible output
  std::uint32_t sms = 0;
  std::vector<std::string> missing;  // what this source cannot see: "constant loads", …
};

// One encoded block: records of one launch. Built without a writer, so several threads can encode.
struct EncodedBlock {
  std::uint32_t launch = 0;  // Launch::id
  std::uint64_t records = 0;
  std::uint64_t lost = 0;          // records of this launch known to be lost so far
  std::uint64_t raw_bytes = 0;     // before zstd
  std::vector<std::uint8_t> body;  // the zstd frame; as long as raw_bytes: stored, not compressed
  std::vector<Segment> segments;   // for the index
  std::vector<Site> sites;         // of its records, for the index
  std::vector<EncodedBlock> more;  // further blocks, when one add() was larger than a block
  std::string problem;             // what add() was given wrongly; append() refuses the block
};

// Collects segments of one launch (named by its Launch::id) and encodes them once about 256 KiB raw
// are reached. zstd_level 0 stores the blocks uncompressed.
class BlockBuilder {
 public:
  explicit BlockBuilder(std::uint32_t launch, int zstd_level = 3);
  ~BlockBuilder();
  BlockBuilder(BlockBuilder&&) noexcept;
  BlockBuilder& operator=(BlockBuilder&&) noexcept;

  // Adds consecutive records of one warp. record.site indexes `sites`; record.lanes indexes
  // `lanes`. Segments of the same warp must be added in the warp's order, in whatever pieces; a
  // block holds them sorted by CTA and warp, each warp's in one piece.
  void add(std::uint64_t cta, std::uint32_t warp, std::span<const Record> records,
           std::span<const Site> sites, std::span<const std::uint64_t> lanes);
  // For another launch from here on, in the memory it has; only when it is empty.
  void restart(std::uint32_t launch);
  bool full() const;  // time to take()
  bool empty() const;
  // Leaves the builder empty. `lost`: records of this launch known to be lost so far.
  EncodedBlock take(std::uint64_t lost = 0);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

struct WriterOptions {
  bool overwrite = false;  // replace PATH when sealing, and a PATH.partial left by another run now
  int zstd_level = 3;      // of the blocks the writer makes itself; 0 stores them
};

class Sink;  // traces/format/sink.hpp: where the bytes go

class TraceWriter {
 public:
  // Creates PATH.partial (of a link: beside its target). Fails with kUsage when a file is in the
  // way or there is no such folder, with kResources when the disk is full.
  static Result<TraceWriter> create(const std::string& path, const Origin& origin,
                                    const WriterOptions& options = {});
  // The same on any sink; `path` is for messages only.
  static Result<TraceWriter> create_on(std::unique_ptr<Sink> sink, const std::string& path,
                                       const Origin& origin, const WriterOptions& options = {});
  ~TraceWriter();  // an unsealed file stays behind as .partial, one without records is removed
  TraceWriter(TraceWriter&&) noexcept;
  TraceWriter& operator=(TraceWriter&&) noexcept;

  // Each call writes whole blocks or fails with kResources and leaves those before it readable; a
  // call that failed may be tried again (after freeing space, say).
  Result<std::uint32_t> add_program(const Program& program);  // its index
  Result<void> begin_launch(const Launch& launch);
  Result<void> append(const EncodedBlock& block);  // of a launch begun and not ended
  Result<void> end_launch(std::uint32_t launch, const LaunchEnd& end);  // counts end.records itself
  Result<void> note_missing(const std::string& what);  // found out later: adds to quality
  // A body of steps (traces/format/steps.hpp), in whatever place: they are ordered by themselves.
  Result<void> add_steps(std::span<const std::uint8_t> body);
  Result<void> seal();  // index, footer, fsync, rename
  // The same without the rename: a failure has cut the trace short. It stays PATH.partial, and a
  // PATH of before stays what it is.
  Result<void> seal_incomplete();
  std::string kept() const;  // the file that stays without seal(); empty: none, it has no record

 private:
  struct State;
  explicit TraceWriter(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmem::trace
