#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "emulate/executor/calls.hpp"
#include "emulate/executor/faults.hpp"

namespace warpmem::emulate {

Calls::Callee Calls::callee(const Warp& warp, const Inst& in, const CallSite& site,
                            const std::byte* registers, std::uint32_t lanes) const {
  if (site.pointer == kNoOffset) return {site.function, lanes};
  const auto* pointers = reinterpret_cast<const std::uint64_t*>(registers + site.pointer);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
  const Function* target = run_.kernel.module->function_at(pointers[first]);
  const auto known = target ? run_.kernel.numbers.find(target) : run_.kernel.numbers.end();
  if (known == run_.kernel.numbers.end())
    fault(
        run_, warp, in, first,
        fmt::format("a call through {:#x}, which is not the address of a function",
                    pointers[first]),
        "check that the pointer is set, and on the device: a host's function pointer is none here");
  if (target->params.size() != site.arguments.size())
    fault(run_, warp, in, first,
          fmt::format("'{}' takes {} arguments, not {}", target->name, target->params.size(),
                      site.arguments.size()),
          "call it through a pointer of its own type");
  std::uint32_t same = 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((lanes >> l & 1) && pointers[l] == pointers[first]) same |= 1u << l;
  return {known->second, same};
}

// The part that waits for these lanes to return: itself, or one of theirs.
std::int32_t Calls::wait_for_return(Warp& warp, std::int32_t number, const CallSite& site,
                                    std::uint32_t mask) {
  std::int32_t waits = number;
  if (mask != warp.parts[static_cast<std::size_t>(number)].mask) {
    // A guarded call: the other lanes go on, and wait behind it.
    waits = Divergence::new_part(warp);
    Part& p = warp.parts[static_cast<std::size_t>(number)];
    Part& w = warp.parts[static_cast<std::size_t>(waits)];
    w.frame = p.frame, w.mask = mask, w.parent = p.parent, w.reconverge = p.reconverge;
    p.mask &= ~mask;
    w.pc = ++p.pc;
  } else {
    ++warp.parts[static_cast<std::size_t>(number)].pc;
    warp.ready.pop_back();
  }
  Part& w = warp.parts[static_cast<std::size_t>(waits)];
  w.state = Part::State::kWaiting;
  w.pending = mask;
  w.call = &site;
  return waits;
}

bool Calls::call(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t mask) {
  const Part& part = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, part);
  const CallSite& site = code.calls[in.extra];
  if (mask == 0) return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  if (site.builtin) {
    builtin(warp, part, site, mask);
    return ++warp.parts[static_cast<std::size_t>(number)].pc, true;
  }
  std::uint32_t left = mask;
  const std::uint32_t caller_frame = static_cast<std::uint32_t>(part.frame);
  const std::uint32_t local_base =
      warp.frames[caller_frame].local_base + code.local_bytes + warp.frames[caller_frame].taken;
  const std::int32_t waits = wait_for_return(warp, number, site, mask);
  while (left) {
    const auto [function, lanes] =
        callee(warp, in, site, warp.frames[caller_frame].registers, left);
    left &= ~lanes;
    const Code& called = *run_.kernel.functions[function];
    const std::int32_t frame =
        frames_.new_frame(warp, called, local_base, warp.frames[caller_frame].depth + 1);
    const std::byte* from = warp.frames[caller_frame].registers;
    std::byte* to = warp.frames[static_cast<std::size_t>(frame)].registers;
    for (std::size_t i = 0; i < site.arguments.size(); ++i) {
      const ParamSlot& a = site.arguments[i];
      const ParamSlot& b = called.params[i];
      for (std::uint32_t l = 0; l < 32; ++l)
        std::memcpy(to + b.offset + l * b.bytes, from + a.offset + l * a.bytes,
                    std::min(a.bytes, b.bytes));
    }
    const std::int32_t child = Divergence::new_part(warp);
    Part& c = warp.parts[static_cast<std::size_t>(child)];
    c.pc = 0, c.mask = lanes, c.parent = waits, c.frame = frame;
    warp.parts[static_cast<std::size_t>(waits)].callees.push_back(frame);
    Divergence::make_ready(warp, child);
  }
  return false;
}

void Calls::return_values(Warp& warp, std::int32_t number, std::uint32_t lanes) {
  const Part& p = warp.parts[static_cast<std::size_t>(number)];
  const Code& code = code_of(warp, p);
  if (code.returns.empty()) return;
  std::int32_t at = p.parent;
  while (at >= 0 && !warp.parts[static_cast<std::size_t>(at)].call)
    at = warp.parts[static_cast<std::size_t>(at)].parent;
  if (at < 0) return;
  const Part& caller = warp.parts[static_cast<std::size_t>(at)];
  const std::byte* from = warp.frames[static_cast<std::size_t>(p.frame)].registers;
  std::byte* to = warp.frames[static_cast<std::size_t>(caller.frame)].registers;
  for (std::size_t i = 0; i < code.returns.size() && i < caller.call->results.size(); ++i) {
    const ParamSlot& a = code.returns[i];
    const ParamSlot& b = caller.call->results[i];
    for (std::uint32_t l = 0; l < 32; ++l)
      if (lanes >> l & 1)
        std::memcpy(to + b.offset + l * b.bytes, from + a.offset + l * a.bytes,
                    std::min(a.bytes, b.bytes));
  }
}

}  // namespace warpmem::emulate
