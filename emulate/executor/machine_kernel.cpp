#include "emulate/executor/machine_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulate/executor/driver_bank.hpp"
#include "emulate/executor/syntax.hpp"

namespace warpmem::emulate {
namespace {

// A limit that the program has set, as a thread has it: whole pairs of doubles, and no more than
// the executor gives.
std::uint32_t stack_of(std::uint64_t limit) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(limit, kMostLocal) / 16 * 16);
}

}  // namespace

Result<void> prepare_machine_launch(const Kernel& kernel, const Memory& memory,
                                    const LaunchShape& shape) {
  MachineKernel& machine = *kernel.machine;
  std::vector<std::byte>& bank = machine.banks.bank(0);
  DriverValues values{shape};
  values.shared_window = kSharedWindow, values.local_window = kLocalWindow;
  values.parameters = memory.param_base();
  values.grid_barrier = shape.cooperative ? memory.barrier_base() : 0;
  const std::uint32_t stack = machine.grows
                                  ? std::max(machine.stack_bytes, stack_of(shape.stack_bytes))
                                  : machine.stack_bytes;
  kernel.functions[0]->local_bytes = stack;
  values.stack = stack, values.reserved_shared = driver_shared(machine.cc);
  fill_driver_bank(machine.cc, values, bank);
  if (const std::size_t n = std::min<std::size_t>(shape.params.size(), machine.params_bytes);
      n > 0 && machine.params_at + n <= bank.size())
    std::memcpy(bank.data() + machine.params_at, shape.params.data(), n);
  std::vector<std::byte>& frame = kernel.functions[0]->image;
  for (const BankRow& row : machine.rows) {
    const ConstantBanks::Place place = machine.banks.find(row.bank, row.offset, 4);
    if (!place.host)
      return Error{ErrorKind::kMalformed,
                   fmt::format("the kernel reads {:#x} of constant bank {}, which has less",
                               row.offset, row.bank),
                   machine.program.demangled, "build the program again"};
    std::uint32_t value = 0;
    std::memcpy(&value, place.host, sizeof value);
    for (std::uint32_t l = 0; l < 32; ++l)
      std::memcpy(frame.data() + row.row + 4 * l, &value, sizeof value);
  }
  return {};
}

}  // namespace warpmem::emulate
