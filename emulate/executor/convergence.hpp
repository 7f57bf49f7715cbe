// How lanes of machine code part and meet: a branch leaves two parts; a convergence barrier has,
// for each lane, the lanes that it is to meet (BSSY), and at BSYNC a lane waits until all of those
// wait too, have exited, or have left (BREAK). Nothing else brings lanes together but instructions
// that name them (WARPSYNC). Unlike PTX's parts, none waits for another one's lanes.
#pragma once

#include "emulate/executor/divergence.hpp"

namespace warpmem::emulate {

class Convergence {
 public:
  // `taken` of the part's lanes go to `target`, the others to `next`.
  static void part_ways(Warp& warp, std::int32_t part, std::uint32_t taken, std::uint32_t target,
                        std::uint32_t next);
  // True: all lanes are there, and the part goes on.
  static bool wait(Warp& warp, std::int32_t part, const Inst& in, std::byte* frame,
                   std::uint32_t mask);
  // These lanes are no longer waited for at the barrier.
  static void leave(std::byte* frame, const Inst& in, std::uint32_t lanes);
  // Those go on that wait for nobody any more.
  static void release(Warp& warp);
  // Lanes that wait go on without those that they wait for, and who comes later does not wait.
  static void go_ahead(Warp& warp, std::size_t waiting);
  // Where ptxas has put a YIELD, in loops in which lanes may wait for each other, what an H200 does
  // (kernels/micro/parted_loops.cu): others run first, if there are any, each until it waits or
  // yields; and who waits for lanes that yield, because it has left the loop before them, goes on
  // alone, as does from then on who leaves it later. They meet again at an instruction that names
  // them (WARPSYNC).
  static bool yield(Warp& warp, std::int32_t part);
};

}  // namespace warpmem::emulate
