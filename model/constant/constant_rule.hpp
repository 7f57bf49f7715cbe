// Constants are broadcast: one address at a time goes to all lanes that ask for it. So an access
// takes as many passes as its lanes have distinct addresses (CUDA C programming guide 4.x, appendix
// F: of a half-warp up to compute capability 1.3, of a warp since).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/access/access.hpp"

namespace warpmem::model {

enum class ConstantRule : std::uint8_t { kWarp, kHalfWarp };
const std::vector<std::string>& constant_rule_names();

// Passes beyond the first of each warp, or half-warp, that has active lanes.
std::uint32_t constant_serialized(ConstantRule rule, const WarpAccess& access);

}  // namespace warpmem::model
