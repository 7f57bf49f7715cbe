#include "emulate/mapping/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "binary/disassembly/cuda_tools.hpp"
#include "emulate/mapping/tagged_ptx.hpp"
#include "isa/sass/places.hpp"

namespace warpmem::emulate {
namespace {

Error unknown(const std::string& why) { return {ErrorKind::kEnvironment, why, "", ""}; }

// A function in a section of its own: what was linked from several objects has those, and debug code.
bool stands_apart(const record::Cubin& cubin, const record::CubinFunction& f) {
  return !f.kernel && std::ranges::none_of(cubin.functions, [&](const record::CubinFunction& other) {
    return other.kernel && other.section == f.section;
  });
}

bool may_call(const Kernel& kernel, const std::string& name) {
  return std::ranges::any_of(kernel.numbers,
                             [&](const auto& part) { return part.first->name == name; });
}

}  // namespace

MachineCode::MachineCode(const Module& module, Request request)
    : module_(module), request_(std::move(request)) {
  take_ptxas_of(request_.shipped, request_.toolkit);
  if (!request_.units.empty())
    units_ = std::make_unique<LinkedUnits>(request_.units, request_.toolkit, request_.arch);
}

Result<MachineCode::Image> MachineCode::assembled(std::string_view ptx,
                                                  const std::vector<std::string>& further) {
  if (request_.toolkit.ptxas.empty())
    return unknown(fmt::format("no ptxas was found; {}", record::kGetPtxas));
  std::vector<std::string> options = request_.options;
  options.insert(options.end(), further.begin(), further.end());
  auto bytes = assemble(request_.toolkit.ptxas, ptx, request_.arch, options);
  if (!bytes) return bytes.error();
  auto parsed = record::parse_cubin(*bytes);
  if (!parsed) return parsed.error();
  return Image{std::move(*bytes), std::move(*parsed)};
}

const Function* MachineCode::alone(const std::string& kernel) const {
  const Function* found = nullptr;
  std::size_t kernels = 0;
  for (const Function& f : module_.functions) {
    if (!f.is_entry || !f.has_body) continue;
    ++kernels;
    if (f.name == kernel) found = &f;
  }
  return kernels > 1 ? found : nullptr;
}

Result<MachineCode::Assembly*> MachineCode::plain(const Function* alone) {
  if (!request_.shipped.empty() || units_) {
    if (!shipped_) {
      if (request_.shipped.empty()) {
        auto linked = units_->link();
        if (!linked) {
          shipped_ = Assembly{linked.error(), {}};
          return linked.error();
        }
        request_.shipped = std::move(*linked);
      }
      if (auto parsed = record::parse_cubin(request_.shipped); parsed)
        shipped_ = Assembly{Image{request_.shipped, std::move(*parsed)}, {}};
      else shipped_ = Assembly{parsed.error(), {}};
    }
    if (!shipped_->image) return shipped_->image.error();
    return &*shipped_;
  }
  auto at = plain_.find(alone);
  if (at == plain_.end()) at = plain_.emplace(alone, Assembly{assembled(text_of(module_, alone), {}), {}}).first;
  if (!at->second.image) return at->second.image.error();
  return &at->second;
}

Result<MachineCode::Assembly*> MachineCode::tagged(const Function* alone) {
  auto at = tagged_.find(alone);
  if (at == tagged_.end()) {
    TaggedPtx ptx = tag_statements(module_, alone);
    first_line_ = std::move(ptx.first_line);
    at = tagged_.emplace(alone, Assembly{assembled(ptx.text, {"-lineinfo"}), {}}).first;
  }
  if (!at->second.image) return at->second.image.error();
  return &at->second;
}

Result<Resources> MachineCode::resources(const std::string& kernel) {
  auto assembly = plain(alone(kernel));
  if (!assembly) return assembly.error();
  const record::CubinFunction* f = (*assembly)->image->parsed.find(kernel);
  if (f == nullptr) return unknown(fmt::format("its machine code has no kernel '{}'", kernel));
  return Resources{f->registers, f->static_shared, f->local_bytes};
}

// `only`: what was assembled for this kernel alone has nothing of interest beside it.
Result<const record::CodeSection*> MachineCode::printed(Assembly& assembly, const std::string& name,
                                                        const Kernel* only) {
  const Image& image = *assembly.image;
  if (!assembly.listing) {
    std::vector<std::uint32_t> symbols;
    for (const record::CubinFunction& f : image.parsed.functions)
      if ((f.kernel || stands_apart(image.parsed, f)) && (only == nullptr || may_call(*only, f.name)))
        symbols.push_back(f.symbol);
    assembly.listing.emplace(record::disassemble(request_.toolkit.nvdisasm, image.bytes, symbols));
  }
  if (!*assembly.listing) return assembly.listing->error();
  const record::CodeSection* section = (**assembly.listing).find(".text." + name);
  if (section == nullptr) return unknown("nvdisasm printed none of its code");
  return section;
}

// Of code that ptxas makes of the module's own text, with a line for each statement.
Result<std::vector<std::uint32_t>> MachineCode::statements(const Kernel& kernel,
                                                           const Function* alone,
                                                           const std::string& name) {
  auto real = plain(alone), lines = tagged(alone);
  if (!real) return real.error();
  if (!lines) return lines.error();
  const Image &given = *(*real)->image, &made = *(*lines)->image;
  const record::CubinFunction *a = given.parsed.find(name), *b = made.parsed.find(name);
  if (a == nullptr || b == nullptr || b->code_bytes == 0)
    return unknown("its machine code is not in the file");
  if (a->code_bytes != b->code_bytes ||
      std::memcmp(given.bytes.data() + a->code_at, made.bytes.data() + b->code_at, a->code_bytes) !=
          0)
    return unknown(request_.shipped.empty()
                       ? "ptxas makes other code with line information than without"
                       : fmt::format("the program carries machine code of another ptxas ({}) or of other options",
                                     record::to_string(made_by(request_.shipped))));
  auto section = printed(**lines, name, alone != nullptr ? &kernel : nullptr);
  if (!section) return section.error();
  std::vector<std::uint32_t> out;
  for (const trace::Instruction& i : (*section)->code) {
    out.push_back(kNoStatement);
    for (std::size_t f = 0; f < module_.functions.size(); ++f) {
      if (i.line < first_line_[f] || i.line >= first_line_[f] + module_.functions[f].body.size())
        continue;
      const auto at = kernel.numbers.find(&module_.functions[f]);
      out.back() = at == kernel.numbers.end()
                       ? kUncalled
                       : kernel.functions[at->second]->first_pc + (i.line - first_line_[f]);
    }
  }
  return out;
}

// Of code that was linked: its object's text says, and names functions.
Result<std::vector<std::uint32_t>> MachineCode::linked_statements(
    const Kernel& kernel, const record::CubinFunction& function) {
  auto linked = plain(nullptr);
  if (!linked) return linked.error();
  const Cubin& bytes = (*linked)->image->bytes;
  auto origins = units_->origins(function.name,
                                 std::span(bytes).subspan(function.code_at, function.code_bytes));
  if (!origins) return origins.error();
  std::vector<std::uint32_t> out;
  for (const LinkedUnits::Origin& origin : *origins) {
    out.push_back(kNoStatement);
    for (const auto& [f, number] : kernel.numbers)
      if (f->name == origin.function && origin.statement < f->body.size())
        out.back() = kernel.functions[number]->first_pc + origin.statement;
  }
  return out;
}

void MachineCode::append(const Kernel& kernel, const Image& image,
                         const record::CubinFunction& function,
                         const std::vector<trace::Instruction>& printed,
                         const std::vector<std::uint32_t>& statements, std::uint32_t offset,
                         std::vector<MachineInstruction>& code) const {
  std::set<std::uint64_t> starts;  // of functions that share the section
  for (const record::CubinFunction& f : image.parsed.functions)
    if (f.section == function.section) starts.insert(f.offset);
  for (std::size_t i = 0; i < printed.size(); ++i) {
    MachineInstruction& out = code.emplace_back();
    out.line = printed[i];
    out.line.file = out.line.line = 0;
    out.line.control = record::control_at(image.bytes, image.parsed, function, out.line.pc);
    out.line.text = record::with_spill_mark(function, out.line.pc, std::move(out.line.text));
    out.line.pc += offset;
    out.line.text = trace::moved(std::move(out.line.text), offset);
    out.begins_function = i == 0 ? offset != 0 : starts.contains(printed[i].pc);
    if (i < statements.size()) out.statement = statements[i];
    for (const auto& [f, number] : kernel.numbers) {
      const std::uint32_t first = kernel.functions[number]->first_pc;
      if (out.statement < first || out.statement >= first + f->body.size()) continue;
      const Statement& s = f->body[out.statement - first];
      out.line.file = s.file, out.line.line = s.line;
    }
  }
}

Result<std::vector<MachineInstruction>> MachineCode::instructions(const Kernel& kernel) {
  const std::string name(kernel.entry->name);
  if (!request_.toolkit.complete())
    return unknown(request_.toolkit.ptxas.empty()
                       ? fmt::format("no ptxas was found; {}", record::kGetPtxas)
                       : fmt::format("no nvdisasm was found; {}", record::kGetNvdisasm));
  const Function* by = units_ ? nullptr : alone(name);
  if (by != nullptr && !statements(kernel, by, name)) by = nullptr;
  auto found = units_ ? plain(nullptr) : tagged(by);
  if (!found) return found.error();
  Assembly& assembly = **found;
  const Image& image = *assembly.image;
  const record::CubinFunction* own = image.parsed.find(name);
  if (own == nullptr || own->code_bytes == 0) return unknown("its machine code is not in the file");
  constexpr std::uint32_t kAlignment = 128;  // as a recorder lays out what a kernel may call
  std::uint32_t offset = 0;
  std::vector<MachineInstruction> code;
  std::map<std::string, std::uint32_t> starts;
  const auto add = [&](const record::CubinFunction& f) -> Result<void> {
    auto of = units_ ? linked_statements(kernel, f) : statements(kernel, by, f.name);
    if (!of) return of.error();
    auto section = printed(assembly, f.name, by != nullptr ? &kernel : nullptr);
    if (!section) return section.error();
    append(kernel, image, f, (*section)->code, *of, offset, code);
    return {};
  };
  if (auto ok = add(*own); !ok) return ok.error();
  offset = static_cast<std::uint32_t>(own->size);
  auto real = plain(by);  // the program's own code: also with functions that only other kernels call
  if (!real) return real.error();
  const record::Cubin& laid = (*real)->image->parsed;
  const record::CubinFunction* place = laid.find(name);
  for (const record::CubinFunction& f : laid.functions) {
    if (place == nullptr || f.section == place->section || !stands_apart(laid, f)) continue;
    offset = (offset + kAlignment - 1) / kAlignment * kAlignment;
    starts[f.name] = offset;
    if (const record::CubinFunction* made = may_call(kernel, f.name) ? image.parsed.find(f.name) : nullptr)
      if (auto ok = add(*made); !ok) return ok.error();
    offset += static_cast<std::uint32_t>(f.size);
  }
  for (MachineInstruction& i : code)
    i.line.text = trace::with_place(std::move(i.line.text), starts);
  return code;
}

}  // namespace warpmem::emulate
