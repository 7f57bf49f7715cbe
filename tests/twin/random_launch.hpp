// One random launch: its shape, its program, and what its warps do.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/program.hpp"
#include "traces/format/launch.hpp"
#include "traces/format/record.hpp"

namespace warpmem::twin {

struct RandomWarp {
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
  std::vector<trace::Record> records;
  std::vector<std::uint64_t> lanes;
};

struct RandomLaunch {
  trace::Launch launch;
  trace::Program program;
  std::vector<trace::Site> sites;
  std::vector<RandomWarp> warps;
};

// `windows`: some have an access-policy window, whose lines persist in the L2.
RandomLaunch random_launch(std::uint64_t seed, bool windows);

}  // namespace warpmem::twin
