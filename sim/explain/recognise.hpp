// The pattern in the addresses of one static instruction, from some of its accesses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/decoded_program.hpp"
#include "model/card/card.hpp"
#include "results/explanation.hpp"
#include "sim/explain/address_pass.hpp"

namespace warpmem::sim {

struct Recognised {
  AddressPattern pattern = AddressPattern::kFine;
  std::string sentence;
  std::uint64_t stride = 0;  // bytes from a lane to its next, of most
  std::uint64_t field = 0;  // of a stride: bytes behind a multiple of it, from the array's start on
  std::uint64_t offset = 0;  // of a misaligned access: bytes behind a sector's start
};

// The distance from an active lane to the next that most pairs have, in bytes, lanes of one address
// left out; 0: there is none. `share`: of the pairs.
struct LaneStep {
  std::int64_t bytes = 0;
  double share = 0;
  double same = 0;  // share of the pairs with one address
};
LaneStep lane_step(const std::vector<SampledAccess>& samples);

// `array`: where it lies (0 bytes: not known). Of local memory: a register that was put there, as
// long as nothing says otherwise (recognise_local()).
Recognised recognise(const AccessPlan& plan, const SiteAddresses& site,
                     const trace::Allocation& array, const model::CardNumbers& card);

// What the machine code of a local access says of it.
enum class LocalPlace : std::uint8_t { kNotKnown, kSpill, kConstant, kComputed };
LocalPlace local_place(const trace::DecodedLine& instruction);
// Tells spilled registers from arrays, by what the code says of each site.
void recognise_local(std::vector<Recognised>& all, const std::vector<LocalPlace>& places);

}  // namespace warpmem::sim
