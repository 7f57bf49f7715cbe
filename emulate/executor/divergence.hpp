// How a warp's lanes part and meet again (machine.hpp says how): branches, reconvergence points,
// and lanes that go on by themselves because those that they wait for may be waiting for them.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

// Who of the lanes that wait at a reconvergence point goes on without those that are still to come.
enum class Parting : std::uint8_t { kKnown, kAll };

// Whether from a place on lanes do not come to where others wait for them: it is outside the loop
// in whose next iteration they are to meet; or it is behind where ways join, or in that loop's next
// iteration.
bool will_not_meet(const Code& code, std::uint32_t reconverge, std::uint32_t place);

class Divergence {
 public:
  explicit Divergence(Running& run) : run_(run) {}

  // Parts are known by number: a new one may move the others.
  static std::int32_t new_part(Warp& warp);
  static void make_ready(Warp& warp, std::int32_t part);
  // All lanes of the part have reached their reconvergence point.
  static void arrive(Warp& warp, std::int32_t part);
  // Lanes return from the part's function, or exit; the part keeps the rest.
  static void leave(Warp& warp, std::int32_t part, std::uint32_t lanes, bool exits);
  static void leave_loop(Warp& warp, std::int32_t part);
  // Parts that became ready at one place, ready[from] and later, are one part again.
  static void rejoin(Warp& warp, std::size_t from);

  // True: the part goes on with what is left of it; false: another part runs next.
  bool branch(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t taken,
              std::uint32_t target);
  bool branch_indexed(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask);

  void part_company(Warp& warp, Parting which, std::uint32_t lanes = ~0u);
  void end_stalemate(Group& group);

 private:
  static void settle(Warp& warp, std::int32_t part);
  static void go_ahead(Warp& warp, std::size_t waiting);

  Running& run_;
  Places parting_;  // of all groups, where CTAs take turns
};

}  // namespace warpmem::emulate
