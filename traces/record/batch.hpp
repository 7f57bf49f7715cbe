// Collects the records of one launch as they come from the GPU, turns them into the trace's form,
// and hands them on sorted by CTA and warp: neighbours in the trace are then neighbours in memory,
// which is what compresses. Within a warp the order is kept.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "traces/record.hpp"
#include "traces/record/launch_state.hpp"
#include "traces/record/wire.hpp"
#include "traces/writer.hpp"

namespace warpmem::record {

// The sites of a launch that one worker has met, found by (pc, what the record says).
class SiteIndex {
 public:
  explicit SiteIndex(const CodeMap& code) : code_(&code) {}
  std::uint32_t find(const RawRecord& raw);
  std::uint32_t boundary(trace::Op op);  // CtaBegin and CtaEnd: no pc
  std::uint32_t adopt(const trace::Site& site);  // of another index of the same launch
  const std::vector<trace::Site>& sites() const { return sites_; }

 private:
  std::uint32_t intern(std::uint64_t key, const trace::Site& site);
  const CodeMap* code_;
  std::vector<trace::Site> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::uint64_t last_key_ = ~std::uint64_t{0};
  std::uint32_t last_ = 0;
};

class Batch {
 public:
  static constexpr std::size_t kFull = 64 * 1024;  // records

  explicit Batch(LaunchState& launch) : launch_(&launch), sites_(*launch.code) {}

  // One record as it lies in a chunk, its addresses behind it. Returns the threads it says are gone.
  std::uint32_t add(const RawRecord& raw);
  std::size_t size() const { return records_.size(); }
  LaunchState& launch() { return *launch_; }
  // Gives everything to `builder`, sorted, and forgets it; `flush` runs whenever the builder is full.
  void encode(trace::BlockBuilder& builder, const std::function<void()>& flush);
  void clear();
  // Takes over another batch of the same launch (other CTAs).
  void append(const Batch& other);

 private:
  trace::Record translate(const RawRecord& raw);

  LaunchState* launch_;
  SiteIndex sites_;
  std::vector<std::uint64_t> places_;      // cta << 8 | warp, one a record
  std::vector<trace::Record> records_;
  std::vector<std::uint64_t> lanes_;
  std::unordered_map<std::uint64_t, std::uint32_t> leaving_;  // warps of which some lanes are gone
};

}  // namespace warpmem::record
