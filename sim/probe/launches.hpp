// The launches of a microbenchmark on a card: two for each point, of which one does more.
#pragma once

#include <memory>
#include <vector>

#include "sim/probe/kernels.hpp"
#include "sim/probe/probe.hpp"

namespace warpmem::sim::probe {

struct Pair {
  std::uint64_t x = 0;
  std::size_t less = 0, more = 0;  // of the launches
  double amount = 0;               // of what the second does more: bytes, or loads
};

struct Plan {
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<Launch> launches;
  std::vector<Pair> pairs;
  bool keep_caches = false;  // from one launch to the next

  const Kernel& add(Kernel kernel) {
    kernels.push_back(std::make_unique<Kernel>(std::move(kernel)));
    return *kernels.back();
  }
};

void plan_launches(const model::Card& card, const Options& options, Plan& plan);

}  // namespace warpmem::sim::probe
