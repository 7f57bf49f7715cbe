#include "emulate/executor/machine_unit.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstring>

#include "emulate/executor/builtins.hpp"
#include "emulate/executor/constant_banks.hpp"
#include "emulate/executor/convergence.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/lane_rows.hpp"
#include "emulate/executor/machine_kernel.hpp"

namespace warpmem::emulate {

// Constant variables lie in memory, where the host writes them; other banks in the launch.
void MachineUnit::constant_load(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                                std::uint32_t mask) {
  const BankLoad& load = code_of(warp, part).bank_loads[in.extra];
  const ConstantBanks& banks = run_.kernel.machine->banks;
  const std::uint32_t element = size_of(load.type), bytes = element * load.elements;
  const auto row = [frame](std::uint32_t at) {
    return reinterpret_cast<const std::uint32_t*>(frame + at);
  };
  Lanes lanes, host;
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = host[l] = 0;
  const std::uint32_t who = load.all_lanes ? ~0u : mask;
  bool in_memory = false;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(who >> l & 1)) continue;
    std::uint32_t at = load.offset;
    if (load.base != kNoOffset) at += row(load.base)[l];
    if (load.uniform != kNoOffset) at += row(load.uniform)[l];
    const ConstantBanks::Place place = banks.find(load.bank, at, bytes);
    if (!place.host) {
      run_.statistics.fault = FaultKind::kAddress;
      fault(run_, warp, in, l,
            fmt::format("out-of-bounds load of {} bytes at {:#x} of constant bank {}", bytes, at,
                        load.bank),
            "check the index into the __constant__ array");
    }
    if (at % std::min(bytes, 16u) != 0) {
      run_.statistics.fault = FaultKind::kMisaligned;
      fault(run_, warp, in, l,
            fmt::format("misaligned load of {} bytes at {:#x} of constant bank {}", bytes, at,
                        load.bank),
            fmt::format("make the address a multiple of {}", bytes));
    }
    lanes[l] = place.device, host[l] = reinterpret_cast<std::uint64_t>(place.host);
    in_memory = place.device != 0;
  }
  if (in_memory && !load.all_lanes)
    recorder_.record(warp, in, code_of(warp, part), trace::Op::kLoad, trace::Space::kConstant,
                     bytes, mask, lanes);
  for (std::uint32_t k = 0; k < load.elements; ++k)
    if (load.values[k] != kNoOffset)
      load_element(load.type, frame + load.values[k], 4, host, who, k * element);
}

bool MachineUnit::jump(Warp& warp, std::int32_t number, const Inst& in, const std::byte* frame,
                       std::uint32_t mask) {
  const auto* at = reinterpret_cast<const std::uint32_t*>(frame + in.a);
  Lanes places;
  for (std::uint32_t l = 0; l < 32; ++l) places[l] = at[l] + in.extra;
  return go(warp, number, in, mask, places);
}

// Lanes that go to one place go together; the others come to this instruction again.
bool MachineUnit::go(Warp& warp, std::int32_t number, const Inst& in, std::uint32_t mask,
                     const std::uint64_t* places) {
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const Code& code = *run_.code;
  const auto place = static_cast<std::uint32_t>(places[first]);
  if (place % 16 != 0 || place / 16 >= code.lines.size())
    fault(run_, warp, in, first,
          fmt::format("a jump to {:#x}, outside the kernel's code of {} bytes", place,
                      16 * code.lines.size()),
          "the stack may have been overwritten: check writes to local arrays; or a function is "
          "called that the kernel's code does not hold");
  std::uint32_t same = 0;
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((mask >> l & 1) && places[l] == places[first]) same |= 1u << l;
  const std::uint32_t target = code.lines[place / 16];
  Part& part = warp.parts[static_cast<std::size_t>(number)];
  // Where no block begins nobody asks whether its turn is over: it is, so that no loop of such
  // jumps goes on for ever.
  if (same == part.mask) return part.pc = target, code.code[target].leader;
  // Those whose guard lets them pass go on behind it.
  const std::uint32_t here = part.pc, passing = part.mask & ~mask;
  if (passing && same == mask) {
    Convergence::part_ways(warp, number, same, target, here + 1);
    return false;
  }
  Convergence::part_ways(warp, number, same, target, here);
  return false;
}

// What a pointer to a function stands for in the code of this kernel.
std::uint64_t MachineUnit::place_of_function(const Warp& warp, const Inst& in, std::uint32_t lane,
                                             std::uint64_t address) const {
  if (address - kMachinePlaces < kDriverFunctions - kMachinePlaces) return address - kMachinePlaces;
  const Function* f = run_.kernel.module->function_at(address);
  if (!f)
    fault(
        run_, warp, in, lane,
        fmt::format("a call through {:#x}, which is not the address of a function", address),
        "check that the pointer is set, and on the device: a host's function pointer is none here");
  const auto start = run_.kernel.machine->starts.find(f);
  if (start == run_.kernel.machine->starts.end())
    fault(run_, warp, in, lane,
          fmt::format("a call of '{}' through a pointer, whose machine code is not there",
                      demangled(f->name)),
          "emulate the program from its PTX (--level ptx)", ErrorKind::kUsage);
  return start->second;
}

// Arguments lie in R4 and behind, those of 64 bits in pairs that begin at an even register.
void MachineUnit::device_runtime(Warp& warp, const Part& part, const DriverCall& call,
                                 std::byte* frame, std::uint32_t mask, std::uint32_t builtin) {
  constexpr std::uint32_t kRow = 128;
  const auto which =
      static_cast<DeviceCall>(builtin - static_cast<std::uint32_t>(Builtin::kDeviceRuntime));
  CallSite site;
  site.builtin = builtin;
  std::uint32_t word = 0, to = call.room;
  for (const char size : device_arguments(which)) {
    const auto bytes = static_cast<std::uint32_t>(size);
    if (bytes == 8) word += word % 2;
    for (std::uint32_t k = 0; k < bytes / 4; ++k, ++word)
      for (std::uint32_t l = 0; l < 32; ++l)
        std::memcpy(frame + to + l * bytes + 4 * k, frame + call.result + word * kRow + 4 * l, 4);
    site.arguments.push_back({to, bytes});
    to += 32 * bytes;
  }
  const std::uint32_t bytes = gives_address(which) ? 8 : 4;
  site.results = {{call.room, bytes}};
  calls_.builtin(warp, part, site, mask);
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1)
      for (std::uint32_t k = 0; k < bytes / 4; ++k)
        std::memcpy(frame + call.result + k * kRow + 4 * l, frame + call.room + l * bytes + 4 * k,
                    4);
}

// The driver's functions have places of their own in the window of code.
bool MachineUnit::call(Warp& warp, std::int32_t number, const Inst& in, std::byte* frame,
                       std::uint32_t mask) {
  const Part& part = warp.parts[static_cast<std::size_t>(number)];
  const DriverCall& call = code_of(warp, part).driver_calls[in.extra];
  const auto* address = reinterpret_cast<const std::uint64_t*>(frame + call.address);
  const auto first = static_cast<std::uint32_t>(std::countr_zero(mask));
  const std::uint64_t at = address[first];
  if (at - kDriverFunctions >= kMostDriverFunctions) {
    Lanes places{};
    for (std::uint32_t l = 0; l < 32; ++l)
      if (mask >> l & 1) places[l] = place_of_function(warp, in, l, address[l]);
    return go(warp, number, in, mask, places);
  }
  CallSite site;
  site.builtin = static_cast<std::uint32_t>(at - kDriverFunctions);
  for (const std::uint32_t a : call.arguments) site.arguments.push_back({a, 8});
  const auto builtin = static_cast<Builtin>(site.builtin);
  if (builtin >= Builtin::kDeviceRuntime) {
    device_runtime(warp, part, call, frame, mask, site.builtin);
    ++warp.parts[static_cast<std::size_t>(number)].pc;
    return true;
  }
  if (builtin != Builtin::kPrintf && builtin != Builtin::kMalloc && builtin != Builtin::kFree &&
      builtin != Builtin::kAssert)
    fault(run_, warp, in, first,
          "a call of a function of the driver that machine code cannot call here",
          "emulate it from PTX (--level ptx)", ErrorKind::kUsage);
  alignas(64) std::uint64_t result[32] = {};
  // The result's place is told from the frame's begin, as the arguments' are.
  site.results = {{call.arguments[1], 8}};
  calls_.builtin(warp, part, site, mask);
  std::memcpy(result, frame + call.arguments[1], sizeof result);
  auto* low = reinterpret_cast<std::uint32_t*>(frame + call.result);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1) || builtin == Builtin::kFree) continue;
    low[l] = static_cast<std::uint32_t>(result[l]);
    if (builtin == Builtin::kMalloc) low[l + 32] = static_cast<std::uint32_t>(result[l] >> 32);
  }
  ++warp.parts[static_cast<std::size_t>(number)].pc;
  return true;
}

}  // namespace warpmem::emulate
