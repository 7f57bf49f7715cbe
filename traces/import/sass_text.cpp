#include "traces/import/sass_text.hpp"

#include <fmt/format.h>

#include "isa/sass/forms.hpp"

namespace warpmem::imports {
namespace {

using trace::Form;
using trace::InstructionKind;
using trace::Writes;

class Operands {
 public:
  void add(std::string_view operand) {
    text_ += text_.empty() ? " " : ", ";
    text_ += operand;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string address(const Form& form, std::string_view reg) {
  if (form.space == trace::Space::kConstant)
    return reg.empty() ? "c[0x0][0x0]" : fmt::format("c[0x0][{}]", reg);
  const bool wide = form.space == trace::Space::kGlobal || form.generic;
  return reg.empty() ? "[RZ]" : fmt::format("[{}{}]", reg, wide ? ".64" : "");
}

bool has_address(InstructionKind kind, trace::Space space) {
  switch (kind) {
    case InstructionKind::kLoad:
    case InstructionKind::kStore:
    case InstructionKind::kAtomic:
    case InstructionKind::kReduction:
    case InstructionKind::kMatrixLoad:
    case InstructionKind::kMatrixStore:
      return space != trace::Space::kTexture && space != trace::Space::kSurface;
    default: return false;
  }
}

}  // namespace

std::string sass_text(const TracedText& traced) {
  const std::string_view name = traced.opcode.substr(0, traced.opcode.find('.'));
  const trace::Opcode opcode = trace::opcode_named(name);
  const Form form =
      opcode == trace::Opcode::kUnknown ? trace::form_by_spelling(name) : trace::form_of(opcode);
  std::string out = traced.conditional ? "@P0 " : "";
  out += traced.opcode;
  if (traced.target) return out + fmt::format(" {:#x}", *traced.target);
  Operands operands;
  std::size_t source = 0;
  const auto next = [&] {
    return source < traced.sources.size() ? traced.sources[source++] : std::string_view{};
  };
  // Predicates are not told, and where one is written first it has to stand there.
  const bool global_atomic =
      form.kind == InstructionKind::kAtomic && form.space != trace::Space::kShared;
  if (global_atomic ||
      (form.writes == Writes::kPredicateAndOne && form.kind != InstructionKind::kLoad &&
       form.kind != InstructionKind::kAtomic))
    operands.add("PT");
  for (const std::string_view reg : traced.destinations) operands.add(reg);
  if (form.writes == Writes::kTwo)
    for (std::size_t i = traced.destinations.size(); i < 2; ++i) operands.add("PT");
  if (form.kind == InstructionKind::kAsyncCopy) {
    operands.add(fmt::format("[{}]", traced.sources.empty() ? "RZ" : next()));
    operands.add(address(form, next()));
  } else if (has_address(form.kind, form.space)) {
    operands.add(address(form, next()));
  }
  while (source < traced.sources.size()) operands.add(next());
  return out + operands.text();
}

}  // namespace warpmem::imports
