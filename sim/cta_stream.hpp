// The records of one CTA, warp by warp, fetched from the trace as they are needed. A warp that runs
// ahead of its siblings makes the next block come in; theirs waits in their queues until then.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "sim/block_cache.hpp"

namespace warpmem::sim {

class CtaStream {
 public:
  // Position of a warp in its current segment.
  struct Warp {
    const trace::Record* next = nullptr;
    const trace::Record* end = nullptr;
    const trace::DecodedBlock* block = nullptr;
  };

  static Result<CtaStream> open(const trace::TraceReader& reader, BlockCache& cache,
                                std::uint32_t launch, std::uint64_t cta, std::uint32_t warps) {
    auto refs = reader.cta_segments(launch, cta);
    if (!refs) return refs.error();
    CtaStream s;
    s.refs_ = std::move(refs).value();
    s.warps_.resize(warps);
    s.queue_.resize(warps);
    (void)cache;
    return s;
  }

  std::uint32_t warps() const { return static_cast<std::uint32_t>(warps_.size()); }

  // Makes sure that the warp has a record; nullptr in Warp::next when its trace is at an end.
  Result<Warp*> advance(BlockCache& cache, std::uint32_t warp) {
    Warp& w = warps_[warp];
    while (w.next == w.end) {
      Queue& q = queue_[warp];
      q.holding.reset();
      if (q.at < q.later.size()) {
        begin(w, q, std::move(q.later[q.at++]));
        continue;
      }
      q.later.clear();
      q.at = 0;
      if (fetched_ == refs_.size()) {
        w.next = w.end = nullptr;
        return &w;
      }
      if (auto ok = fetch(cache); !ok) return ok.error();
    }
    return &w;
  }

  Warp& warp(std::uint32_t i) { return warps_[i]; }

 private:
  struct Piece {
    BlockPtr block;
    std::uint32_t first = 0, count = 0;
  };
  struct Queue {
    BlockPtr holding;          // of the current piece; none: the warp has nothing to do
    std::vector<Piece> later;  // mostly empty: a CTA's records lie in one block
    std::size_t at = 0;
  };

  static void begin(Warp& w, Queue& q, Piece piece) {
    w.block = piece.block.get();
    w.next = w.block->records.data() + piece.first;
    w.end = w.next + piece.count;
    q.holding = std::move(piece.block);
  }

  // Hands out all of the CTA's segments in the next block.
  Result<void> fetch(BlockCache& cache) {
    const std::uint32_t block = refs_[fetched_].block;
    auto got = cache.get(block);
    if (!got) return got.error();
    while (fetched_ < refs_.size() && refs_[fetched_].block == block) {
      const trace::Segment& s = (*got)->segments[refs_[fetched_++].segment];
      if (s.warp >= queue_.size()) continue;
      Queue& q = queue_[s.warp];
      Piece piece{*got, s.first, s.count};
      if (!q.holding && q.later.empty()) begin(warps_[s.warp], q, std::move(piece));
      else q.later.push_back(std::move(piece));
    }
    return {};
  }

  std::vector<trace::SegmentRef> refs_;
  std::size_t fetched_ = 0;
  std::vector<Warp> warps_;
  std::vector<Queue> queue_;
};

}  // namespace warpmem::sim
