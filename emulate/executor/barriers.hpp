// Barriers of a CTA, and the cluster's.
#pragma once

#include "emulate/executor/divergence.hpp"
#include "emulate/executor/recorder.hpp"

namespace warpmem::emulate {

class Barriers {
 public:
  Barriers(Running& run, Recorder& recorder) : run_(run), recorder_(recorder) {}
  // True: the part goes on.
  bool barrier(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask);
  // Lanes have exited: who waits for them waits no longer.
  void check_all_barriers(Cta& cta);
  bool cluster_arrive(Warp& warp, std::int32_t part, std::uint32_t mask);
  bool cluster_wait(Warp& warp, std::int32_t part);

 private:
  // Lanes of the mask come; returns the barrier's number.
  std::uint32_t come(Warp& warp, const Inst& in, const std::byte* frame, std::uint32_t mask);
  void check_barrier(Cta& cta, std::uint32_t number);
  void check_cluster();

  Running& run_;
  Recorder& recorder_;
};

}  // namespace warpmem::emulate
