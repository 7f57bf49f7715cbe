// Loops that ptxas unrolled: the bodies that it made of them, and which instruction of a body is
// which iteration's. Either they count (four iterations at a time, then two, then one): which of
// them runs depends on how many iterations are left. Or they look after each iteration whether
// there is another: they run in turn.
#pragma once

#include <vector>

#include "emulate/mapping/code_pair.hpp"
#include "emulate/mapping/site_map.hpp"

namespace warpmem::emulate {

// `several`: statements that became several instructions. A loop is unrolled when one of its
// accesses is; then all of them must agree on the bodies, or it fails with the reason.
Result<void> map_unrolled_loops(const CodePair& pair, const std::vector<std::uint32_t>& several,
                                SiteMap& map);

}  // namespace warpmem::emulate
