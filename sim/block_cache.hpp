// Decoded blocks of a trace, shared by the warps that read them and kept a little longer for those
// that will. Memory is bounded by the blocks in use plus `keep` bytes. Belongs to one thread.
#pragma once

#include <list>
#include <unordered_map>
#include <utility>

#include "base/error.hpp"
#include "traces/reader.hpp"

namespace warpmem::sim {

class BlockCache {
  struct Entry {
    BlockCache* cache;
    std::uint32_t number;
    std::uint32_t holds;
    std::size_t bytes;
    trace::DecodedBlock block;
    bool kept = false;
    std::list<Entry*>::iterator recent{};  // where kept
  };

 public:
  // A block stays as long as somebody holds it.
  class Hold {
   public:
    Hold() = default;
    explicit Hold(Entry* entry) : entry_(entry) { ++entry_->holds; }
    Hold(const Hold& other) : entry_(other.entry_) {
      if (entry_) ++entry_->holds;
    }
    Hold(Hold&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
    Hold& operator=(Hold other) noexcept {
      std::swap(entry_, other.entry_);
      return *this;
    }
    ~Hold() {
      if (entry_ && --entry_->holds == 0) entry_->cache->unused(*entry_);
    }
    explicit operator bool() const { return entry_ != nullptr; }
    const trace::DecodedBlock& operator*() const { return entry_->block; }
    const trace::DecodedBlock* operator->() const { return &entry_->block; }

   private:
    Entry* entry_ = nullptr;
  };

  explicit BlockCache(const trace::TraceReader& reader, std::size_t keep = 32 << 20)
      : reader_(reader), keep_(keep) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  Result<Hold> get(std::uint32_t block) {
    // A CTA's neighbours mostly lie in the block that was asked for last.
    if (!recent_.empty() && recent_.front()->number == block) return Hold(recent_.front());
    auto at = entries_.find(block);
    if (at == entries_.end()) {
      auto decoded = reader_.decode(block);
      if (!decoded) return decoded.error();
      const std::size_t bytes = bytes_of(*decoded);
      at = entries_.try_emplace(block, Entry{this, block, 0, bytes, std::move(*decoded)}).first;
    }
    Entry& entry = at->second;
    Hold hold(&entry);
    keep(entry);
    return hold;
  }

 private:
  void keep(Entry& entry) {
    if (entry.kept) return recent_.splice(recent_.begin(), recent_, entry.recent);
    recent_.push_front(&entry);
    entry.recent = recent_.begin();
    entry.kept = true;
    bytes_ += entry.bytes;
    while (bytes_ > keep_ && recent_.size() > 1) {
      Entry& last = *recent_.back();
      recent_.pop_back();
      bytes_ -= last.bytes;
      last.kept = false;
      if (last.holds == 0) unused(last);
    }
  }

  void unused(Entry& entry) {
    if (!entry.kept) entries_.erase(entry.number);
  }

  static std::size_t bytes_of(const trace::DecodedBlock& b) {
    return b.records.capacity() * sizeof(trace::Record) +
           b.lanes.capacity() * sizeof(std::uint64_t) +
           b.segments.capacity() * sizeof(trace::Segment);
  }

  const trace::TraceReader& reader_;
  std::size_t keep_;
  std::size_t bytes_ = 0;                             // of those kept
  std::list<Entry*> recent_;                          // kept, most recently used first
  std::unordered_map<std::uint32_t, Entry> entries_;  // its elements do not move
};

}  // namespace warpmem::sim
