// What a machine instruction does for a PTX statement: the record that it leaves.
#pragma once

#include <optional>

#include "emulate/mapping/code_pair.hpp"
#include "emulate/mapping/site_map.hpp"

namespace warpmem::emulate {

SassAccess mapped_access(const CodePair& p, std::uint32_t line, std::uint32_t statement);

// False: narrower than the PTX says.
bool wide_enough(const CodePair& p, std::uint32_t statement, std::uint32_t line);

// A load whose result is not used as a whole becomes a narrower one: from which byte on? Of
// several registers the first that is read; of one the lowest bytes, unless something reads its
// upper half as such.
std::optional<std::uint32_t> first_used(const CodePair& p, std::uint32_t statement,
                                        std::uint32_t width);

// The instructions of one place that a load of several words became, each some of its words. None:
// they are not that.
std::vector<SassAccess> split_load(const CodePair& p, std::uint32_t statement,
                                   const std::vector<std::uint32_t>& lines);

}  // namespace warpmem::emulate
