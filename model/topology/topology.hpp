// A card's memory system as a directed graph: what connects to what, from the warps to memory, and
// what each place carries. A kernel's traffic on it has a bottleneck: the minimum cut.
//
// The graph, one edge a place: the grid -> CTA starts -> warps -> (issue -> pipes -> constant cache
// -> L1 -> port out -> port in, of each SM) -> the L2's near side -> (a slice) -> fabric ->
// (activation -> bus, of each DRAM channel) -> memory, or -> host link -> host memory. What comes
// back takes the same path; where a direction has a place of its own (ports), both are on it, as
// work needs both.
//
// The minimum cut: an edge's capacity is how many kernels a cycle could pass it: what it serves
// in a cycle, over what the whole kernel asks of it. Elements of a kind work in parallel and may
// share the work evenly (slices of a side, channels); an SM does the work that it had. The maximum
// flow is the rate that no schedule of the same traffic can beat, its inverse a lower bound in
// cycles; the edges of the cut are what limits. Latency is not in it: a kernel far above its bound
// waits for answers.
//
// Leaves out: places the engine has no limit for (the fabric), and orders that traffic could take
// on another day: hits and misses are as they were.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/card/card.hpp"
#include "model/interconnect/resource.hpp"

namespace warpmem::model {

class Topology {
 public:
  explicit Topology(const Card& card);

  // All resources of a kind, in parallel.
  struct Link {
    Resource place;
    const char *from, *to;
    std::uint32_t count;   // 0: no limit is known
    double bytes = 0;      // a cycle that one carries at best; 0: it carries none
    const char* how = "";  // where the number comes from on the card
  };
  std::span<const Link> links() const { return links_; }
  const Link& link(Resource place) const { return links_[static_cast<std::size_t>(place)]; }
  // The graph for Graphviz, a node for all of a kind.
  std::string dot(const std::string& name) const;

  // For how many cycles a kernel kept each element of a kind busy.
  struct Load {
    Resource place;
    std::vector<double> busy;
  };
  struct Bound {
    struct Part {
      Resource place;
      std::uint32_t count = 0;  // elements of it, and how many there are
      std::uint32_t of = 0;
      double share = 0;  // of the cut's capacity
    };
    double cycles = 0;      // no schedule of the traffic takes less; 0: there was no work
    std::vector<Part> cut;  // the larger share first
    // The one element with the most to do, as the traffic was: what camping and uneven SMs cost.
    Resource busiest = Resource::kIssue;
    std::uint32_t element = 0;
    double busiest_cycles = 0;
  };
  // kIssue has to be among the loads: it says which SM had how much of the work.
  Bound bound(std::span<const Load> loads) const;

 private:
  struct Traffic;
  double pace(std::span<const Load> loads, Bound& out) const;
  void add_sms(Traffic& t) const;
  void add_slices(Traffic& t) const;
  void add_channels(Traffic& t) const;

  std::vector<std::uint8_t> sm_side_;
  std::uint32_t slices_a_side_ = 1;
  std::uint32_t sides_ = 1;
  double bus_share_ = 1;  // of a channel's time that refreshes leave
  std::vector<Link> links_;
};

}  // namespace warpmem::model
