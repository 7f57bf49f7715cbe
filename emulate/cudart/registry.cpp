#include "emulate/cudart/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "base/printable.hpp"
#include "binary/disassembly/cuda_tools.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/cudart/default_cache.hpp"
#include "emulate/cudart/device_code.hpp"
#include "emulate/cudart/machine_level.hpp"
#include "emulate/cudart/ptx_link.hpp"
#include "emulate/cudart/runtime.hpp"
#include "emulate/ptx/parser.hpp"

namespace warpmem::cudart {

bool defines_kernel(const std::string& ptx, const std::string& name) {
  const std::string entry = ".entry " + name;
  for (std::size_t at = ptx.find(entry); at != ptx.npos; at = ptx.find(entry, at + 1)) {
    const char behind = at + entry.size() < ptx.size() ? ptx[at + entry.size()] : ' ';
    if (std::isalnum(static_cast<unsigned char>(behind)) == 0 && behind != '_' && behind != '$')
      return true;
  }
  return false;
}

namespace {

constexpr std::string_view kNoText = "it has no PTX";

Error no_ptx(const Module& module, const DeviceCode& found, std::uint32_t cc) {
  const std::string flag = fmt::format("-gencode arch=compute_{0},code=compute_{0}", cc);
  return {ErrorKind::kUsage,
          fmt::format("{}{}", kNoText,
                      found.machine_code.empty() ? ""
                                                 : fmt::format(", only machine code for {}",
                                                               architectures(found.machine_code))),
          module.name,
          fmt::format("build it with {}; of a library that brings machine code alone, let other "
                      "code do this step",
                      flag)};
}

Result<std::string> ptx_of(Module& module, std::uint32_t cc) {
  if (!module.wrapper) {
    if (module.ptx.empty()) return no_ptx(module, {}, cc);
    std::string options;
    for (const std::string& word : module.options) options += word + ' ';
    return with_default_caches(module.ptx, options);
  }
  if (auto ok = check_wrapper(module); !ok) return ok.error();
  auto found = objects_of(module, cc);
  if (!found) return found.error();
  if (found->units.empty()) return no_ptx(module, *found, cc);
  if (found->newer) note_newer(module, found->newer, cc);
  const bool several = found->units.size() > 1;
  for (std::size_t i = 0; i < found->units.size(); ++i)
    module.units.push_back(
        {found->unit_architectures[i], several ? found->units[i].text : std::string()});
  return link_ptx(found->units);
}

// The machine code of the PTX that runs: the program's own, if it carries code for the card that
// was made of that PTX, else what ptxas makes of it.
Result<emulate::Cubin> code_of_ptx(Module& module, std::uint32_t cc) {
  if (!module.cubin.empty()) return module.cubin;
  if (module.wrapper && cc >= kOldestCode) {
    DeviceCode own;
    if (module.wrapper->data)
      static_cast<void>(gather(module.wrapper->data, module.name, cc, own).ok());
    auto objects = objects_of(module, cc);
    if (const Shipped* s = code_of(own, objects ? *objects : own)) return s->code;
    if (module.wrapper->version == 2) return machine_code_of(module, cc);
  }
  const emulate::Toolkit tools = emulate::find_toolkit();
  if (tools.ptxas.empty())
    return Error{ErrorKind::kEnvironment, fmt::format("no ptxas was found; {}", record::kGetPtxas),
                 module.name, ""};
  const emulate::Module& ptx = module.loaded->module();
  const emulate::CodeTarget target = emulate::code_target(tools, ptx.target, cc);
  module.stand_in = target.stand_in;
  std::vector<std::string> options = module.options;
  if (module.wrapper)
    if (const auto objects = objects_of(module, cc); objects)
      options = emulate::code_options(objects->options);
  options.insert(options.end(), target.options.begin(), target.options.end());
  return emulate::assemble(tools.ptxas, ptx.source->text(), target.arch, options);
}

std::string reason(const Error& error) {
  return error.message + (error.fix.empty() ? "" : "; " + error.fix);
}

}  // namespace

Module* Registry::add_module(const FatBinaryWrapper* wrapper, const std::string& name) {
  Module& m = modules_.emplace_back();
  m.wrapper = wrapper, m.name = name;
  return &m;
}

Module* Registry::add_text(std::string ptx, const std::string& name) {
  Module& m = modules_.emplace_back();
  m.ptx = std::move(ptx), m.name = name;
  return &m;
}

// What was loaded stays in memory: a trace and a late launch may still refer to it.
void Registry::remove_module(Module* module) {
  module->unloaded = true;
  for (Function* f : module->functions) {
    if (const auto at = by_host_.find(f->host); at != by_host_.end() && at->second == f)
      by_host_.erase(at);
    handles_.erase(f);
  }
}

Function* Registry::add_function(Module* module, const void* host, const std::string& name) {
  Function& f = functions_.emplace_back();
  f.module = module, f.host = host, f.name = name;
  module->functions.push_back(&f);
  if (host) by_host_[host] = &f;
  handles_[&f] = true;
  return &f;
}

void Registry::add_symbol(Module* module, const void* host, const std::string& name,
                          void** managed) {
  Symbol& s = symbols_[host];
  s.module = module, s.name = name, s.managed = managed;
}

Function* Registry::find_function(const void* key) {
  if (const auto at = by_host_.find(key); at != by_host_.end()) return at->second;
  auto* f = static_cast<Function*>(const_cast<void*>(key));
  return handles_.contains(f) ? f : nullptr;
}

Symbol* Registry::find_symbol(const void* host) {
  const auto at = symbols_.find(host);
  return at == symbols_.end() ? nullptr : &at->second;
}

Result<emulate::LoadedModule*> Registry::load(Module& module, emulate::Memory& memory,
                                              std::uint32_t cc) {
  if (module.failure) return *module.failure;
  if (module.loaded) return module.loaded.get();
  const auto attempt = [&]() -> Result<void> {
    std::optional<Error> lacks;
    if (emulate::wants_machine_code(level_, cc) && module.why_ptx.empty()) {
      auto loaded = load_machine_code(module, memory, emulate::code_capability(cc));
      if (loaded) {
        module.loaded = std::move(*loaded);
        if (cc < kOldestCode) module.stand_in = emulate::stands_in_for(cc);
        return {};
      }
      lacks = loaded.error();
      // What a tool does not do, nobody has asked for.
      if (level_ == emulate::CodeLevel::kSass || lacks->kind != ErrorKind::kEnvironment)
        return *lacks;
      module.why_ptx = reason(*lacks);
    }
    auto text = ptx_of(module, cc);
    if (!text && lacks && text.error().message.starts_with(kNoText)) return *lacks;
    if (!text) return text.error();
    auto parsed = emulate::parse_ptx(module.name + ".ptx", std::move(*text));
    if (!parsed) return parsed.error();
    auto loaded = emulate::LoadedModule::load(std::move(*parsed), memory);
    if (!loaded) return loaded.error();
    module.loaded = std::move(*loaded);
    return {};
  };
  if (auto ok = attempt(); !ok) {
    module.failure = ok.error();
    return ok.error();
  }
  return module.loaded.get();
}

// What nvdisasm does not do, nobody has asked for: the module's PTX may run instead, as long as
// nothing of its machine code is in use.
bool Registry::give_up_machine_code(Module& module, const Error& why) const {
  if (!module.machine_module || level_ != emulate::CodeLevel::kBest || module.placed ||
      why.kind != ErrorKind::kEnvironment ||
      std::ranges::any_of(module.functions, [](const Function* f) { return f->kernel != nullptr; }))
    return false;
  module.loaded.reset(), module.machine_module.reset();
  module.why_ptx = reason(why);
  return true;
}

Result<emulate::Kernel*> Registry::kernel(Function& function, emulate::Memory& memory,
                                          std::uint32_t cc) {
  if (function.failure) return *function.failure;
  if (function.kernel) return function.kernel.get();
  auto module = load(*function.module, memory, cc);
  if (!module) {
    Error why = module.error();
    if (why.message.starts_with("it has "))  // a library's own kernels are refused by their names
      why.message = fmt::format("the kernel {} cannot run: {}",
                                printable(emulate::demangled(function.name)), why.message);
    return why;
  }
  auto built = function.module->machine_module ? machine_kernel(function)
                                               : emulate::build_kernel(**module, function.name);
  if (!built && give_up_machine_code(*function.module, built.error()))
    return kernel(function, memory, cc);
  if (!built) {
    function.failure = built.error();
    return built.error();
  }
  function.kernel = std::move(*built);
  return function.kernel.get();
}

std::uint32_t Registry::compiled_for(const Function& function) {
  const Module& module = *function.module;
  if (module.machine_module)
    if (const auto of = module.machine_module->contents.cubin.virtual_arch) return of;
  for (const CompiledPtx& unit : module.units)
    if (module.units.size() == 1 || defines_kernel(unit.text, function.name))
      return unit.architecture;
  return target_number(module.loaded->module().target);
}

const emulate::Resources* Registry::resources(Function& function, std::uint32_t cc) {
  Module& module = *function.module;
  if (!function.resources_known && module.loaded) {
    function.resources_known = true;
    if (!module.of_ptx) module.of_ptx = code_of_ptx(module, cc);
    if (*module.of_ptx)
      if (auto found = emulate::resources_of(**module.of_ptx, function.name); found)
        function.resources = *found;
  }
  return function.resources ? &*function.resources : nullptr;
}

std::string Registry::why_ptx(Function& function, std::uint32_t cc) {
  const Module& module = *function.module;
  if (level_ == emulate::CodeLevel::kPtx || module.machine_module || !module.why_ptx.empty())
    return module.why_ptx;
  if (!resources(function, cc) && module.of_ptx && !*module.of_ptx)
    return module.of_ptx->error().message;
  return module.stand_in;
}

Result<SymbolMemory> Registry::locate(const Symbol& symbol, emulate::Memory& memory,
                                      std::uint32_t cc) {
  auto module = load(*symbol.module, memory, cc);
  if (!module) return module.error();
  symbol.module->placed = true;
  const auto& named = (*module)->module().variable_named;
  const auto at = named.find(symbol.name);
  if (at == named.end())
    return Error{ErrorKind::kMalformed, fmt::format("its code has no variable '{}'", symbol.name),
                 symbol.module->name, "build the program again"};
  return SymbolMemory{(*module)->address_of(at->second), at->second->bytes};
}

}  // namespace warpmem::cudart
