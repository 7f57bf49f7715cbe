#include "traces/emulate/sass/machine_code.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "traces/emulate/sass/tagged_ptx.hpp"

namespace warpmem::emulate {
namespace {

Error unknown(const std::string& why) { return {ErrorKind::kEnvironment, why, "", ""}; }

}  // namespace

MachineCode::MachineCode(const Module& module, Request request)
    : module_(module), request_(std::move(request)) {}

Result<MachineCode::Image> MachineCode::assembled(std::string_view ptx,
                                                  const std::vector<std::string>& further) {
  if (request_.toolkit.ptxas.empty()) return unknown("no ptxas was found");
  std::vector<std::string> options = request_.options;
  options.insert(options.end(), further.begin(), further.end());
  auto bytes = assemble(request_.toolkit.ptxas, ptx, request_.arch, options);
  if (!bytes) return bytes.error();
  auto parsed = record::parse_cubin(*bytes);
  if (!parsed) return parsed.error();
  return Image{std::move(*bytes), std::move(*parsed)};
}

Result<const MachineCode::Image*> MachineCode::plain() {
  if (!plain_) {
    if (!request_.shipped.empty()) {
      if (auto parsed = record::parse_cubin(request_.shipped); parsed)
        plain_.emplace(Image{request_.shipped, std::move(*parsed)});
      else plain_.emplace(parsed.error());
    } else {
      std::string_view text = module_.source->text();
      while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
      plain_.emplace(assembled(text, {}));
    }
  }
  if (!*plain_) return plain_->error();
  return &**plain_;
}

Result<const MachineCode::Image*> MachineCode::tagged() {
  if (!tagged_) {
    TaggedPtx ptx = tag_statements(module_);
    first_line_ = std::move(ptx.first_line);
    tagged_.emplace(assembled(ptx.text, {"-lineinfo"}));
  }
  if (!*tagged_) return tagged_->error();
  return &**tagged_;
}

Result<Resources> MachineCode::resources(const std::string& kernel) {
  auto image = plain();
  if (!image) return image.error();
  const record::CubinFunction* f = (*image)->parsed.find(kernel);
  if (f == nullptr) return unknown(fmt::format("its machine code has no kernel '{}'", kernel));
  return Resources{f->registers, f->static_shared, f->local_bytes};
}

Result<std::vector<MachineInstruction>> MachineCode::instructions(const Kernel& kernel) {
  const std::string name(kernel.entry->name);
  if (!request_.toolkit.complete())
    return unknown(
        fmt::format("no {} was found", request_.toolkit.ptxas.empty() ? "ptxas" : "nvdisasm"));
  auto real = plain(), lines = tagged();
  if (!real) return real.error();
  if (!lines) return lines.error();
  const record::CubinFunction *a = (*real)->parsed.find(name), *b = (*lines)->parsed.find(name);
  if (a == nullptr || b == nullptr || b->code_bytes == 0)
    return unknown("its machine code is not in the file");
  if (a->code_bytes != b->code_bytes ||
      std::memcmp((*real)->bytes.data() + a->code_at, (*lines)->bytes.data() + b->code_at,
                  a->code_bytes) != 0)
    return unknown(request_.shipped.empty()
                       ? "ptxas makes other code with line information than without"
                       : "the program carries machine code of another ptxas or of other options");
  if (!listing_) {
    std::vector<std::uint32_t> symbols;
    for (const record::CubinFunction& f : (*lines)->parsed.functions)
      if (f.kernel) symbols.push_back(f.symbol);
    listing_.emplace(record::disassemble(request_.toolkit.nvdisasm, (*lines)->bytes, symbols));
  }
  if (!*listing_) return listing_->error();
  const record::CodeSection* section = (**listing_).find(".text." + name);
  if (section == nullptr) return unknown("nvdisasm printed none of its code");

  // Lines of the functions that are part of the kernel, to positions in its program.
  struct Range {
    std::uint32_t line, count, statement;
    const Function* function;
  };
  std::vector<Range> ranges;
  for (std::size_t i = 0; i < module_.functions.size(); ++i) {
    const Function& f = module_.functions[i];
    const auto at = kernel.numbers.find(&f);
    if (at == kernel.numbers.end() || f.body.empty()) continue;
    ranges.push_back({first_line_[i], static_cast<std::uint32_t>(f.body.size()),
                      kernel.functions[at->second]->first_pc, &f});
  }
  std::vector<MachineInstruction> code;
  for (const trace::Instruction& instruction : section->code) {
    MachineInstruction out{instruction, kNoStatement};
    out.line.file = out.line.line = 0;
    out.line.control = record::control_at((*lines)->bytes, (*lines)->parsed, *b, instruction.pc);
    out.line.text = record::with_spill_mark(*b, instruction.pc, std::move(out.line.text));
    for (const Range& r : ranges) {
      if (instruction.line < r.line || instruction.line >= r.line + r.count) continue;
      const Statement& s = r.function->body[instruction.line - r.line];
      out.statement = r.statement + (instruction.line - r.line);
      out.line.file = s.file, out.line.line = s.line;
    }
    code.push_back(std::move(out));
  }
  return code;
}

}  // namespace warpmem::emulate
