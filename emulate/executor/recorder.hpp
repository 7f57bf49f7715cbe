// What a launch leaves behind for its trace: records of accesses and barriers, loops that
// a warp goes round without a record, and how often each block of instructions ran.
//
// How often warps ran each instruction is for the time engine: what they did between two accesses
// is not in the trace, and there are many ways it may have been. Blocks are counted as warps come
// to them.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

class Recorder {
 public:
  explicit Recorder(Running& run) : run_(run) { begin(); }
  // Of what Running::tracer now is.
  void begin();

  void record(Warp& warp, const Inst& in, const Code& code, trace::Op op, trace::Space space,
              std::uint32_t bytes, std::uint32_t mask, const Lanes& lanes);
  // … of a lane's bulk copy. The first of its records says that it begins.
  void record_piece(Warp& warp, const Inst& in, const Code& code, trace::Op op, trace::Space space,
                    std::uint32_t bytes, std::uint32_t lane, std::uint64_t address, bool& begun);
  void record_barrier(Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t number,
                      std::uint32_t expected);
  // The warp comes to a branch, which some of its lanes take.
  void record_branch(Warp& warp, const Inst& in, const Code& code, std::uint32_t line, bool taken);
  // Before a record of this line, or of none.
  void leave_rounds(Warp& warp, const Code* code, std::uint32_t line);

  // Times that warps came to each line of a function that begins a block; null: nobody asks.
  std::uint64_t* entered(const Code& code) {
    return entered_.empty() ? nullptr : &entered_[code.first_line];
  }
  void add_entered(const std::vector<std::uint64_t>& more);
  std::vector<std::uint64_t> take_entered() { return std::move(entered_); }
  void end();  // RunStatistics::times

 private:
  void count_round(Warp& warp, const Code& code, std::uint32_t line);

  Running& run_;
  std::vector<std::uint64_t> entered_;  // by line, of all functions
};

}  // namespace warpmem::emulate
