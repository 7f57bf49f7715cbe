// Counts, and notifies a listener of what happens in the L2 and behind it (events.hpp).
#pragma once

#include <cstdint>

#include "model/sink/events.hpp"
#include "model/sink/l2_counting.hpp"

namespace warpmem::model {

class L2Notifying : public L2Counting {
 public:
  // Of a line, for an SM.
  struct At {
    int sm = 0;
    std::uint64_t line = 0;
  };

  explicit L2Notifying(std::uint32_t line_bytes, Level filled = Level::kL2)
      : line_bytes_(line_bytes), filled_(filled) {}
  void listen(EventListener* listener) { listener_ = listener; }

  void request(At at, std::uint64_t n) { happens(EventKind::kRequest, Level::kL2, at, n); }
  void merges(At at, std::uint64_t sectors) {
    L2Counting::merges(sectors);
    happens(EventKind::kMerge, Level::kL2, at, sectors);
  }
  // Sectors of a line are looked for.
  void look_up(At at, std::uint64_t asked, std::uint64_t hits) {
    read_hits(hits);
    happens(EventKind::kLookup, Level::kL2, at, asked);
    happens(EventKind::kHit, Level::kL2, at, hits);
    happens(EventKind::kMiss, Level::kL2, at, asked - hits);
  }
  void crosses(At at, std::uint64_t asked, std::uint64_t hits) {
    L2Counting::crosses(asked, hits);
    happens(EventKind::kCross, Level::kL2, at, asked);
  }
  void writes(At at, std::uint64_t requests, std::uint64_t sent, std::uint64_t hits) {
    L2Counting::writes(requests, sent, hits);
    request(at, requests);
    happens(EventKind::kWrite, Level::kL2, at, sent);
  }
  void write_crosses(At at, std::uint64_t sent) {
    L2Counting::write_crosses(sent);
    happens(EventKind::kCross, Level::kL2, at, sent);
  }
  void atomics(At at, bool returns, std::uint64_t passes, std::uint64_t hits) {
    L2Counting::atomics(returns, passes, hits);
    happens(EventKind::kAtomic, Level::kL2, at, passes);
  }
  void atomic_crosses(At at, std::uint64_t passes) {
    L2Counting::atomic_crosses(passes);
    happens(EventKind::kCross, Level::kL2, at, passes);
  }
  void prefetch_crosses(At at, std::uint64_t sectors) {
    L2Counting::prefetch_crosses(sectors);
    happens(EventKind::kCross, Level::kL2, at, sectors);
  }
  void dram_reads(At at, std::uint64_t sectors) {
    L2Counting::dram_reads(sectors);
    happens(EventKind::kFill, filled_, at, sectors);
  }
  void dram_writes(At at, std::uint64_t sectors) {
    L2Counting::dram_writes(sectors);
    happens(EventKind::kWriteBack, filled_, at, sectors);
  }
  void rows(At at, std::uint64_t opened) { happens(EventKind::kRow, Level::kDram, at, opened); }

 private:
  void happens(EventKind kind, Level level, At at, std::uint64_t n) const {
    if (listener_ && n > 0) listener_->event({kind, level, at.line * line_bytes_, n, at.sm});
  }

  std::uint32_t line_bytes_;
  Level
      filled_;  // what DRAM's sectors come to: the L2, or where there is none, DRAM notifies itself
  EventListener* listener_ = nullptr;
};

}  // namespace warpmem::model
