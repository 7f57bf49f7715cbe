// Frames of functions: their registers, and the stack of each thread.
#pragma once

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

class Frames {
 public:
  explicit Frames(Running& run) : run_(run) {}
  // `depth`: calls that it is in.
  std::int32_t new_frame(Warp& warp, const Code& code, std::uint32_t local_base,
                         std::uint32_t depth);
  // alloca, and what it is saved and restored by.
  void stack(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);

 private:
  static std::size_t free_frame(Warp& warp, const Code& code);
  [[noreturn]] void overflow_stack(const char* how);
  void grow_local(Warp& warp, std::uint32_t need);

  Running& run_;
};

}  // namespace warpmem::emulate
