// Runs the instructions of one warp: a part of it at a time, until that waits, parts, or has had
// its slice. Plain arithmetic is a function of each instruction; all else goes through a table, by
// kind.
#pragma once

#include <array>
#include <bit>

#include "emulate/executor/units.hpp"

namespace warpmem::emulate {

class Interpreter {
 public:
  Interpreter(Running& run, Units& units) : run_(run), units_(units) {}
  // At most `whole` warp instructions, and those of the block that it is in then.
  void run_warp(Warp& warp, std::uint64_t whole);

 private:
  // A part of a warp that runs.
  struct Stretch {
    Warp& warp;
    std::int32_t number;   // of the part
    std::uint64_t& slice;  // warp instructions left
    Part* part;            // may move when the warp gets new ones
    const Code& code;
    std::byte* frame;
    std::uint32_t pc, mask;
    std::uint32_t active = 0;      // of the instruction: lanes that its guard lets run it
    std::uint32_t meet, may_miss;  // where it reconverges; kNoOffset: its lanes cannot pass that by
    std::uint32_t waits;           // so many in vain end its turn
    std::uint64_t* entered;        // Recorder::entered
    std::uint64_t warp_count = 0, thread_count = 0;  // instructions not accounted for yet

    Part& refresh() { return *(part = &warp.parts[static_cast<std::size_t>(number)]); }
    std::uint32_t first_lane() const {
      return static_cast<std::uint32_t>(std::countr_zero(active));
    }
    // The instruction goes by.
    bool pass() { return ++part->pc, true; }
  };
  // Carries out an instruction; false: the part waits, has parted, or has ended.
  using Operation = bool (Interpreter::*)(Stretch& s, const Inst& in);
  static const std::array<Operation, kKinds> kOperations;  // by kind

  Stretch begin(Warp& warp, std::uint64_t& slice);
  void run_part(Warp& warp, std::uint64_t& slice);
  static void run_arithmetic(Stretch& s);
  bool enter_block(Stretch& s);
  void account(Stretch& s);
  static bool take_back(Stretch& s, const Inst& in);

  // operations.cpp
  bool access(Stretch& s, const Inst& in);
  bool fence(Stretch& s, const Inst& in);
  bool param_load(Stretch& s, const Inst& in);
  bool param_store(Stretch& s, const Inst& in);
  bool special(Stretch& s, const Inst& in);
  bool local_address(Stretch& s, const Inst& in);
  bool branch(Stretch& s, const Inst& in);
  bool branch_indexed(Stretch& s, const Inst& in);
  bool call(Stretch& s, const Inst& in);
  bool leave(Stretch& s, const Inst& in);
  bool trap(Stretch& s, const Inst& in);
  bool barrier(Stretch& s, const Inst& in);
  bool cluster_arrive(Stretch& s, const Inst& in);
  bool cluster_wait(Stretch& s, const Inst& in);
  bool together(Stretch& s, const Inst& in);
  bool matrix(Stretch& s, const Inst& in);
  bool map_address(Stretch& s, const Inst& in);
  bool rank_of(Stretch& s, const Inst& in);
  bool mbarrier(Stretch& s, const Inst& in);
  bool machine_branch(Stretch& s, const Inst& in);
  bool machine_jump(Stretch& s, const Inst& in);
  bool converge(Stretch& s, const Inst& in);
  bool converge_break(Stretch& s, const Inst& in);
  bool machine_yield(Stretch& s, const Inst& in);
  bool driver_call(Stretch& s, const Inst& in);
  bool refused(Stretch& s, const Inst& in);
  bool nothing(Stretch& s, const Inst& in);
  // By a unit that needs to know no more than the part, the instruction and its lanes.
  template <auto kUnit, auto kDo>
  bool by(Stretch& s, const Inst& in);

  Running& run_;
  Units& units_;
};

}  // namespace warpmem::emulate
