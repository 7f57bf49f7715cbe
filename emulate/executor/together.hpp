// What the lanes of a warp do together: __syncwarp, votes, shuffles, matches, reductions, matrices.
//
// Each lane names the lanes it acts with. Lanes that name the same ones act together, and wait
// until all of those are there, as independent thread scheduling has them wait: they may come in
// parts, and lanes that are together may name different others.
#pragma once

#include "emulate/executor/divergence.hpp"
#include "emulate/executor/matrix_unit.hpp"

namespace warpmem::emulate {

class Together {
 public:
  Together(Divergence& divergence, MatrixUnit& matrix) : divergence_(divergence), matrix_(matrix) {}
  // True: the part goes on.
  bool act_together(Warp& warp, std::int32_t part, const Inst& in, std::byte* frame,
                    std::uint32_t mask);
  // Those whose last named lane has come, or exited, act and go on.
  void release_together(Warp& warp);
  // True: some lanes can run.
  bool let_named_go(Warp& warp);

 private:
  static void wait_together(Warp& warp, std::int32_t part, const std::uint32_t* names,
                            std::uint32_t mask);

  Divergence& divergence_;
  MatrixUnit& matrix_;
};

}  // namespace warpmem::emulate
