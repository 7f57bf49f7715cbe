#include "emulate/ptx/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/nearest.hpp"
#include "emulate/executor/crossing.hpp"
#include "emulate/executor/machine_kernel.hpp"
#include "emulate/ptx/decoder.hpp"

namespace warpmem::emulate {
namespace {

// Shared variables of the module and of every function, in the order of the file; then the
// dynamic part. Offsets must be known before decoding.
Result<void> lay_out_shared(const LoadedModule& loaded, Kernel& kernel,
                            const std::vector<const Function*>& functions) {
  std::uint64_t at = 0;
  std::uint32_t dynamic_align = 16;
  const Variable* beyond = nullptr;
  const auto place = [&](const Variable& v) {
    if (v.space != Space::kShared) return;
    if (v.unsized) {
      dynamic_align = std::max(dynamic_align, v.align);
      return;
    }
    at = (at + v.align - 1) / v.align * v.align;
    const_cast<Variable&>(v).offset = static_cast<std::uint32_t>(at);
    at += v.bytes;
    if (at > (1u << kRankShift) && !beyond) beyond = &v;
  };
  for (const Function* f : functions)
    for (const Variable& v : f->variables) place(v);
  for (const Variable& v : loaded.module().variables) place(v);
  if (beyond)
    return loaded.module().source->error_at(
        beyond->at,
        fmt::format("with '{}' there are {} bytes of static shared memory: more than any GPU has",
                    beyond->name, at),
        "make it smaller, or keep it in global memory");
  kernel.static_shared = static_cast<std::uint32_t>(at);
  kernel.dynamic_shared_at =
      (kernel.static_shared + dynamic_align - 1) / dynamic_align * dynamic_align;
  for (const Variable& v : loaded.module().variables)
    if (v.space == Space::kShared && v.unsized)
      const_cast<Variable&>(v).offset = kernel.dynamic_shared_at;
  for (const Function* f : functions)
    for (const Variable& v : f->variables)
      if (v.space == Space::kShared && v.unsized)
        const_cast<Variable&>(v).offset = kernel.dynamic_shared_at;
  return {};
}

// Functions the entry can reach by name, and any whose address is taken.
std::vector<const Function*> reachable(const LoadedModule& loaded, const Function* entry) {
  const Module& module = loaded.module();
  std::vector<const Function*> found{entry};
  const auto add = [&](std::string_view name) {
    const auto at = module.function_named.find(name);
    if (at != module.function_named.end() && at->second->has_body &&
        std::find(found.begin(), found.end(), at->second) == found.end())
      found.push_back(at->second);
  };
  bool pointers = false;
  const std::function<void(const Operand&)> look = [&](const Operand& o) {
    if (o.kind == Operand::Kind::kSymbol) add(o.name);
    for (const Operand& item : o.items) look(item);
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const Statement& s : found[i]->body) {
      for (const Operand& o : s.operands) look(o);
      if (!pointers && s.opcode.starts_with("call"))
        for (const Operand& o : s.operands)
          if (o.kind == Operand::Kind::kRegister) {
            pointers = true;
            for (const Function* f : loaded.address_taken()) add(f->name);
          }
    }
  }
  return found;
}

}  // namespace

Result<const Function*> find_entry(const Module& module, const std::string& entry) {
  std::vector<std::string> names;
  const Function* found = nullptr;
  for (const Function& f : module.functions) {
    if (!f.is_entry) continue;
    names.emplace_back(f.name);
    if (f.name == entry) found = &f;
  }
  if (!found) {  // by its C++ name, when that is unique
    for (const Function& f : module.functions) {
      const std::string full = f.is_entry ? demangled(f.name) : std::string();
      if (full == entry || full.substr(0, full.find('(')) == entry) found = &f;
      if (f.is_entry) names.push_back(full.substr(0, full.find('(')));
    }
  }
  if (!found) {
    const std::string near = nearest(entry, names);
    std::string list;  // the C++ names: the second half
    for (std::size_t i = names.size() / 2; i < names.size() && i < names.size() / 2 + 12; ++i)
      list += (list.empty() ? "" : ", ") + names[i];
    return Error{ErrorKind::kUsage, fmt::format("there is no kernel '{}'", entry),
                 module.source->name(),
                 !near.empty()   ? fmt::format("did you mean '{}'?", near)
                 : names.empty() ? "the file has no .entry at all"
                                 : "its kernels are: " + list};
  }
  return found;
}

Result<std::unique_ptr<Kernel>> build_kernel(const LoadedModule& loaded, const std::string& entry) {
  const Module& module = loaded.module();
  auto entry_found = find_entry(module, entry);
  if (!entry_found) return entry_found.error();
  const Function* const found = *entry_found;
  auto kernel = std::make_unique<Kernel>();
  kernel->module = &loaded;
  kernel->entry = found;
  const std::vector<const Function*> functions = reachable(loaded, found);
  if (auto ok = lay_out_shared(loaded, *kernel, functions); !ok) return ok.error();
  std::uint64_t param = 0;
  for (Variable* p : found->params) {
    param = (param + p->align - 1) / p->align * p->align;
    p->offset = static_cast<std::uint32_t>(param);
    param += p->bytes;
    if (param > kParamBytes)
      return module.source->error_at(p->at, "more than 32,764 bytes of parameters",
                                     "pass a pointer to what is large");
  }
  kernel->param_bytes = static_cast<std::uint32_t>(param);
  for (const Function* f : functions)
    kernel->numbers[f] = static_cast<std::uint32_t>(kernel->numbers.size());
  try {
    for (const Function* f : functions) {
      std::vector<const Function*> reached;
      auto code = std::make_unique<Code>(Decoder(*kernel, *f, reached).run());
      code->first_pc = kernel->statements;
      if (!kernel->functions.empty())
        code->first_line = kernel->functions.back()->first_line +
                           static_cast<std::uint32_t>(kernel->functions.back()->code.size());
      kernel->statements += static_cast<std::uint32_t>(f->body.size());
      kernel->functions.push_back(std::move(code));
    }
  } catch (DecodeFailure& failure) {
    return std::move(failure.error);
  }
  kernel->local_bytes = kernel->functions[0]->local_bytes;
  kernel->reads_across = reads_across(*found);
  return kernel;
}

trace::Program describe(const Kernel& kernel) {
  if (kernel.machine) return kernel.machine->program;
  const Module& module = kernel.module->module();
  trace::Program p;
  p.name = kernel.entry->name;
  p.demangled = demangled(kernel.entry->name);
  p.level = trace::Level::kPtx;
  p.arch = module.target;
  p.static_shared = kernel.static_shared;
  p.local_bytes = kernel.local_bytes;
  p.files = module.files;
  if (p.files.empty()) p.files.emplace_back();
  std::uint32_t number = 0;
  for (const auto& code : kernel.functions) {
    const std::uint32_t first = number;
    for (const Statement& s : code->function->body) {
      std::string text;
      bool blank = false;
      for (const char c :
           module.source->text().substr(s.at, s.end - s.at)) {  // one line, one blank
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') blank = !text.empty();
        else {
          if (blank) text += ' ';
          text += c, blank = false;
        }
      }
      const std::uint32_t file = s.file < p.files.size() ? s.file : 0;
      // A trace has no labels: where a branch goes stands behind it, as a pc.
      if (!s.operands.empty() && s.operands[0].kind == Operand::Kind::kLabel) {
        const std::uint32_t to = code->function->labels[s.operands[0].number];
        text += fmt::format(" // 0x{:04x}", 16 * (first + to));
      }
      p.code.push_back({16 * number++, std::move(text), file, s.line});
    }
  }
  return p;
}

}  // namespace warpmem::emulate
