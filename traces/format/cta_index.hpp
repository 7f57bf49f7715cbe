// Where a launch's CTAs lie in the file. A run is a set of CTAs, evenly spaced and each with the
// same number of segments, that follow one another in a block: a trace in CTA order needs one run a
// block, whatever its length.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "traces/format/bytes.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::trace {

struct CtaRun {
  std::uint64_t cta = 0;    // the first
  std::uint32_t count = 0;  // CTAs
  std::uint32_t step = 1;   // from one to the next
  std::uint32_t block = 0;
  std::uint32_t segment = 0;  // the first CTA's first segment
  std::uint32_t per_cta = 0;  // segments of each

  std::uint64_t last() const { return cta + std::uint64_t{count - 1} * step; }
  bool operator==(const CtaRun&) const = default;
};

// Appends the runs of one block's segments.
void append_runs(std::span<const Segment> segments, std::uint32_t block, std::vector<CtaRun>& runs);

Bytes put_runs(std::span<const CtaRun> runs);
std::optional<std::vector<CtaRun>> parse_runs(ByteSpan bytes, bool newer);

// Looks up CTAs among all the runs of a launch.
class CtaIndex {
 public:
  void add(std::span<const CtaRun> runs) { runs_.insert(runs_.end(), runs.begin(), runs.end()); }
  void finish();  // after the last add()

  std::vector<SegmentRef> segments(std::uint64_t cta) const;
  void segments(std::uint64_t cta, std::vector<SegmentRange>& out) const;
  std::vector<std::uint64_t> ctas() const;
  // Whether a block has a run at all.
  bool names(std::uint32_t block) const;
  // Whether the runs of a block are its segments: each of them once, at its place, of its CTA.
  bool fits(std::uint32_t block, std::span<const Segment> segments) const;

 private:
  std::span<const std::uint32_t> of(std::uint32_t block) const;

  std::vector<CtaRun> runs_;             // by first CTA, then by place in the file
  std::vector<std::uint32_t> by_place_;  // numbers of runs_, by place in the file
  std::vector<std::uint64_t> reach_;     // the highest CTA in runs_[0..i]
};

}  // namespace warpmem::trace
