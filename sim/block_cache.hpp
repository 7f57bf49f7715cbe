// Decoded blocks of a trace, shared by the warps that read them and kept a little longer for those
// that will. Memory is bounded by the blocks in use plus `keep` bytes.
#pragma once

#include <list>
#include <memory>
#include <unordered_map>

#include "base/error.hpp"
#include "traces/reader.hpp"

namespace warpmem::sim {

using BlockPtr = std::shared_ptr<const trace::DecodedBlock>;

class BlockCache {
 public:
  explicit BlockCache(const trace::TraceReader& reader, std::size_t keep = 32 << 20) : reader_(reader), keep_(keep) {}

  Result<BlockPtr> get(std::uint32_t block) {
    // A CTA's neighbours mostly lie in the block that was asked for last.
    if (!recent_.empty() && recent_.front().number == block) return recent_.front().block;
    Known& known = known_[block];
    if (known.kept) {
      recent_.splice(recent_.begin(), recent_, known.at);
      return recent_.front().block;
    }
    // Kept no longer, but some warp may still be reading it.
    BlockPtr p = known.block.lock();
    if (!p) {
      auto decoded = reader_.decode(block);
      if (!decoded) return decoded.error();
      p = std::make_shared<const trace::DecodedBlock>(std::move(decoded).value());
      known.block = p;
    }
    recent_.push_front({block, bytes_of(*p), p});
    known.at = recent_.begin();
    known.kept = true;
    bytes_ += recent_.front().bytes;
    while (bytes_ > keep_ && recent_.size() > 1) {
      bytes_ -= recent_.back().bytes;
      known_[recent_.back().number].kept = false;
      recent_.pop_back();
    }
    return p;
  }

 private:
  struct Entry {
    std::uint32_t number = 0;
    std::size_t bytes = 0;
    BlockPtr block;
  };
  struct Known {
    std::weak_ptr<const trace::DecodedBlock> block;
    std::list<Entry>::iterator at;  // where kept
    bool kept = false;
  };

  static std::size_t bytes_of(const trace::DecodedBlock& b) {
    return b.records.capacity() * sizeof(trace::Record) + b.lanes.capacity() * sizeof(std::uint64_t) +
           b.segments.capacity() * sizeof(trace::Segment);
  }

  const trace::TraceReader& reader_;
  std::size_t keep_;
  std::size_t bytes_ = 0;
  std::list<Entry> recent_;  // kept, most recently used first
  std::unordered_map<std::uint32_t, Known> known_;
};

}  // namespace warpmem::sim
