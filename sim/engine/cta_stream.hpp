// The records of one CTA, warp by warp, fetched from the trace as they are needed. A warp that runs
// ahead of its siblings makes the next block come in; theirs waits in their queues until then.
//
// The read and the write of an asynchronous copy are at hand together, wherever blocks and pieces
// of them end (shared_side(), warp_state.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "sim/engine/block_cache.hpp"
#include "sim/engine/packed_records.hpp"
#include "sim/engine/warp_state.hpp"
#include "sim/spills/spill_stream.hpp"

namespace warpmem::sim {

class CtaStream {
 public:
  // Starts on another CTA; what the stream has allocated is used again. `spills`: accesses that the
  // launch's trace lacks (nullptr: none).
  Result<void> open(const trace::TraceReader& reader, std::uint32_t launch, std::uint64_t cta,
                    std::uint32_t warps, Spills* spills = nullptr) {
    fetched_ = 0;
    whole_ = {};
    queue_.resize(warps);
    spills_ = spills;
    sites_ = reader.sites(launch);
    widened_.resize(spills ? warps : 0);
    for (Widened& w : widened_) w.stream.begin(), w.source = {};
    return reader.cta_segments(launch, cta, refs_);
  }

  // Goes on to the warp's next records; false when its trace is at an end. `position` gives the
  // place of each of the CTA's warps by number.
  template <class Warps>
  Result<bool> advance(BlockCache& cache, std::uint32_t warp, Warps&& position) {
    if (!spills_) [[likely]]
      return advance_recorded(cache, warp, position);
    Widened& w = widened_[warp];
    const auto source = [this](std::uint32_t k) -> Position& { return widened_[k].source; };
    while (!w.stream.fill(*spills_, w.source, w.records)) {
      auto more = advance_recorded(cache, warp, source);
      if (more && *more) continue;
      if (more) position(warp) = {};
      return more;
    }
    position(warp) = {w.records.data(), w.records.data() + w.records.size(), w.source.lanes};
    return true;
  }

 private:
  // The warp's records with accesses to spilled registers between them, a few at a time.
  struct Widened {
    SpillStream stream;
    Position source;  // in its records
    std::vector<trace::Record> records;
  };

  template <class Warps>
  Result<bool> advance_recorded(BlockCache& cache, std::uint32_t warp, Warps&& position) {
    Position& at = position(warp);
    if (whole_) {
      if (at.next != at.end) return true;
      at = {};
      if (--reading_ == 0) whole_ = {};
      return false;
    }
    Queue& q = queue_[warp];
    while (at.next == at.end) {
      if (q.rest.next != q.rest.end) {
        hand_out(at, q, q.rest);
        continue;
      }
      if (q.open && !q.open->packed.at_end()) {
        unpack(at, q);
        continue;
      }
      if (q.held_back) hold(q, at);
      q.holding = {};
      q.open.reset();
      if (q.at < q.later.size()) {
        begin(at, q, std::move(q.later[q.at++]));
        continue;
      }
      q.later.clear();
      q.at = 0;
      if (fetched_ == refs_.size()) {
        at = q.waits ? q.split.position() : Position{};
        return std::exchange(q.waits, false);
      }
      if (auto ok = fetch(cache, position); !ok) return ok.error();
    }
    return true;
  }

  // Packed records, and the few of them that are unpacked.
  struct Copy {
    PackedRecords packed;
    std::vector<trace::Record> records;
    std::vector<std::uint64_t> lanes;
  };
  // An asynchronous copy whose read is the last record of a piece and whose write is the first of
  // the next.
  struct Split {
    std::vector<trace::Record> records;
    std::vector<std::uint64_t> lanes;

    void add(trace::Record r, const std::uint64_t* from) {
      if (!r.regular()) {
        const auto first = from + r.lanes;
        r.lanes = static_cast<std::uint32_t>(lanes.size());
        lanes.insert(lanes.end(), first, first + r.active());
      }
      records.push_back(r);
    }
    Position position() const {
      return {records.data(), records.data() + records.size(), lanes.data()};
    }
  };
  // A run of a warp's records: of a block, or a copy.
  struct Piece {
    BlockCache::Hold block;
    std::uint32_t first = 0, count = 0;
    std::unique_ptr<Copy> copy;
  };
  struct Queue {
    BlockCache::Hold holding;    // of the current piece, if it is a block's
    std::unique_ptr<Copy> open;  // the current piece, if it is a copy
    std::vector<Piece> later;    // mostly empty: a CTA's records lie in one block
    std::size_t at = 0;
    bool held_back = false;  // the record behind those at hand is a read that wants its write
    bool waits = false;      // the split's read waits for it
    Split split;
    Position rest;  // of the piece that had it

    bool busy() const { return holding || open || !later.empty(); }
  };

  void begin(Position& at, Queue& q, Piece piece) const {
    if (piece.copy) {
      q.open = std::move(piece.copy);
      return unpack(at, q);
    }
    const trace::Record* const next = piece.block->records.data() + piece.first;
    hand_out(at, q, {next, next + piece.count, piece.block->lanes.data()});
    q.holding = std::move(piece.block);
  }

  void unpack(Position& at, Queue& q) const {
    Copy& copy = *q.open;
    copy.packed.next(copy.records, copy.lanes);
    const trace::Record* const next = copy.records.data();
    hand_out(at, q, {next, next + copy.records.size(), copy.lanes.data()});
  }

  trace::Op op(const trace::Record& r) const { return sites_[r.site].op; }

  // Puts the next of a warp's records at hand.
  void hand_out(Position& at, Queue& q, Position part) const {
    if (q.waits && part.next != part.end) {
      q.waits = false;
      if (op(*part.next) == trace::Op::kAsyncCopyWrite) q.split.add(*part.next++, part.lanes);
      q.rest = part;
      at = q.split.position();
      return;
    }
    q.rest = {};
    at = part;
    q.held_back = at.next != at.end && op(*(at.end - 1)) == trace::Op::kAsyncCopyRead;
    if (q.held_back) --at.end;
  }

  // Keeps the read that was held back, as what it lies in is let go.
  static void hold(Queue& q, const Position& at) {
    q.held_back = false;
    q.waits = true;
    q.split = {};
    q.split.add(*at.end, at.lanes);
  }

  // Most CTAs lie in one block, each warp's records in a piece: nothing is left for the queues
  // then. Hands all of it out, or nothing of a CTA that is another.
  template <class Warps>
  bool hand_out_all(BlockCache& cache, BlockCache::Hold& block, Warps&& position) {
    if (fetched_ != 0 || refs_.size() != 1 || refs_[0].count != queue_.size()) return false;
    const trace::Segment* const first = block->segments.data() + refs_[0].first;
    for (std::uint32_t i = 0; i < refs_[0].count; ++i)
      if (first[i].warp != i) return false;
    for (std::uint32_t i = 0; i < refs_[0].count; ++i) {
      const trace::Record* const next = block->records.data() + first[i].first;
      position(i) = {next, next + first[i].count, block->lanes.data()};
      cache.takes(first[i]);
    }
    fetched_ = 1;
    reading_ = refs_[0].count;
    block.takes(refs_[0].count);
    whole_ = std::move(block);
    return true;
  }

  // Hands out all of the CTA's segments in the next block.
  template <class Warps>
  Result<void> fetch(BlockCache& cache, Warps&& position) {
    const std::uint32_t block = refs_[fetched_].block;
    auto got = cache.get(block);
    if (!got) return got.error();
    const bool copies = cache.crowded();
    if (!copies && hand_out_all(cache, *got, position)) return {};
    for (; fetched_ < refs_.size() && refs_[fetched_].block == block; ++fetched_) {
      const trace::SegmentRange& range = refs_[fetched_];
      got->takes(range.count);
      for (std::uint32_t i = 0; i < range.count; ++i) {
        const trace::Segment& s = (*got)->segments[range.first + i];
        cache.takes(s);
        Queue& q = queue_[s.warp];
        Piece piece;
        if (copies) {
          const trace::DecodedBlock& b = **got;
          piece.copy = std::make_unique<Copy>();
          piece.copy->packed =
              PackedRecords(b.records.data() + s.first, s.count, b.lanes.data(), sites_);
        } else {
          piece = {*got, s.first, s.count, nullptr};
        }
        if (!q.busy()) begin(position(s.warp), q, std::move(piece));
        else q.later.push_back(std::move(piece));
      }
    }
    return {};
  }

  std::span<const trace::Site> sites_;
  std::vector<trace::SegmentRange> refs_;
  std::size_t fetched_ = 0;
  BlockCache::Hold whole_;     // of all its records, where hand_out_all() could
  std::uint32_t reading_ = 0;  // warps that have not come to an end in it
  std::vector<Queue> queue_;
  Spills* spills_ = nullptr;
  std::vector<Widened> widened_;  // by warp, with spills
};

}  // namespace warpmem::sim
