// A launch as it would be with other addresses: changes made to its records between the trace and
// the engine, in memory. The trace stays as it is.
//
// What a record asks for may move, records may go, and what the memory system does with a static
// instruction may change. The instructions in between stay: what a change would add to the program
// is not there.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "model/access/access_plan.hpp"
#include "sim/engine/cta_order.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

// What becomes of the accesses of one static instruction.
class AccessChange {
 public:
  virtual ~AccessChange() = default;
  // Where a lane's word lies then.
  virtual std::uint64_t address(std::uint64_t at) const { return at; }
  // Of one access: which lanes are left; 0: the record goes. `a`: as it was.
  virtual std::uint32_t lanes(const model::WarpAccess& a, const trace::Segment&) const {
    return a.mask;
  }
  // A move of the whole access.
  virtual std::uint64_t shift(const model::WarpAccess&) const { return 0; }  // subtracted
};

// Through which caches global loads go, whatever their instructions say.
enum class LoadsThrough : std::uint8_t {
  kAsRecorded,
  kBoth,    // ld.ca: through L1 and L2
  kL2Only,  // ld.cg
};

struct Rewrite {
  std::vector<std::shared_ptr<const AccessChange>> of;             // by site; nullptr: stays
  std::vector<std::pair<std::uint32_t, model::AccessPlan>> plans;  // by site: instead of the own
  // By site: the group of those whose words, which a warp's lanes take one after the other, each
  // along a run of its own, are dealt out anew: neighbouring lanes along the first lane's run, then
  // the next one's. 0: of no group. A piece of a warp's records, as it lies in a block, is dealt at
  // a time.
  std::vector<std::uint32_t> dealt;
  std::optional<int> carveout;  // shared memory's part of the L1, percent
  LoadsThrough loads = LoadsThrough::kAsRecorded;
  CtaOrder order;  // of launches without clusters
  // Which of a launch's CTAs run, in order (none: all).
  std::function<void(const trace::Launch&, std::vector<std::uint64_t>& ctas)> choose;

  // Records and sites stay as they are.
  bool leaves_records() const { return of.empty() && dealt.empty(); }
  // Rewrites the records of a decoded block. `own`: by site, what they were recorded with.
  void apply(trace::DecodedBlock& block, std::span<const trace::Site> sites) const;
  void apply(std::vector<model::AccessPlan>& own) const;
  // A launch's CTAs, in the order in which they are given out.
  void apply(const trace::Launch& launch, std::vector<std::uint64_t>& ctas) const;

 private:
  void change(trace::DecodedBlock& block, std::span<const trace::Site> sites) const;
  void deal(trace::DecodedBlock& block, std::span<const trace::Site> sites) const;
};

}  // namespace warpmem::sim
