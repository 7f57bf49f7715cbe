// What a faulting thread is told about: who, where, and what lies near the address.
#include <fmt/format.h>

#include "base/units.hpp"
#include "emulate/executor/execution.hpp"

namespace warpmem::emulate {

std::string Execution::thread_name(const Warp& warp, std::uint32_t lane) const {
  const std::uint32_t t = warp.index * 32 + lane;
  const Dim3& b = shape_.block;
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", t % b[0], t / b[0] % b[1], t / b[0] / b[1], cta_->id[0], cta_->id[1], cta_->id[2]);
}

std::string Execution::place_of(const Code& code, const Inst& in) const {
  const Module& module = kernel_.module->module();
  const std::string kernel = demangled(kernel_.entry->name);
  const std::string function = code.function->name == kernel_.entry->name ? kernel : fmt::format("{}, called by {}", demangled(code.function->name), kernel);
  if (code.function->body.empty()) return function;
  const Statement& s = code.function->body[in.statement];
  std::string place = fmt::format("{}:{}", module.source->name(), module.source->line_of(s.at));
  if (s.line != 0 && s.file < module.files.size()) place = fmt::format("{}:{} ({})", module.files[s.file], s.line, place);
  return fmt::format("{}, in {}", place, function);
}

std::string Execution::nearest_text(std::uint64_t address) const {
  if (address < 4096) return "a null pointer, or an offset from one";
  const Region* r = memory_.nearest(address);
  if (!r) return "no allocation lies below it";
  const std::string what = r->name.empty() ? fmt::format("an allocation of {} at {:#x}", byte_size(r->bytes), r->base) : fmt::format("{} of {} at {:#x}", r->name, byte_size(r->bytes), r->base);
  if (address - r->base < r->bytes) return r->live ? fmt::format("it begins inside {}", what) : fmt::format("it lies inside {}, which has been freed", what);
  return fmt::format("{} bytes behind the end of {}", address - r->base - r->bytes, what);
}

Error Execution::fault_at(const Warp& warp, const Inst& in, std::uint32_t lane, const std::string& message, const std::string& fix, ErrorKind kind) const {
  return {kind, fmt::format("{}, {}", message, thread_name(warp, lane)), place_of(*now_code_, in), fix};
}

void Execution::fault(const Warp& warp, const Inst& in, std::uint32_t lane, const std::string& message, const std::string& fix, ErrorKind kind) const {
  throw Fault{fault_at(warp, in, lane, message, fix, kind)};
}

void Execution::fail_assertion(const Warp& warp, const Inst& in, std::uint32_t mask, const std::string& where, const std::string& what) const {
  std::string text;
  const Dim3 &b = shape_.block, &c = cta_->id;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint32_t t = warp.index * 32 + l;
    text += fmt::format("{}{}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.", text.empty() ? "" : "\n", where, c[0], c[1], c[2], t % b[0], t / b[0] % b[1],
                        t / b[0] / b[1], what);
  }
  throw Fault{{ErrorKind::kMalformed, text, place_of(*now_code_, in), "look at why the condition is false for these threads"}};
}

// Once for each instruction and kind of finding: a loop would say it a thousand times.
void Execution::check_shared(const Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes, const Lanes& lanes, Touch touch) {
  const std::uint32_t pc = now_code_->first_pc + in.statement;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const auto found = cta_->check.touch(touch, static_cast<std::uint32_t>(lanes[l]), bytes, warp.index, pc);
    if (!found || !found_.emplace(static_cast<std::uint32_t>(found->what), pc).second) continue;
    std::string what;
    switch (found->what) {
      case Finding::What::kUninitialised: what = "reads shared memory that nobody wrote"; break;
      case Finding::What::kReadAfterWrite: what = fmt::format("reads what warp {} wrote", found->other_warp); break;
      case Finding::What::kWriteAfterRead: what = fmt::format("writes what warp {} read", found->other_warp); break;
      case Finding::What::kWriteAfterWrite: what = fmt::format("writes what warp {} wrote", found->other_warp); break;
    }
    std::string text = fmt::format("{}: {} {}, shared address {:#x}", place_of(*now_code_, in), thread_name(warp, l), what, found->offset);
    if (found->what != Finding::What::kUninitialised) {
      for (const auto& code : kernel_.functions)  // where the other access stands
        if (found->other_pc >= code->first_pc && found->other_pc - code->first_pc < code->function->body.size()) {
          Inst other;
          other.statement = found->other_pc - code->first_pc;
          text += fmt::format(", with no barrier since {}", place_of(*code, other));
          break;
        }
    }
    options_.report(text);
  }
}

}  // namespace warpmem::emulate
