// What each static instruction asks for, by its addresses and the card's rules alone: one pass over
// a launch's records, in any order. Requests, sectors and wavefronts are what the memory system
// counts (model/system/access_division.hpp); beside them stand the fewest that could hold what was
// asked for, and some accesses to look at.
//
// Ideal wavefronts of shared memory: the passes without any conflict, as the profiler's
// memory_l1_wavefronts_shared_ideal.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "model/access/access.hpp"
#include "model/access/warp_lanes.hpp"
#include "model/card/card.hpp"
#include "model/shared/rule/shared_rule.hpp"
#include "model/system/access_division.hpp"
#include "sim/engine/sites.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

struct SampledAccess {
  model::WarpAccess access;
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
};

// What accesses to one array took.
struct ArrayAddresses {
  std::uint64_t requests = 0, sectors = 0, ideal_sectors = 0;
};

struct SiteAddresses {
  static constexpr std::size_t kSamples = 96;
  static constexpr std::size_t kSizes = 129;

  std::uint64_t requests = 0;  // with an active lane
  std::uint64_t lanes = 0;     // active ones, added up
  std::uint64_t sectors = 0, ideal_sectors = 0;
  std::uint64_t wavefronts = 0, ideal_wavefronts = 0;
  std::uint64_t addresses = 0;  // distinct ones of a request, added up: atomics, constants
  // Of accesses without a stride some were held against the warp's access to the same array before:
  // lanes of both, and those of them that went on by one step, of up to 128 bytes.
  std::uint64_t followed = 0, went_on = 0;
  // Requests by their sectors, or by their passes; the last entry: that many or more.
  std::array<std::uint64_t, kSizes> by_size{};
  std::uint64_t low = ~std::uint64_t{0}, high = 0;  // bytes touched: [low, high)
  std::vector<SampledAccess> samples;               // spread over the launch
  std::uint64_t every = 1;                          // … one request of so many
  // By allocation of the launch; the entry behind the last: of none of them.
  std::map<std::size_t, ArrayAddresses> arrays;
};

struct AddressPass {
  std::vector<SiteAddresses> sites;   // by site
  std::uint64_t records = 0, of = 0;  // that were read, and that there are
};

// Adds accesses up, one by one. All but `out` may change behind it.
class AddressCounter {
 public:
  AddressCounter(const trace::Launch& launch, const std::vector<AccessPlan>& plans,
                 const model::Card& card, AddressPass& out);
  void add(std::uint32_t site, const model::WarpLanes& lanes, std::uint64_t cta,
           std::uint32_t warp);

 private:
  // Returns the array.
  std::size_t sectors(SiteAddresses&, const model::WarpLanes&, const AccessPlan&);
  void bulk(SiteAddresses&, const model::WarpLanes&, const AccessPlan&);
  void wavefronts(SiteAddresses&, const model::WarpLanes&, const AccessPlan&);
  model::SharedPasses passes_of(const SiteAddresses&, const model::WarpLanes&, const AccessPlan&);
  void sample(SiteAddresses&, const model::WarpLanes&, const AccessPlan&, std::uint64_t cta,
              std::uint32_t warp);
  void follow(std::uint32_t site, std::size_t array, const model::WarpLanes&, std::uint64_t cta,
              std::uint32_t warp);

  struct Known {
    std::uint32_t mask = 0;
    std::int32_t stride = 0;
    std::uint64_t base = 0;
    model::SharedPasses passes;
  };
  std::vector<trace::Allocation> allocations_;
  std::vector<AccessPlan> plans_;  // by site
  model::AccessRules rules_;
  model::SharedRule shared_rule_;
  model::Banks banks_;
  std::uint64_t line_bytes_;
  // Whether accesses have the sectors and the banks that most cards have, and faster code.
  bool usual_sectors_ = false;
  AddressPass& out_;
  std::vector<std::array<Known, 16>> known_;  // by site
  struct Followed {
    std::uint64_t accesses = 0;
    model::WarpAccess access;  // that the next is held against
    std::uint64_t cta = 0;
    std::uint32_t warp = 0;
  };
  std::vector<Followed> followed_;  // by array
  model::LineList lines_;
};

// `most`: records at most, of blocks that lie evenly in the launch; then `records` < `of`.
Result<AddressPass> pass_addresses(const trace::TraceReader& reader, std::uint32_t launch,
                                   const model::Card& card, const std::vector<AccessPlan>& plans,
                                   std::uint64_t most = ~std::uint64_t{0});

// The allocation that holds an address, or the number of allocations.
std::size_t allocation_of(const std::vector<trace::Allocation>& all, std::uint64_t address);
inline std::size_t allocation_of(const trace::Launch& launch, std::uint64_t address) {
  return allocation_of(launch.allocations, address);
}

}  // namespace warpmem::sim
