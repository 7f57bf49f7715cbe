// What nvcc's code calls of a runtime that was linked in and stripped. These functions never name
// themselves, unlike the rest: they are told by who calls them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace warpmem::audit {

struct Code {
  std::span<const unsigned char> bytes;
  std::uint64_t address = 0;                     // of the first, as the file counts
  const std::vector<std::uint64_t>& beginnings;  // of functions, ascending
};

// `wrappers`: where the descriptions of fat binaries lie (.nvFatBinSegment), which constructors
// register. `launch`: cudaLaunchKernel. What is not certain is left out.
std::map<std::string, std::uint64_t> registration(const Code& code, std::uint64_t wrappers,
                                                  std::uint64_t wrappers_end, std::uint64_t launch);

}  // namespace warpmem::audit
