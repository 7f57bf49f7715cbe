// Collects the records of one launch as they come from the GPU, turns them into the trace's form,
// and hands them on sorted by CTA and warp: neighbours in the trace are then neighbours in memory,
// which is what compresses. Within a warp the order is kept.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "traces/format/record.hpp"
#include "traces/format/writer.hpp"
#include "traces/record/launch_state.hpp"
#include "traces/record/wire.hpp"

namespace warpmem::record {

// The sites of a launch that one worker has met, found by (pc, what the record says).
class SiteIndex {
 public:
  void reset(const CodeMap& code);
  std::uint32_t find(const RawRecord& raw);
  std::uint32_t begin() const { return begin_; }  // CtaBegin and CtaEnd: no pc
  std::uint32_t end() const { return end_; }
  const std::vector<trace::Site>& sites() const { return sites_; }

 private:
  std::uint32_t intern(std::uint64_t key, const trace::Site& site);
  static constexpr std::uint64_t kNoKey = ~std::uint64_t{0};
  const CodeMap* code_ = nullptr;
  std::vector<trace::Site> sites_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  struct Recent {
    std::uint64_t key = kNoKey;
    std::uint32_t site = 0;
  };
  std::array<Recent, 256> recent_;     // by a hash of the key: most lookups end here
  std::uint32_t begin_ = 0, end_ = 0;  // the two boundary sites
};

// Warps that have records in a batch, each with a number in order of appearance.
class WarpIndex {
 public:
  WarpIndex() : table_(256, kFree) {}
  std::uint32_t find(std::uint64_t place);
  const std::vector<std::uint64_t>& places() const { return places_; }
  void clear();

 private:
  static constexpr std::uint32_t kFree = ~0u;
  void grow();
  std::size_t home(std::uint64_t place) const {
    return (place * 0x9e3779b97f4a7c15u) >> 32 & (table_.size() - 1);
  }
  std::vector<std::uint32_t> table_;  // open addressing; a power of two
  std::vector<std::uint64_t> places_;
  std::uint64_t last_place_ = ~std::uint64_t{0};
  std::uint32_t last_ = 0;
};

class Batch {
 public:
  static constexpr std::size_t kFull = 128 * 1024;  // records

  // Touches the memory it will need, which takes longer than filling it.
  void warm_up();
  // Empties it and makes it the launch's. Its memory is kept: a batch serves many launches.
  void reset(LaunchState& launch);
  // One record as it lies in a chunk, its addresses behind it. Returns the threads it says are
  // gone.
  std::uint32_t add(const RawRecord& raw);
  std::size_t size() const { return records_.size(); }
  // Work to write it, in records that are regular: a list is as much as four.
  std::size_t weight() const { return size() + lanes_.size() / 8 + two_level_.size() * 4; }
  LaunchState& launch() { return *launch_; }
  const GpuClock& gpu_clock() const { return gpu_clock_; }  // of the launch, since reset()
  // Gives everything to `builder`, sorted, and forgets it; `flush` runs whenever the builder is
  // full.
  void encode(trace::BlockBuilder& builder, const std::function<void()>& flush);

  // The same in two steps, so that several batches can be written in the order of their CTAs: all
  // records of one warp, ascending by place, valid until the batch changes.
  struct Run {
    std::uint64_t place;  // cta << 8 | warp
    std::uint32_t first, count;
  };
  const std::vector<Run>& sort();
  const std::vector<Run>& runs() const { return runs_; }
  // Room for the records of a run with their addresses written out; kept from run to run.
  struct Scratch {
    std::vector<trace::Record> records;
    std::vector<std::uint64_t> lanes;
  };
  void add_to(trace::BlockBuilder& builder, const Run& run, Scratch& scratch) const;
  void clear();

 private:
  // Full warps that walk in two steps are kept as that until they are written: 32 addresses are ten
  // times a record. Record::lanes is then kTwoLevel | its place in two_level_.
  struct TwoLevel {
    std::int32_t outer;
    std::uint32_t k;
  };
  static constexpr std::uint32_t kTwoLevel = 1u << 31;
  static bool is_two_level(const trace::Record& r) { return !r.regular() && r.lanes >= kTwoLevel; }
  static void list_lanes(const trace::Record& record, TwoLevel step,
                         std::vector<std::uint64_t>& out);
  trace::Record translate(const RawRecord& raw);
  void note_frame(const RawRecord& raw, const trace::Record& record);
  void make_local_addresses_frame_offsets();

  LaunchState* launch_ = nullptr;
  GpuClock gpu_clock_;
  SiteIndex sites_;
  WarpIndex warps_;                     // places: cta << 8 | warp
  std::vector<std::uint32_t> warp_of_;  // one a record
  std::vector<trace::Record> records_;
  std::vector<std::uint64_t> lanes_;
  std::vector<TwoLevel> two_level_;
  std::unordered_map<std::uint64_t, std::uint32_t> leaving_;  // warps of which some lanes are gone
  bool has_local_ = false;
  std::vector<std::uint32_t> by_place_, next_;  // sort()'s own
  std::vector<trace::Record> sorted_;
  std::vector<Run> runs_;
  Scratch scratch_;
};

}  // namespace warpmem::record
