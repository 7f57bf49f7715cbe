#include "emulate/mapping/yields.hpp"

#include <algorithm>

#include "isa/sass/instruction.hpp"

namespace warpmem::emulate {
namespace {

using trace::InstructionKind;

constexpr std::size_t kNear = 256;  // instructions that may lie between a YIELD and its access: in debug code many

std::string_view opcode(std::string_view text) {
  if (text.starts_with('@')) text.remove_prefix(std::min(text.size(), text.find(' ')));
  const std::size_t first = text.find_first_not_of(' ');
  return first == text.npos ? std::string_view{} : text.substr(first);
}

bool ends_block(std::string_view op) {
  for (const char* word : {"BRA", "BRX", "JMP", "EXIT", "RET", "CALL", "BSYNC", "BSSY", "YIELD"})
    if (op.starts_with(word)) return true;
  return false;
}

// By which lanes may wait for each other.
bool waits(const std::string& text) {
  const auto in = trace::decode_instruction(text);
  if (!in) return false;
  if (in->kind == InstructionKind::kAtomic) return true;
  return in->kind == InstructionKind::kLoad && (in->space == trace::Space::kShared || text.find(".STRONG") != text.npos);
}

class Marker {
 public:
  Marker(Kernel& kernel, const std::vector<MachineInstruction>& code) : kernel_(kernel), code_(code) {}

  void run() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (!opcode(code_[i].line.text).starts_with("YIELD")) continue;
      // Of an atomic it stands before, of a load behind it, with address arithmetic in between.
      const auto access = [&](const MachineInstruction& in) { return waits(in.line.text); };
      if (const std::size_t at = near(i, 1, access); at != i) mark(code_[at].statement, kYieldBefore);
      else if (const std::size_t behind = near(i, -1, access); behind != i) mark(code_[behind].statement, kYieldBehind);
      else mark(code_[in_block(i)].statement, kYieldBlock);
    }
  }

 private:
  // An instruction beside it whose statement is known.
  std::size_t in_block(std::size_t at) const {
    if (code_[at].statement < kernel_.statements) return at;
    const auto any = [](const MachineInstruction&) { return true; };
    const std::size_t next = near(at, 1, any);
    return next != at ? next : near(at, -1, any);
  }

  template <typename Wanted>
  std::size_t near(std::size_t from, int step, Wanted wanted) const {
    std::size_t at = from;
    for (std::size_t n = 0; n < kNear; ++n) {
      at += static_cast<std::size_t>(step);
      if (at >= code_.size() || ends_block(opcode(code_[at].line.text))) break;
      if (code_[at].statement < kernel_.statements && wanted(code_[at])) return at;
    }
    return from;
  }

  void mark(std::uint32_t statement, std::uint8_t how) {
    if (statement >= kernel_.statements) return;
    for (const auto& code : kernel_.functions) {
      if (statement < code->first_pc) continue;
      const std::uint32_t own = statement - code->first_pc;
      const auto in = std::ranges::find_if(code->code, [&](const Inst& i) { return i.statement == own && !i.hidden; });
      if (in == code->code.end()) continue;
      if (how != kYieldBlock && in->kind == Kind::kAccess) {
        in->yields |= how;
        return;
      }
      auto first = in;
      while (first != code->code.begin() && !first->leader) --first;
      first->yields |= kYieldBlock;
      return;
    }
  }

  Kernel& kernel_;
  const std::vector<MachineInstruction>& code_;
};

}  // namespace

bool may_yield(const Kernel& kernel) {
  return std::ranges::any_of(kernel.functions, [](const auto& code) {
    return std::ranges::any_of(code->accesses, [](const Access& a) {
      return a.waits || a.op == trace::Op::kAtomic;
    });
  });
}

void mark_yields(Kernel& kernel, const std::vector<MachineInstruction>& code) { Marker(kernel, code).run(); }

}  // namespace warpmem::emulate
