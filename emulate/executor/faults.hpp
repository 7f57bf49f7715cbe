// What ends a kernel: thrown inside the executor, which returns the error.
#pragma once

#include <string>

#include "emulate/executor/running.hpp"

namespace warpmem::emulate {

struct Fault {
  Error error;
};

[[noreturn]] void fault(const Running& run, const Warp& warp, const Inst& in, std::uint32_t lane,
                        const std::string& message, const std::string& fix,
                        ErrorKind kind = ErrorKind::kMalformed);
Error fault_at(const Running& run, const Warp& warp, const Inst& in, std::uint32_t lane,
               const std::string& message, const std::string& fix, ErrorKind kind);
// In CUDA's words, a line for each lane.
[[noreturn]] void fail_assertion(const Running& run, const Warp& warp, const Inst& in,
                                 std::uint32_t mask, const std::string& where,
                                 const std::string& what);
std::string thread_name(const Running& run, const Warp& warp, std::uint32_t lane);
std::string place_of(const Kernel& kernel, const Code& code, const Inst& in);
// What lies at an address, or before it.
std::string nearest_text(const Memory& memory, std::uint64_t address);

}  // namespace warpmem::emulate
