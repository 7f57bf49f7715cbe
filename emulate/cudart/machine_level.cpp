#include "emulate/cudart/machine_level.hpp"

#include <fmt/format.h>

#include <map>
#include <set>

#include "binary/disassembly/cuda_tools.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/cudart/device_code.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::cudart {
namespace {

Error no_code(const Module& module, std::uint32_t cc, const DeviceCode& found) {
  return {ErrorKind::kUsage,
          fmt::format("it has neither machine code for compute capability {}.{} nor PTX; what it "
                      "has: {}",
                      cc / 10, cc % 10,
                      found.machine_code.empty() ? "none" : architectures(found.machine_code)),
          module.name,
          fmt::format("build it with -gencode arch=compute_{0},code=sm_{0}, or with its PTX: "
                      "code=compute_{0}",
                      cc)};
}

// PTX that the device library is part of: it launches kernels.
bool launches_kernels(const std::string& ptx) {
  return ptx.find("cudaCDP2") != ptx.npos || ptx.find("cudaLaunchDevice") != ptx.npos;
}

// What ptxas makes of PTX, as a driver would.
Result<std::vector<unsigned char>> assembled(std::vector<emulate::DeviceObject> objects,
                                             bool linked, std::uint32_t cc) {
  const emulate::Toolkit tools = emulate::find_toolkit();
  if (tools.ptxas.empty())
    return Error{ErrorKind::kEnvironment,
                 "it has PTX alone, and no ptxas was found that makes machine code of it",
                 objects.front().name, record::kGetPtxas};
  std::string arch;
  for (emulate::DeviceObject& object : objects) {
    if (target_number(ptx_target(object.ptx)) > cc)
      object.ptx = for_older_gpu(std::move(object.ptx), cc);
    arch = emulate::assembled_arch(ptx_target(object.ptx), cc);
    object.options = emulate::with_lines(std::move(object.options), object.ptx);
    linked = linked || launches_kernels(object.ptx);
  }
  return linked ? emulate::assemble_and_link(tools, objects, arch)
                : emulate::assemble(tools.ptxas, objects[0].ptx, arch, objects[0].options);
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
  if (!module.parts.empty()) return assembled(module.parts, true, cc);
  if (!module.wrapper) return assembled({{module.name, module.ptx, module.options}}, false, cc);
  if (auto ok = check_wrapper(module); !ok) return ok.error();
  if (const auto* bytes = reinterpret_cast<const std::byte*>(module.wrapper->data)) {
    auto size = container_bytes(bytes);
    if (!size) return size.error();
    auto entries = read_fat_binary({bytes, *size});
    if (!entries) return entries.error();
    if (const FatEntry* const best = choose_machine_code(*entries, cc)) {
      auto code = unpack_machine_code(*best);
      if (!code) return code.error();
      return std::vector<unsigned char>(code->begin(), code->end());
    }
  }
  auto found = objects_of(module, cc);
  if (!found) return found.error();
  if (found->units.empty()) return no_code(module, cc, *found);
  if (found->newer) note_newer(module, found->newer, cc);
  std::vector<emulate::DeviceObject> objects;
  for (std::size_t i = 0; i < found->units.size(); ++i)
    objects.push_back({found->units[i].name, std::move(found->units[i].text),
                       emulate::code_options(found->unit_options[i])});
  return assembled(std::move(objects), module.wrapper->version == 2, cc);
}

Result<std::unique_ptr<emulate::LoadedModule>> load_machine_code(Module& module,
                                                                 emulate::Memory& memory,
                                                                 std::uint32_t cc) {
  auto nvdisasm = emulate::find_nvdisasm();
  if (!nvdisasm) return nvdisasm.error();
  auto image = machine_code_of(module, cc);
  if (!image) return image.error();
  auto contents = emulate::read_cubin(*image, module.name);
  if (!contents) return contents.error();
  auto loaded = emulate::LoadedModule::load(emulate::module_of(*contents, module.name), memory);
  if (!loaded) return loaded.error();
  module.machine_module = std::make_shared<MachineModule>(
      MachineModule{std::move(*image), std::move(*contents), std::move(*nvdisasm), std::nullopt});
  return loaded;
}

Result<std::unique_ptr<emulate::Kernel>> machine_kernel(Function& function) {
  MachineModule& from = *function.module->machine_module;
  if (!from.listing && is_small(from.contents.cubin)) {
    auto printed =
        record::disassemble(from.nvdisasm, from.image, functions_of(from.contents.cubin));
    if (!printed) return printed.error();
    from.listing = std::move(*printed);
  }
  auto kernel = from.listing
                    ? emulate::build_machine_kernel(*function.module->loaded, from.contents,
                                                    from.image, function.name, *from.listing)
                    : emulate::build_machine_kernel(*function.module->loaded, from.contents,
                                                    from.image, function.name, from.nvdisasm);
  if (!kernel) return kernel;
  const trace::Program& program = (*kernel)->machine->program;
  function.resources =
      emulate::Resources{program.registers, program.static_shared, program.local_bytes};
  function.resources_known = true;
  return kernel;
}

}  // namespace warpmem::cudart
