// The changes that would remove a finding, as rewritings of a launch's records
// (sim/engine/rewrite.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "model/card/card.hpp"
#include "results/explanation.hpp"
#include "sim/engine/rewrite.hpp"
#include "sim/explain/address_pass.hpp"
#include "sim/explain/arrays.hpp"
#include "sim/explain/recognise.hpp"

namespace warpmem::sim {

// What is known of a launch's addresses.
struct LaunchFacts {
  const trace::Launch& launch;
  const model::Card& card;
  std::span<const trace::Site> sites;
  const std::vector<AccessPlan>& plans;  // by site
  const AddressPass& pass;
  const std::vector<Recognised>& recognised;  // by site
  const std::vector<std::size_t>& arrays;     // by site: its allocation, or the number of them
  const std::vector<SharedArray>& shared;
  const trace::DecodedProgram& code;
};

struct Candidate {
  Change change;
  Rewrite rewrite;
};

// `sites`: of one finding, of this pattern. The first candidate is the one to try first. None:
// `advice` has what to do, without a number.
std::vector<Candidate> changes_for(const LaunchFacts& facts, AddressPattern pattern,
                                   const std::vector<std::uint32_t>& sites);
Change advice_for(const LaunchFacts& facts, AddressPattern pattern,
                  const std::vector<std::uint32_t>& sites);

}  // namespace warpmem::sim
