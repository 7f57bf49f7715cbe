// printf, malloc, free and assert, as the driver has them.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <span>

#include "base/units.hpp"
#include "emulate/executor/builtins.hpp"
#include "emulate/executor/calls.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/printf_text.hpp"

namespace warpmem::emulate {
namespace {

// Bytes before what malloc gives out, as a GPU's heap has them: code that nvcc makes of `new T[n]`
// may write there.
constexpr std::uint64_t kHeapHeader = 16;

}  // namespace

void Calls::builtin(Warp& warp, const Part& part, const CallSite& site, std::uint32_t mask) {
  if (site.builtin >= static_cast<std::uint32_t>(Builtin::kDeviceRuntime))
    return device_calls_.device_call(warp, part, site, mask);
  const Inst& in = code_of(warp, part).code[part.pc];
  std::byte* frame = warp.frames[static_cast<std::size_t>(part.frame)].registers;
  const auto argument = [&](std::size_t i, std::uint32_t lane) {
    std::uint64_t v = 0;
    const ParamSlot& a = site.arguments.at(i);
    std::memcpy(&v, frame + a.offset + lane * a.bytes, std::min(8u, a.bytes));
    return v;
  };
  const auto result = [&](std::uint32_t lane, std::uint64_t v) {
    if (!site.results.empty())
      std::memcpy(frame + site.results[0].offset + lane * site.results[0].bytes, &v,
                  std::min(8u, site.results[0].bytes));
  };
  const auto string_at = [&](std::uint64_t at) {
    std::string s;
    while (s.size() < 4096 && run_.memory.contains(at, at + 1)) {
      const char c = static_cast<char>(*run_.memory.host(at++));
      if (c == 0) break;
      s += c;
    }
    return s;
  };
  const auto builtin = static_cast<Builtin>(site.builtin);
  const std::size_t needed = builtin == Builtin::kAssert ? 5 : builtin == Builtin::kPrintf ? 2 : 1;
  if (site.arguments.size() < needed)
    fault(run_, warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)),
          "a call of a built-in function with too few arguments",
          "declare the function in the PTX as nvcc does");
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    switch (builtin) {
      case Builtin::kPrintf: {
        const std::uint64_t packed = argument(1, l);
        std::span<const std::byte> given;
        if (packed - kLocalWindow < warp.local_capacity)
          given = {
              warp.local.data() + std::size_t{l} * warp.local_capacity + (packed - kLocalWindow),
              warp.local_capacity - (packed - kLocalWindow)};
        else if (const Region* region = run_.memory.find(packed))
          given = {run_.memory.host(packed), region->bytes - (packed - region->base)};
        else if (packed != 0)
          fault(
              run_, warp, in, l, "printf's arguments lie outside memory",
              "pass the address of a buffer of the thread's own as the second argument of vprintf");
        run_.stop_if_interrupted();
        const Printed all = formatted(string_at(argument(0, l)), given, string_at);
        if (all.too_long)
          fault(run_, warp, in, l,
                fmt::format("printf of more than {}", byte_size(Printed::kMostBytes)),
                "give smaller widths and precisions, or print in several calls");
        if (run_.options.print) run_.options.print(all.text);
        result(l, all.arguments);
        break;
      }
      case Builtin::kMalloc: {
        const std::uint64_t bytes = argument(0, l),
                            at = bytes + kHeapHeader < bytes
                                     ? 0
                                     : run_.memory.allocate_heap(bytes + kHeapHeader);
        result(l, at ? at + kHeapHeader : 0);
        break;
      }
      case Builtin::kFree:
        if (argument(0, l) != 0 && !run_.memory.free(argument(0, l) - kHeapHeader))
          fault(run_, warp, in, l,
                fmt::format("free({:#x}): not the start of an allocation", argument(0, l)),
                "free what malloc gave, once");
        break;
      default:
        run_.statistics.fault = FaultKind::kAssert;
        fail_assertion(
            run_, warp, in, mask,
            fmt::format("{}:{}: {}", string_at(argument(1, l)),
                        static_cast<std::uint32_t>(argument(2, l)), string_at(argument(3, l))),
            string_at(argument(0, l)));
    }
  }
}

}  // namespace warpmem::emulate
