// A launch's blocks on their way to the trace. They are in it at once, or held back until it is
// known whether the launch did the same as the one before it: then they are not written at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/error.hpp"
#include "traces/format/writer.hpp"

namespace warpmem::cudart {

class LaunchBlocks {
 public:
  // More than so many bytes are not held: what comes goes to the trace, equal or not.
  static constexpr std::size_t kMostHeld = std::size_t{64} << 20;

  LaunchBlocks(trace::TraceWriter& writer, trace::Launch launch)
      : writer_(&writer), launch_(std::move(launch)) {}

  void hold() { held_ = true; }  // before the first block
  Result<void> begin();          // unless it is held
  Result<void> append(trace::EncodedBlock block);
  Result<void> release();  // what was held goes to the trace, and all that follows
  bool held() const { return held_; }
  std::uint64_t hash() const { return hash_; }  // of all records so far

 private:
  trace::TraceWriter* writer_;
  trace::Launch launch_;
  bool held_ = false;
  std::vector<trace::EncodedBlock> blocks_;
  std::size_t bytes_ = 0;  // of blocks_
  std::uint64_t hash_ = 0;
};

}  // namespace warpmem::cudart
