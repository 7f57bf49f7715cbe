// The kernels of the catalogue: who accesses what.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/catalogue/warp_records.hpp"

namespace warpmem::catalogue {

// "n" -> 1048576: grid, block and sizes of a kernel.
using Sizes = std::map<std::string, std::uint64_t>;

struct Kernel {
  Grid grid;
  std::vector<Access> accesses;
  Window window;
};

// kUsage when there is no kernel of that name, or a size is missing.
Result<Kernel> make_kernel(const std::string& name, const Sizes& sizes);

}  // namespace warpmem::catalogue
