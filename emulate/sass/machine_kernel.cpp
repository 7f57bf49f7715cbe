#include "emulate/sass/machine_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulate/ptx/builtins.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kBankBytes = 65536;
// Of bank 0, before the parameters: the block's size, the grid's, where the stacks' window begins,
// and where a thread's stack ends.
constexpr std::uint32_t kBlockAt = 0x0, kGridAt = 0xc, kLocalAt = 0x20, kStackAt = 0x28;
// … and, on 9.0, whether the launch has clusters, and where generic addresses of parameters begin.
constexpr std::uint32_t kClustersAt = 0x140, kParametersAt = 0x198;

constexpr std::uint32_t kCalledStack = 16 << 10;  // bytes a thread

// Whether the stack pointer moves again behind a return or a call.
bool has_own_frames(const trace::Program& program) {
  bool called = false;
  for (const trace::Instruction& in : program.code) {
    called =
        called || in.text.find("RET.") != in.text.npos || in.text.find("CALL.") != in.text.npos;
    if (called && in.text.find(" R1, R1, ") != in.text.npos) return true;
  }
  return false;
}

Error malformed(const std::string& message, const std::string& name) {
  return {ErrorKind::kMalformed, message, demangled(name), "build the program again"};
}

void put(std::vector<std::byte>& bank, std::uint32_t at, const void* from, std::size_t bytes) {
  if (at + bytes <= bank.size()) std::memcpy(bank.data() + at, from, bytes);
}

// A symbol's address: of a variable, or of a function of the driver.
std::optional<std::uint64_t> address_of(const LoadedModule& module, const std::string& symbol) {
  const auto& named = module.module().variable_named;
  if (const auto at = named.find(symbol); at != named.end()) return module.address_of(at->second);
  if (const Builtin builtin = builtin_named(symbol); builtin != Builtin::kNone)
    return kDriverFunctions + static_cast<std::uint64_t>(builtin);
  return std::nullopt;
}

void fill_banks(const LoadedModule& module, const CubinContents& contents, const std::string& name,
                ConstantBanks& banks) {
  for (const CubinBank& from : contents.banks) {
    if (!from.kernel.empty() && from.kernel != name) continue;
    std::vector<std::byte>& to = banks.bank(from.number);
    if (to.size() < from.bytes.size()) to.resize(from.bytes.size());
    std::copy(from.bytes.begin(), from.bytes.end(), to.begin());
    for (const CubinRelocation& r : from.relocations)
      if (const auto address = address_of(module, r.symbol)) {
        const std::uint64_t value = *address + static_cast<std::uint64_t>(r.addend);
        put(to, r.offset, &value, sizeof value);
      }
  }
  for (const CubinVariable& v : contents.variables)
    if (v.constant)
      if (const auto address = address_of(module, v.name))
        banks.add_variable(module.memory(),
                           {static_cast<std::uint32_t>(v.offset), v.bytes, *address});
  banks.bank(0).resize(kBankBytes);
}

}  // namespace

Result<std::unique_ptr<Kernel>> build_machine_kernel(const LoadedModule& module,
                                                     const CubinContents& contents,
                                                     std::span<const unsigned char> image,
                                                     const std::string& name,
                                                     const std::string& nvdisasm) {
  const record::CubinFunction* f = contents.cubin.find(name);
  record::Disassembly listing;
  if (f && f->code_bytes != 0) {
    const std::uint32_t symbols[] = {f->symbol};
    auto printed = record::disassemble(nvdisasm, image, symbols);
    if (!printed) return printed.error();
    listing = std::move(*printed);
  }
  return build_machine_kernel(module, contents, image, name, listing);
}

Result<std::unique_ptr<Kernel>> build_machine_kernel(const LoadedModule& module,
                                                     const CubinContents& contents,
                                                     std::span<const unsigned char> image,
                                                     const std::string& name,
                                                     const record::Disassembly& listing) {
  const record::CubinFunction* f = contents.cubin.find(name);
  const auto entry = module.module().function_named.find(name);
  if (!f || !f->kernel || entry == module.module().function_named.end())
    return Error{ErrorKind::kUsage, fmt::format("there is no kernel '{}'", demangled(name)),
                 module.module().source->name(), "look at the names in the program"};
  if (f->code_bytes == 0) return malformed("the kernel's machine code is not in the file", name);
  const record::CodeSection* section = listing.find(".text." + name);
  if (!section || section->code.empty())
    return malformed("nvdisasm printed none of the kernel's code", name);
  auto kernel = std::make_unique<Kernel>();
  kernel->module = &module;
  kernel->entry = entry->second;
  auto machine = std::make_shared<MachineKernel>();
  trace::Program& program = machine->program;
  program.name = name, program.demangled = demangled(name);
  program.level = trace::Level::kSass, program.arch = contents.cubin.arch;
  program.registers = f->registers, program.static_shared = f->static_shared;
  program.local_bytes = f->local_bytes;
  program.files = listing.files;
  for (const trace::Instruction& printed : section->code) {
    trace::Instruction& in = program.code.emplace_back(printed);
    if (in.pc != 16 * (program.code.size() - 1))
      return malformed("its instructions do not follow each other every 16 bytes", name);
    in.control = record::control_at(image, contents.cubin, *f, in.pc);
    in.text = record::with_spill_mark(*f, in.pc, std::move(in.text));
  }
  MachineDecoder decoder({entry->second, contents.reserved_shared, f->parameters.at, {}});
  auto code = std::make_unique<Code>(decoder.run(program.code));
  // The kernel's own frame lies at the end of a thread's stack, which grows down: functions that
  // the section holds and that have frames of their own take theirs below it.
  code->local_bytes = f->local_bytes + (has_own_frames(program) ? kCalledStack : 0);
  machine->stack_bytes = code->local_bytes;
  machine->rows = std::move(decoder.bank_rows());
  const std::set<std::string> unknown = decoder.unknown();
  machine->unknown.assign(unknown.begin(), unknown.end());
  machine->params_at = f->parameters.at, machine->params_bytes = f->parameters.bytes;
  fill_banks(module, contents, name, machine->banks);
  kernel->static_shared = f->static_shared;
  kernel->dynamic_shared_at = (f->static_shared + 15) / 16 * 16;
  kernel->param_bytes = f->parameters.bytes;
  kernel->local_bytes = f->local_bytes;
  kernel->statements = static_cast<std::uint32_t>(program.code.size());
  kernel->numbers[entry->second] = 0;
  kernel->functions.push_back(std::move(code));
  kernel->machine = std::move(machine);
  return kernel;
}

Result<void> prepare_machine_launch(const Kernel& kernel, const Memory& memory,
                                    const LaunchShape& shape) {
  MachineKernel& machine = *kernel.machine;
  std::vector<std::byte>& bank = machine.banks.bank(0);
  const std::uint64_t window = kLocalWindow;
  put(bank, kBlockAt, shape.block.data(), 12), put(bank, kGridAt, shape.grid.data(), 12);
  put(bank, kLocalAt, &window, sizeof window);
  const std::uint32_t clusters = shape.cluster[0] * shape.cluster[1] * shape.cluster[2] > 1 ? 1 : 0;
  const std::uint64_t parameters = memory.param_base();
  put(bank, kClustersAt, &clusters, sizeof clusters);
  put(bank, kParametersAt, &parameters, sizeof parameters);
  put(bank, kStackAt, &machine.stack_bytes, sizeof machine.stack_bytes);
  if (!shape.params.empty())
    put(bank, machine.params_at, shape.params.data(),
        std::min<std::size_t>(shape.params.size(), machine.params_bytes));
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
