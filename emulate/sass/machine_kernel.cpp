#include "emulate/sass/machine_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "emulate/executor/builtins.hpp"
#include "emulate/executor/device_runtime.hpp"
#include "emulate/executor/polls.hpp"
#include "emulate/sass/machine_flow.hpp"
#include "isa/sass/places.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kBankBytes = 65536;
// Whether the stack pointer moves again behind a return or a call.
bool has_own_frames(const trace::Program& program) {
  bool called = false;
  for (const trace::Instruction& in : program.code) {
    called =
        called || in.text.find("RET.") != in.text.npos || in.text.find("CALL.") != in.text.npos;
    if (called && (in.text.find(" R1, R1, ") != in.text.npos ||
                   in.text.find(" R1, PT, PT, R1, ") != in.text.npos))
      return true;
  }
  return false;
}

Error malformed(const std::string& message, const std::string& name) {
  return {ErrorKind::kMalformed, message, demangled(name), "build the program again"};
}

void put(std::vector<std::byte>& bank, std::uint32_t at, const void* from, std::size_t bytes) {
  if (at + bytes <= bank.size()) std::memcpy(bank.data() + at, from, bytes);
}

// What one launch may run: the kernel, and behind it functions that stand apart and are called by
// name, or through a pointer.
struct Layout {
  std::vector<const record::CubinFunction*> parts;
  std::map<std::string, std::uint32_t> starts;  // bytes
};

constexpr std::uint32_t kPartAlign = 128;

// Functions that stand apart and whose address something in the module holds.
std::vector<const record::CubinFunction*> pointed_to(const CubinContents& contents) {
  std::vector<const record::CubinFunction*> out;
  const auto look = [&](const std::vector<CubinRelocation>& all) {
    for (const CubinRelocation& r : all) {
      if (r.addend != 0) continue;  // a place in it: to return to
      const record::CubinFunction* f = contents.cubin.find(r.symbol);
      if (f && !f->kernel && std::ranges::find(out, f) == out.end()) out.push_back(f);
    }
  };
  for (const auto& [name, all] : contents.data_relocations) look(all);
  for (const auto& [name, all] : contents.code_relocations) look(all);
  for (const CubinBank& bank : contents.banks) look(bank.relocations);
  return out;
}

bool calls_pointers(const record::CodeSection& section) {
  return std::ranges::any_of(section.code, [](const trace::Instruction& in) {
    return in.text.find("CALL.ABS.NOINC R") != in.text.npos;
  });
}

Layout layout_of(const CubinContents& contents, const record::Disassembly& listing,
                 const record::CubinFunction& kernel) {
  Layout out{{&kernel}, {{kernel.name, 0}}};
  std::uint32_t end = 0;
  const auto add = [&](const record::CubinFunction* callee) {
    // The device runtime's library has bodies for what is the driver's here.
    if (callee && !callee->kernel && callee->section != kernel.section &&
        builtin_named(callee->name) == Builtin::kNone &&
        std::ranges::find(out.parts, callee) == out.parts.end())
      out.parts.push_back(callee);
  };
  for (std::size_t k = 0; k < out.parts.size(); ++k) {
    const record::CubinFunction& f = *out.parts[k];
    const record::CodeSection* section = listing.find(".text." + f.name);
    if (!section) continue;
    if (k != 0) end = (end + kPartAlign - 1) / kPartAlign * kPartAlign, out.starts[f.name] = end;
    end += static_cast<std::uint32_t>(16 * section->code.size());
    for (const trace::Instruction& in : section->code) {
      const std::size_t at = in.text.find("`(");
      if (at == in.text.npos) continue;
      const std::size_t close = in.text.find(')', at);
      if (close == in.text.npos) continue;
      add(contents.cubin.find(in.text.substr(at + 2, close - at - 2)));
    }
    if (calls_pointers(*section))
      for (const record::CubinFunction* pointed : pointed_to(contents)) add(pointed);
  }
  return out;
}

// A function's code behind what there is. False: it has gaps.
bool append(std::span<const unsigned char> image, const CubinContents& contents,
            const record::Disassembly& listing, const record::CubinFunction& f,
            const Layout& layout, trace::Program& program) {
  const auto start = layout.starts.find(f.name);
  const record::CodeSection* section = listing.find(".text." + f.name);
  if (!section || start == layout.starts.end()) return true;  // whoever calls it is refused
  while (16 * program.code.size() < start->second) {
    trace::Instruction& nothing = program.code.emplace_back();
    nothing.pc = static_cast<std::uint32_t>(16 * (program.code.size() - 1)), nothing.text = "NOP";
  }
  for (const trace::Instruction& printed : section->code) {
    trace::Instruction in = printed;
    in.control = record::control_at(image, contents.cubin, f, printed.pc);
    in.text = record::with_spill_mark(f, printed.pc, std::move(in.text));
    in.text = trace::with_place(trace::moved(std::move(in.text), start->second), layout.starts);
    in.pc += start->second;
    if (in.pc != 16 * program.code.size()) return false;
    program.code.push_back(std::move(in));
  }
  return true;
}

// A symbol's address: of a variable, of a function, or of one of the driver.
std::optional<std::uint64_t> address_of(const LoadedModule& module, const std::string& symbol) {
  const auto& named = module.module().variable_named;
  if (const auto at = named.find(symbol); at != named.end()) return module.address_of(at->second);
  if (const Builtin builtin = builtin_named(symbol); builtin != Builtin::kNone)
    return kDriverFunctions + static_cast<std::uint64_t>(builtin);
  const auto& functions = module.module().function_named;
  if (const auto at = functions.find(symbol); at != functions.end())
    return module.address_of(at->second);
  return std::nullopt;
}

// Halves of addresses in code that MOV puts into registers: by where the MOV stands.
std::map<std::uint32_t, std::int64_t> addresses_in_code(const LoadedModule& module,
                                                        const CubinContents& contents,
                                                        const Layout& layout) {
  // R_CUDA_ABS32_LO_32 and _HI_32; of a kernel's descriptor, by which kernels launch it:
  // R_CUDA_FUNC_DESC32_LO_32 and _HI_32.
  constexpr std::uint32_t kLow = 0x38, kHigh = 0x39, kKernelLow = 0x3e, kKernelHigh = 0x3f;
  std::map<std::uint32_t, std::int64_t> out;
  for (const auto& [name, start] : layout.starts) {
    const auto of = contents.code_relocations.find(name);
    if (of == contents.code_relocations.end()) continue;
    for (const CubinRelocation& r : of->second) {
      const bool low = r.type == kLow || r.type == kKernelLow;
      if (!low && r.type != kHigh && r.type != kKernelHigh) continue;
      // A place within a function is one of this kernel's code: to return to.
      const auto to = r.addend == 0 ? layout.starts.end() : layout.starts.find(r.symbol);
      const auto address = to == layout.starts.end()
                               ? address_of(module, r.symbol)
                               : std::optional<std::uint64_t>(kMachinePlaces + to->second);
      if (!address) continue;
      const std::uint64_t value = *address + static_cast<std::uint64_t>(r.addend);
      out[start + r.offset] =
          static_cast<std::int64_t>(low ? static_cast<std::uint32_t>(value) : value >> 32);
    }
  }
  return out;
}

void fill_banks(const LoadedModule& module, const CubinContents& contents, const std::string& name,
                ConstantBanks& banks) {
  for (const CubinBank& from : contents.banks) {
    if (!from.kernel.empty() && from.kernel != name) continue;
    std::vector<std::byte>& to = banks.bank(from.number);
    if (to.size() < from.bytes.size()) to.resize(from.bytes.size());
    std::copy(from.bytes.begin(), from.bytes.end(), to.begin());
    for (const CubinRelocation& r : from.relocations)
      if (const auto address = r.symbol == from.kernel ? std::nullopt  // its own table of places
                                                       : address_of(module, r.symbol)) {
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
    std::vector<std::uint32_t> symbols{f->symbol};
    // Where it may call functions that stand apart, those too.
    const auto words = contents.code_relocations.find(name);
    if (words != contents.code_relocations.end() &&
        (!pointed_to(contents).empty() ||
         std::ranges::any_of(words->second, [&](const CubinRelocation& r) {
           const record::CubinFunction* to = contents.cubin.find(r.symbol);
           return to && !to->kernel;
         })))
      for (const record::CubinFunction& other : contents.cubin.functions)
        if (!other.kernel && other.section != f->section) symbols.push_back(other.symbol);
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
  const Layout layout = layout_of(contents, listing, *f);
  for (const record::CubinFunction* part : layout.parts)
    if (!append(image, contents, listing, *part, layout, program))
      return malformed("its instructions do not follow each other every 16 bytes", name);
  machine->cc = contents.cc;
  MachineDecoder decoder({entry->second, contents.cc, contents.reserved_shared, f->parameters.at,
                          addresses_in_code(module, contents, layout)});
  auto code = std::make_unique<Code>(decoder.run(program.code));
  code->flow = machine_flow(*code);
  find_polls(*code);
  // The kernel's own frame lies at the end of a thread's stack, which grows down: functions that
  // the section holds and that have frames of their own take theirs below it.
  machine->grows = has_own_frames(program);
  machine->stack_bytes = machine->grows ? std::max(f->local_bytes, f->stack_bytes) : f->local_bytes;
  code->local_bytes = machine->stack_bytes;
  for (const auto& [part, start] : layout.starts)
    if (const auto at = module.module().function_named.find(part);
        at != module.module().function_named.end())
      machine->starts[at->second] = start;
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

}  // namespace warpmem::emulate
