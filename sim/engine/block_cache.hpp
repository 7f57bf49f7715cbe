// Decoded blocks of a trace: those that warps are reading, and the latest others for those that
// will. Belongs to one thread.
//
// Memory: `budget` bytes and a block. A block of which all has been read goes at once, and the next
// one is decoded into its place. Where what is being read is all that fits, the cache is
// crowded, and whoever gets a block is to take a packed copy of its part and let go
// (packed_records.hpp).
#pragma once

#include <algorithm>
#include <list>
#include <memory_resource>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "base/large_pages.hpp"
#include "sim/engine/decoded_trace.hpp"
#include "sim/engine/rewrite.hpp"
#include "sim/engine/spins.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// What has been taken of a trace's blocks, to be replayed.
struct Taken {
  std::uint64_t segments = 0;
  std::uint64_t records = 0;  // as they are replayed
  std::uint64_t stored = 0;   // … as they are in the file: some are left out in flight

  Taken& operator+=(const Taken& o) {
    segments += o.segments, records += o.records, stored += o.stored;
    return *this;
  }
  void add(const trace::Segment& s) { ++segments, records += s.count, stored += s.stored; }
};

class BlockCache {
  struct Entry {
    BlockCache* cache;
    std::uint32_t number;
    std::size_t bytes;
    trace::DecodedBlock own;            // empty where it is a DecodedTrace's
    const trace::DecodedBlock* shared;  // … and then that one, else nullptr
    std::size_t unread;                 // segments that nobody has taken yet
    std::uint32_t holds = 0;
    std::list<Entry*>::iterator recent{};
    const trace::DecodedBlock& block() const { return shared ? *shared : own; }
  };

 public:
  // A block stays as long as somebody holds it.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(Entry* entry) : entry_(entry) { take(); }
    Hold(const Hold& other) : entry_(other.entry_) { take(); }
    Hold(Hold&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
    Hold& operator=(Hold other) noexcept {
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Hold() {
      if (entry_ && --entry_->holds == 0) entry_->cache->let_go(*entry_);
    }
    explicit operator bool() const { return entry_ != nullptr; }
    const trace::DecodedBlock& operator*() const { return entry_->block(); }
    const trace::DecodedBlock* operator->() const { return &entry_->block(); }
    // Whoever reads so many of its segments says so, and holds it until they are done with.
    void takes(std::size_t segments) const { entry_->unread -= std::min(entry_->unread, segments); }

   private:
    void take() {
      if (entry_ && entry_->holds++ == 0) entry_->cache->held_ += entry_->bytes;
    }
    Entry* entry_ = nullptr;
  };

  // `rewrite`: what becomes of the records in flight (nullptr: nothing). `decoded`: blocks that
  // are there already, for all who replay the trace (nullptr: none).
  explicit BlockCache(const trace::TraceReader& reader, std::size_t budget = 32 << 20,
                      const Rewrite* rewrite = nullptr, const DecodedTrace* decoded = nullptr)
      : reader_(reader),
        budget_(budget),
        rewrite_(rewrite),
        decoded_(rewrite && !rewrite->leaves_records() ? nullptr : decoded) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  // Blocks decoded from now on come with the records of loops without accesses or without; a
  // launch's blocks are to be all alike.
  void keep_rounds(bool keep) { rounds_ = keep; }
  // They come without the accesses that look again at what their warp has just looked at (nullptr:
  // with them).
  void drop_spins(const Spins* spins) { spins_ = spins; }

  Result<Hold> get(std::uint32_t block) {
    // A CTA's neighbours mostly lie in the block that was asked for last.
    if (!recent_.empty() && recent_.front()->number == block) return Hold(recent_.front());
    auto at = entries_.find(block);
    if (at != entries_.end()) {
      recent_.splice(recent_.begin(), recent_, at->second.recent);
      return Hold(&at->second);
    }
    if (const trace::DecodedBlock* const there =
            decoded_ ? decoded_->block(block, rounds_) : nullptr)
      return enter(block, {}, there, 0);
    auto decoded = reader_.decode(block, &memory_);
    if (!decoded) return decoded.error();
    if (!rounds_) drop_rounds(*decoded, reader_.sites(decoded->launch));
    if (spins_) spins_->drop(*decoded);
    if (rewrite_) rewrite_->apply(*decoded, reader_.sites(decoded->launch));
    const std::size_t bytes = bytes_of(*decoded);
    return enter(block, std::move(*decoded), nullptr, bytes);
  }

  // What is being read leaves no room for another block.
  bool crowded() const { return held_ > budget_; }
  const Rewrite* rewrite() const { return rewrite_; }

  // Whoever takes a segment says so here; what has been taken since begin() (record_law.hpp).
  void begin() { taken_ = {}; }
  void takes(const trace::Segment& segment) { taken_.add(segment); }
  const Taken& taken() const { return taken_; }

 private:
  Hold enter(std::uint32_t number, trace::DecodedBlock own, const trace::DecodedBlock* shared,
             std::size_t bytes) {
    const std::size_t segments = (shared ? *shared : own).segments.size();
    const auto at =
        entries_.try_emplace(number, Entry{this, number, bytes, std::move(own), shared, segments})
            .first;
    recent_.push_front(&at->second);
    at->second.recent = recent_.begin();
    bytes_ += bytes;
    Hold hold(&at->second);
    make_room();
    return hold;
  }

  // Forgets the blocks that nobody reads, longest unused first.
  void make_room() {
    for (auto at = recent_.end(); bytes_ > budget_ && at != recent_.begin();) {
      --at;
      Entry& entry = **at;
      if (entry.holds > 0) continue;
      at = forget(entry);
    }
  }

  std::list<Entry*>::iterator forget(Entry& entry) {
    bytes_ -= entry.bytes;
    const auto next = recent_.erase(entry.recent);
    entries_.erase(entry.number);
    return next;
  }

  // Nobody holds it any more.
  void let_go(Entry& entry) {
    held_ -= entry.bytes;
    if (entry.unread == 0) forget(entry);
  }

  static std::size_t bytes_of(const trace::DecodedBlock& b) {
    return b.records.capacity() * sizeof(trace::Record) +
           b.lanes.capacity() * sizeof(std::uint64_t) +
           b.segments.capacity() * sizeof(trace::Segment);
  }

  const trace::TraceReader& reader_;
  std::size_t budget_;
  const Rewrite* rewrite_;
  const DecodedTrace* decoded_;
  const Spins* spins_ = nullptr;
  bool rounds_ = true;
  std::size_t bytes_ = 0;  // of all
  std::size_t held_ = 0;   // of those that somebody holds
  Taken taken_;
  // Warps read here and there, a little at a time.
  std::pmr::unsynchronized_pool_resource memory_{{8, 4 << 20}, large_pages()};
  std::list<Entry*> recent_;                          // most recently used first
  std::unordered_map<std::uint32_t, Entry> entries_;  // its elements do not move
};

}  // namespace warpmem::sim
