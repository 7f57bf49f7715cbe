// Reads a trace, sealed or cut short. Opening reads headers and the index only; blocks are decoded
// one at a time, on demand, so memory does not grow with the trace.
#pragma once

#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "host/timeline/operation.hpp"
#include "isa/program.hpp"
#include "traces/format/launch.hpp"
#include "traces/format/record.hpp"
#include "traces/format/repeats.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::trace {

class DecodedProgram;  // isa/decoded_program.hpp

// A decoded block. record.site indexes TraceReader::sites(launch); record.lanes indexes `lanes`.
struct DecodedBlock {
  std::uint32_t launch = 0;  // index into TraceReader::launches()
  std::vector<Segment> segments;
  std::pmr::vector<Record> records;       // all segments, one after the other
  std::pmr::vector<std::uint64_t> lanes;  // addresses of listed records
};

// Where one run of a warp's records lies.
struct SegmentRef {
  std::uint32_t block = 0;    // block number, as decode() takes it
  std::uint32_t segment = 0;  // index into DecodedBlock::segments
};

// Segments of one block that follow one another.
struct SegmentRange {
  std::uint32_t block = 0;
  std::uint32_t first = 0;  // index into DecodedBlock::segments
  std::uint32_t count = 0;
};

struct LaunchSummary {
  Launch launch;
  LaunchEnd end;
  bool complete = false;              // its end was written and nothing was lost
  Repeats repeats;                    // how often it ran in a row: the others are not in the trace
  std::vector<std::uint32_t> blocks;  // block numbers, in file order
};

// What is known to be missing from this trace, for tables and JSON ("quality").
struct Quality {
  bool sealed = false;
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  std::uint64_t unreadable_bytes = 0;  // tail after the last whole block
  std::vector<std::string> notes;      // sentences; empty for a complete trace
  bool complete() const { return sealed && lost == 0 && notes.empty(); }
};

struct OpenOptions {
  bool allow_partial = false;  // false: an unsealed trace is an error of kind kIncomplete
};

class TraceReader {
 public:
  static Result<TraceReader> open(const std::string& path, const OpenOptions& options = {});
  ~TraceReader();
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;

  const std::string& path() const;
  const Origin& origin() const;
  const Quality& quality() const;
  std::string hash() const;  // XXH3 of the content, 16 hex digits
  std::span<const LaunchSummary> launches() const;
  std::span<const Program> programs() const;
  // What the program asked of the GPU, its launches among the rest; empty: not known.
  std::span<const host::Operation> steps() const;
  // A program decoded. The one that was asked for last is kept, and so are those that somebody
  // holds. Thread-safe.
  std::shared_ptr<const DecodedProgram> code(std::uint32_t program) const;
  std::span<const Site> sites(std::uint32_t launch_index) const;

  // Segments of one CTA in file order: a warp's segments are in its own order; between warps there
  // is none (a block holds them sorted).
  Result<std::vector<SegmentRef>> cta_segments(std::uint32_t launch_index, std::uint64_t cta) const;
  // The same by block, into memory that is used again and again.
  Result<void> cta_segments(std::uint32_t launch_index, std::uint64_t cta,
                            std::vector<SegmentRange>& out) const;
  // The CTAs that have records, ascending.
  Result<std::vector<std::uint64_t>> ctas(std::uint32_t launch_index) const;
  // Thread-safe: several threads may decode different blocks at once.
  // Records and lanes take their space from `memory`.
  Result<DecodedBlock> decode(std::uint32_t block, std::pmr::memory_resource* memory =
                                                       std::pmr::get_default_resource()) const;

 private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace warpmem::trace
