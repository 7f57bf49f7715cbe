// Decoded blocks of a trace, shared by the warps that read them and kept a little longer for those
// that will. Memory is bounded by the blocks in use plus `keep`.
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
  explicit BlockCache(const trace::TraceReader& reader, std::size_t keep = 64) : reader_(reader), keep_(keep) {}

  Result<BlockPtr> get(std::uint32_t block) {
    if (const auto it = index_.find(block); it != index_.end()) {
      recent_.splice(recent_.begin(), recent_, it->second);
      return it->second->second;
    }
    auto decoded = reader_.decode(block);
    if (!decoded) return decoded.error();
    BlockPtr p = std::make_shared<const trace::DecodedBlock>(std::move(decoded).value());
    recent_.emplace_front(block, p);
    index_[block] = recent_.begin();
    if (recent_.size() > keep_) {
      index_.erase(recent_.back().first);
      recent_.pop_back();
    }
    return p;
  }

 private:
  const trace::TraceReader& reader_;
  std::size_t keep_;
  std::list<std::pair<std::uint32_t, BlockPtr>> recent_;  // most recently used first
  std::unordered_map<std::uint32_t, std::list<std::pair<std::uint32_t, BlockPtr>>::iterator> index_;
};

}  // namespace warpmem::sim
