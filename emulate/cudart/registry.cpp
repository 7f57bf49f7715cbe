#include "emulate/cudart/registry.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>

#include "base/printable.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/cubin/kept_ptx.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/cudart/default_cache.hpp"
#include "emulate/cudart/kept_elsewhere.hpp"
#include "emulate/cudart/linker_as_ptxas.hpp"
#include "emulate/cudart/machine_level.hpp"
#include "emulate/cudart/ptx_link.hpp"
#include "emulate/cudart/runtime.hpp"
#include "emulate/mapping/yields.hpp"
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
constexpr int kWrapperMagic = 0x466243b1;

std::string architectures(const std::set<std::string>& all) {
  std::string text;
  for (const std::string& a : all) text += (text.empty() ? "" : ", ") + a;
  return text;
}

struct Shipped {
  std::uint32_t architecture = 0;  // 80: sm_80
  std::uint32_t made_of = 0;       // 80: PTX for compute_80; 0: it does not say
  bool exact = false;              // sm_90a
  std::vector<unsigned char> code;
};

struct Gathered {
  std::vector<PtxUnit> units;
  std::vector<std::string> unit_options;  // ptxas's, of each unit
  std::vector<std::uint32_t> unit_architectures;
  bool exact = false;                  // that PTX runs on this compute capability alone
  std::string options;                 // ptxas's, of the PTX that was chosen last
  std::vector<Shipped> shipped;        // machine code that this compute capability loads
  std::set<std::string> machine_code;  // "sm_90": what is there instead
  std::uint32_t newer = 0;             // 100: there is PTX for that and newer GPUs only
};

// The machine code that is what the PTX becomes on this GPU. A program may carry both from two
// compilations (CuPy's: code for 9.0, PTX for 12.0): __CUDA_ARCH__ differed then, and so may the
// registers and the shared memory that the code needs.
const Shipped* code_of(const Gathered& code, const Gathered& ptx) {
  for (const Shipped& s : code.shipped) {
    const auto same = [&](std::uint32_t architecture) { return architecture == s.made_of; };
    if (s.exact == ptx.exact && std::ranges::all_of(ptx.unit_architectures, same)) return &s;
  }
  return nullptr;
}

// The machine code that the GPU loads (CUDA's rule), of all objects of the container.
void gather_code(const std::vector<FatEntry>& entries, std::uint32_t cc, Gathered& into) {
  const FatEntry* const best = choose_machine_code(entries, cc);
  for (const FatEntry& e : entries) {
    if (e.kind != FatEntry::Kind::kMachineCode) continue;
    into.machine_code.insert(fmt::format("sm_{}", e.architecture));
    if (!best || e.architecture != best->architecture) continue;
    auto code = unpack_machine_code(e);
    if (!code) continue;
    Shipped shipped{e.architecture, 0, e.exact, {code->begin(), code->end()}};
    auto cubin = record::parse_cubin(shipped.code);
    if (!cubin) continue;
    shipped.made_of = cubin->virtual_arch != 0 ? cubin->virtual_arch : e.architecture;
    into.shipped.push_back(std::move(shipped));
  }
}

// The PTX that runs: what the machine code that the GPU loads was made of, if it is there; else the
// newest that the GPU can run.
const FatEntry* choose_text(const std::vector<FatEntry>& entries, const Gathered& code,
                            std::uint32_t cc) {
  for (const Shipped& s : code.shipped)
    for (const FatEntry& e : entries)
      if (e.kind == FatEntry::Kind::kPtx && e.architecture == s.made_of && e.exact == s.exact)
        return &e;
  return choose_ptx(entries, cc);
}

// "sm_90a" -> 90
std::uint32_t target_number(const std::string& target) {
  return target.size() > 3 ? static_cast<std::uint32_t>(std::atoi(target.c_str() + 3)) : 0;
}

// Where the container has no PTX: what is kept inside its machine code, or beside it. `count`: of
// the codes that were found last.
Result<void> text_within(std::string name, std::size_t count, Gathered& into) {
  for (std::size_t i = into.shipped.size() - count; i < into.shipped.size(); ++i) {
    Shipped& s = into.shipped[i];
    auto kept = record::kept_ptx(s.code);
    if (!kept)
      if (auto text = ptx_beside(s.code)) kept = record::KeptPtx{std::move(*text), "", ""};
    if (!kept) continue;
    const std::uint32_t made_of = target_number(ptx_target(kept->ptx));
    s.made_of = made_of, s.exact = ptx_target(kept->ptx).ends_with('a');
    into.options = kept->options, into.exact = s.exact;
    into.units.push_back(
        {std::move(name), with_default_caches(std::move(kept->ptx), kept->options)});
    into.unit_options.push_back(kept->options);
    into.unit_architectures.push_back(made_of);
    return {};
  }
  return {};
}

Result<void> gather(const unsigned char* data, const std::string& name, std::uint32_t cc,
                    Gathered& into) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  auto size = container_bytes(bytes);
  if (!size) return size.error();
  auto entries = read_fat_binary({bytes, *size});
  if (!entries) return entries.error();
  Gathered code;
  gather_code(*entries, cc, code);
  const FatEntry* best = choose_text(*entries, code, cc);
  const FatEntry* newer = best ? nullptr : choose_newer_ptx(*entries, cc);
  if (newer) best = newer;
  Result<std::string> text = best ? unpack_ptx(*best) : std::string();
  if (!text) return text.error();
  // libcudadevrt.a, which launches kernels for kernels: that is part of this runtime.
  if (text->find("__cuda_syscall_cnp") != text->npos) return {};
  into.machine_code.merge(code.machine_code);
  const std::size_t shipped = code.shipped.size();
  for (Shipped& s : code.shipped) into.shipped.push_back(std::move(s));
  if (!best) return text_within(name, shipped, into);
  if (newer) {
    into.newer = newer->architecture;
    *text = for_older_gpu(std::move(*text), cc);
  }
  into.options = best->options;
  into.units.push_back({best->name.empty() ? name : best->name,
                        with_default_caches(std::move(*text), best->options)});
  into.unit_options.push_back(best->options);
  into.unit_architectures.push_back(best->architecture);
  into.exact = best->exact;
  return {};
}

Error no_ptx(const Module& module, const Gathered& found, std::uint32_t cc) {
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

// The device objects of a fat binary, or those that it was linked from.
Result<Gathered> objects_of(const Module& module, std::uint32_t cc) {
  const FatBinaryWrapper& w = *module.wrapper;
  Gathered found;
  if (w.version == 2 && w.linked)
    for (const unsigned char* const* data = w.linked; *data; ++data)
      if (auto ok = gather(*data, module.name, cc, found); !ok) return ok.error();
  if (found.units.empty() && w.data)
    if (auto ok = gather(w.data, module.name, cc, found); !ok) return ok.error();
  return found;
}

Result<std::string> ptx_of(Module& module, std::uint32_t cc) {
  if (!module.wrapper) {
    std::string options;
    for (const std::string& word : module.options) options += word + ' ';
    return with_default_caches(module.ptx, options);
  }
  const FatBinaryWrapper& w = *module.wrapper;
  if (w.magic != kWrapperMagic || (w.version != 1 && w.version != 2))
    return Error{ErrorKind::kMalformed,
                 fmt::format("its fat binary begins with {:#x}, version {}",
                             static_cast<unsigned>(w.magic), w.version),
                 module.name, "build it with nvcc 11 or newer"};
  auto found = objects_of(module, cc);
  if (!found) return found.error();
  if (found->units.empty()) return no_ptx(module, *found, cc);
  if (Runtime* r = found->newer ? runtime() : nullptr)
    r->session.note_once(fmt::format(
        "{}: its PTX is for compute capability {}.{} and newer; it runs as what it would be on "
        "the card's {}.{}",
        module.name, found->newer / 10, found->newer % 10, cc / 10, cc % 10));
  const bool several = found->units.size() > 1;
  for (std::size_t i = 0; i < found->units.size(); ++i)
    module.units.push_back(
        {found->unit_architectures[i], several ? found->units[i].text : std::string()});
  return link_ptx(found->units);
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
    if (machine_level_) {
      auto loaded = load_machine_code(module, memory, cc);
      if (!loaded) return loaded.error();
      module.loaded = std::move(*loaded);
      return {};
    }
    auto text = ptx_of(module, cc);
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

Result<emulate::Kernel*> Registry::kernel(Function& function, emulate::Memory& memory,
                                          std::uint32_t cc) {
  if (function.failure) return *function.failure;
  if (function.kernel) return function.kernel.get();
  auto module = load(*function.module, memory, cc);
  if (!module) {
    Error why = module.error();
    if (why.message.starts_with(kNoText))
      why.message = fmt::format("the kernel {} cannot run: {}",
                                printable(emulate::demangled(function.name)), why.message);
    return why;
  }
  auto built =
      machine_level_ ? machine_kernel(function) : emulate::build_kernel(**module, function.name);
  if (!built) {
    function.failure = built.error();
    return built.error();
  }
  function.kernel = std::move(*built);
  return function.kernel.get();
}

std::uint32_t Registry::compiled_for(const Function& function) {
  const Module& module = *function.module;
  for (const CompiledPtx& unit : module.units)
    if (module.units.size() == 1 || defines_kernel(unit.text, function.name))
      return unit.architecture;
  return target_number(module.loaded->module().target);
}

emulate::MachineCode* Registry::machine_code(Module& module, std::uint32_t cc) {
  if (module.machine) return module.machine.get();
  if (!module.loaded) return nullptr;
  emulate::MachineCode::Request request;
  request.toolkit = emulate::find_toolkit();
  const emulate::Module& ptx = module.loaded->module();
  const emulate::CodeTarget target = emulate::code_target(request.toolkit, ptx.target, cc);
  request.arch = target.arch;
  module.stand_in = target.stand_in;
  request.options = module.options;
  if (!module.arch.empty()) {
    request.shipped = module.cubin, module.stand_in.clear();
    if (std::isdigit(static_cast<unsigned char>(ptx.target.back())))
      request.arch = module.arch;  // else sm_90a, as the text says
    if (!module.ptxas.empty() && access(module.ptxas.c_str(), X_OK) == 0)
      request.toolkit.ptxas = module.ptxas;
    else if (module.ptxas.empty() && !linker_as_ptxas().empty())
      request.toolkit.ptxas = linker_as_ptxas();
  }
  if (module.wrapper) {
    Gathered code;
    if (module.wrapper->data)
      static_cast<void>(gather(module.wrapper->data, module.name, cc, code).ok());
    request.options = emulate::code_options(code.options);
    auto objects = objects_of(module, cc);
    const Gathered& found = objects ? *objects : code;
    if (const Shipped* own = code_of(code, found)) {
      request.shipped = own->code;
      request.arch = fmt::format("sm_{}{}", own->architecture, own->exact ? "a" : "");
      module.stand_in.clear();
    }
    if (module.wrapper->version == 2)
      for (std::size_t i = 0; i < found.units.size(); ++i)
        request.units.push_back({found.units[i].name, found.units[i].text,
                                 emulate::code_options(found.unit_options[i])});
  }
  if (!module.stand_in.empty())
    request.options.insert(request.options.end(), target.options.begin(), target.options.end());
  module.machine = std::make_unique<emulate::MachineCode>(ptx, std::move(request));
  return module.machine.get();
}

const emulate::Resources* Registry::resources(Function& function, std::uint32_t cc) {
  if (!function.resources_known) {
    function.resources_known = true;
    if (emulate::MachineCode* code = machine_code(*function.module, cc))
      if (auto found = code->resources(function.name); found) function.resources = *found;
  }
  return function.resources ? &*function.resources : nullptr;
}

const emulate::SiteMap* Registry::site_map(Function& function, std::uint32_t cc) {
  if (!function.map_known) {
    function.map_known = true;
    const auto attempt = [&]() -> Result<void> {
      const auto no = [](const char* why) { return Error{ErrorKind::kEnvironment, why, "", ""}; };
      emulate::MachineCode* code = machine_code(*function.module, cc);
      if (!code || !function.kernel) return no("there is no machine code of it");
      const emulate::Resources* known = resources(function, cc);
      if (!known) {
        auto why = code->resources(function.name);
        return why ? no("ptxas refuses it, or there is no ptxas") : why.error();
      }
      if (!function.module->stand_in.empty()) return no(function.module->stand_in.c_str());
      auto instructions = code->instructions(*function.kernel);
      if (!instructions && !function.module->cubin.empty()) {
        // A linker that had more than the text (LTO) made the program's code: what is made of the
        // text stands in.
        function.module->cubin.clear(), function.module->machine.reset(),
            function.resources_known = false;
        code = machine_code(*function.module, cc), known = resources(function, cc);
        if (!code || !known) return no("ptxas refuses it, or there is no ptxas");
        instructions = code->instructions(*function.kernel);
      }
      if (!instructions) return instructions.error();
      emulate::mark_yields(*function.kernel, *instructions);
      auto map = emulate::map_sites(*function.kernel, *instructions, *known, code->arch());
      if (!map) return map.error();
      function.map = std::make_unique<emulate::SiteMap>(std::move(*map));
      return {};
    };
    if (auto ok = attempt(); !ok) function.unmapped = ok.error().message;
  }
  return function.map.get();
}

Result<SymbolMemory> Registry::locate(const Symbol& symbol, emulate::Memory& memory,
                                      std::uint32_t cc) {
  auto module = load(*symbol.module, memory, cc);
  if (!module) return module.error();
  const auto& named = (*module)->module().variable_named;
  const auto at = named.find(symbol.name);
  if (at == named.end())
    return Error{ErrorKind::kMalformed, fmt::format("its PTX has no variable '{}'", symbol.name),
                 symbol.module->name, "build the program again"};
  return SymbolMemory{(*module)->address_of(at->second), at->second->bytes};
}

}  // namespace warpmem::cudart
