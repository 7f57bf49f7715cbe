#include "emulate/cudart/machine_level.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "binary/disassembly/cuda_tools.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/mapping/toolkit.hpp"

namespace warpmem::cudart {
namespace {

std::string architectures(std::span<const FatEntry> entries) {
  std::string all;
  for (const FatEntry& e : entries)
    if (e.kind == FatEntry::Kind::kMachineCode)
      all += fmt::format("{}sm_{}{}", all.empty() ? "" : ", ", e.architecture, e.exact ? "a" : "");
  return all.empty() ? "none" : all;
}

Error no_code(const Module& module, std::uint32_t cc, const std::string& there) {
  return {ErrorKind::kUsage,
          fmt::format("it has no machine code for compute capability {}.{}; what it has: {}",
                      cc / 10, cc % 10, there),
          module.name,
          fmt::format("build it with -gencode arch=compute_{0},code=sm_{0}, or emulate its PTX "
                      "(without --level sass)",
                      cc)};
}

// What ptxas makes of PTX, as a driver would.
Result<std::vector<unsigned char>> assembled(const std::string& ptx,
                                             const std::vector<std::string>& options,
                                             const std::string& name, std::uint32_t cc) {
  const std::string ptxas = record::find_cuda_tool("ptxas", "WARPMEM_PTXAS");
  if (ptxas.empty())
    return Error{ErrorKind::kEnvironment,
                 "it has PTX alone, and no ptxas was found that makes machine code of it", name,
                 record::kGetPtxas};
  auto code = emulate::assemble(ptxas, ptx, fmt::format("sm_{}", cc), options);
  if (!code) return code.error();
  return std::move(*code);
}

constexpr std::uint64_t kSmall = 64 << 10;  // bytes of code

bool is_small(const record::Cubin& cubin) {
  std::map<std::uint32_t, std::uint64_t> sections;
  for (const record::CubinFunction& f : cubin.functions) sections[f.section] = f.code_bytes;
  std::uint64_t bytes = 0;
  for (const auto& [section, code] : sections) bytes += code;
  return bytes <= kSmall;
}

// With the functions that stand apart.
std::vector<std::uint32_t> functions_of(const record::Cubin& cubin) {
  std::set<std::uint32_t> sections;
  std::vector<std::uint32_t> out;
  for (const bool kernels : {true, false})
    for (const record::CubinFunction& f : cubin.functions)
      if (f.kernel == kernels && sections.insert(f.section).second) out.push_back(f.symbol);
  return out;
}

}  // namespace

Result<std::vector<unsigned char>> machine_code_of(const Module& module, std::uint32_t cc) {
  if (!module.cubin.empty()) return module.cubin;
  if (!module.ptx.empty()) return assembled(module.ptx, module.options, module.name, cc);
  if (!module.wrapper || !module.wrapper->data) return no_code(module, cc, "none");
  const auto* bytes = reinterpret_cast<const std::byte*>(module.wrapper->data);
  auto size = container_bytes(bytes);
  if (!size) return size.error();
  auto entries = read_fat_binary({bytes, *size});
  if (!entries) return entries.error();
  const FatEntry* const best = choose_machine_code(*entries, cc);
  if (const FatEntry* const text = best ? nullptr : choose_ptx(*entries, cc)) {
    auto ptx = unpack_ptx(*text);
    if (!ptx) return ptx.error();
    return assembled(*ptx, emulate::code_options(text->options), module.name, cc);
  }
  if (!best) return no_code(module, cc, architectures(*entries));
  auto code = unpack_machine_code(*best);
  if (!code) return code.error();
  return std::vector<unsigned char>(code->begin(), code->end());
}

Result<std::unique_ptr<emulate::LoadedModule>> load_machine_code(Module& module,
                                                                 emulate::Memory& memory,
                                                                 std::uint32_t cc) {
  auto image = machine_code_of(module, cc);
  if (!image) return image.error();
  auto contents = emulate::read_cubin(*image, module.name);
  if (!contents) return contents.error();
  auto loaded = emulate::LoadedModule::load(emulate::module_of(*contents, module.name), memory);
  if (!loaded) return loaded.error();
  module.machine_module =
      std::make_shared<MachineModule>(MachineModule{std::move(*image), std::move(*contents)});
  return loaded;
}

Result<std::unique_ptr<emulate::Kernel>> machine_kernel(Function& function) {
  MachineModule& from = *function.module->machine_module;
  const std::string nvdisasm = record::find_cuda_tool("nvdisasm", "WARPMEM_NVDISASM");
  if (nvdisasm.empty())
    return Error{ErrorKind::kEnvironment, "no nvdisasm was found, which reads machine code", "",
                 record::kGetNvdisasm};
  if (!from.listing && is_small(from.contents.cubin)) {
    auto printed = record::disassemble(nvdisasm, from.image, functions_of(from.contents.cubin));
    if (!printed) return printed.error();
    from.listing = std::move(*printed);
  }
  auto kernel = from.listing
                    ? emulate::build_machine_kernel(*function.module->loaded, from.contents,
                                                    from.image, function.name, *from.listing)
                    : emulate::build_machine_kernel(*function.module->loaded, from.contents,
                                                    from.image, function.name, nvdisasm);
  if (!kernel) return kernel;
  const trace::Program& program = (*kernel)->machine->program;
  function.resources =
      emulate::Resources{program.registers, program.static_shared, program.local_bytes};
  function.resources_known = function.map_known = true;
  return kernel;
}

}  // namespace warpmem::cudart
