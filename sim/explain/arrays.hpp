// The arrays that a launch's accesses are in, and what to call them: allocations by the argument of
// the kernel that points there, shared memory by the pieces that instructions keep to.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.hpp"
#include "results/explanation.hpp"
#include "sim/explain/address_pass.hpp"
#include "traces/format/launch.hpp"

namespace warpmem::sim {

// By allocation: "argument 2 (float*)", or "allocation 2" where no argument points there.
std::vector<std::string> array_names(const trace::Launch& launch, const trace::Program& program);

// "f(float*, S<int, 2>)" -> {"float*", "S<int, 2>"}.
std::vector<std::string> argument_types(const std::string& demangled);

// A piece of a CTA's shared memory that some instructions keep to.
struct SharedArray {
  std::uint64_t low = 0, high = 0;   // bytes: [low, high)
  std::vector<std::uint32_t> sites;  // ascending
};
std::vector<SharedArray> shared_arrays(const std::vector<AccessPlan>& plans,
                                       const AddressPass& pass);

// Sectors of lines, dealt to the arrays that they are in: their sums are those of the lines. Worst
// first. `names`: of the launch's allocations.
std::vector<ArrayTraffic> array_traffic(const std::vector<SiteTraffic>& lines,
                                        const AddressPass& pass, const trace::Launch& launch,
                                        const std::vector<std::string>& names);

}  // namespace warpmem::sim
