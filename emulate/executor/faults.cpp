// What a faulting thread is told about: who, where, and what lies near the address.
#include <fmt/format.h>

#include "base/units.hpp"
#include "emulate/executor/faults.hpp"
#include "emulate/executor/machine_kernel.hpp"

namespace warpmem::emulate {

void Running::stop_if_interrupted() const {
  if (options.interrupted && options.interrupted())
    throw Fault{{ErrorKind::kInterrupted, "interrupted", demangled(kernel.entry->name), ""}};
}

std::string thread_name(const Running& run, const Warp& warp, std::uint32_t lane) {
  const std::uint32_t t = warp.index * 32 + lane;
  const Dim3& b = run.shape.block;
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", t % b[0], t / b[0] % b[1],
                     t / b[0] / b[1], run.cta->id[0], run.cta->id[1], run.cta->id[2]);
}

std::string place_of(const Kernel& kernel, const Code& code, const Inst& in) {
  if (code.machine) {
    const trace::Program& program = kernel.machine->program;
    const trace::Instruction& at = program.code[in.statement];
    const std::string place = at.line != 0 && at.file < program.files.size()
                                  ? fmt::format("{}:{} ", program.files[at.file], at.line)
                                  : "";
    return fmt::format("{}({:#06x}: {}), in {}", place, at.pc, at.text, program.demangled);
  }
  const Module& module = kernel.module->module();
  const std::string entry = demangled(kernel.entry->name);
  const std::string function =
      code.function->name == kernel.entry->name
          ? entry
          : fmt::format("{}, called by {}", demangled(code.function->name), entry);
  if (code.function->body.empty()) return function;
  const Statement& s = code.function->body[in.statement];
  std::string place = fmt::format("{}:{}", module.source->name(), module.source->line_of(s.at));
  if (s.line != 0 && s.file < module.files.size())
    place = fmt::format("{}:{} ({})", module.files[s.file], s.line, place);
  return fmt::format("{}, in {}", place, function);
}

std::string nearest_text(const Memory& memory, std::uint64_t address) {
  if (address < 4096) return "a null pointer, or an offset from one";
  const Region* r = memory.nearest(address);
  if (!r) return "no allocation lies below it";
  const std::string what =
      r->name.empty() ? fmt::format("an allocation of {} at {:#x}", byte_size(r->bytes), r->base)
                      : fmt::format("{} of {} at {:#x}", r->name, byte_size(r->bytes), r->base);
  if (address - r->base < r->bytes)
    return r->live ? fmt::format("it begins inside {}", what)
                   : fmt::format("it lies inside {}, which has been freed", what);
  return fmt::format("{} bytes behind the end of {}", address - r->base - r->bytes, what);
}

Error fault_at(const Running& run, const Warp& warp, const Inst& in, std::uint32_t lane,
               const std::string& message, const std::string& fix, ErrorKind kind) {
  return {kind, fmt::format("{}, {}", message, thread_name(run, warp, lane)),
          place_of(run.kernel, *run.code, in), fix};
}

void fault(const Running& run, const Warp& warp, const Inst& in, std::uint32_t lane,
           const std::string& message, const std::string& fix, ErrorKind kind) {
  throw Fault{fault_at(run, warp, in, lane, message, fix, kind)};
}

void fail_assertion(const Running& run, const Warp& warp, const Inst& in, std::uint32_t mask,
                    const std::string& where, const std::string& what) {
  std::string text;
  const Dim3 &b = run.shape.block, &c = run.cta->id;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint32_t t = warp.index * 32 + l;
    text += fmt::format("{}{}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                        text.empty() ? "" : "\n", where, c[0], c[1], c[2], t % b[0],
                        t / b[0] % b[1], t / b[0] / b[1], what);
  }
  throw Fault{{ErrorKind::kMalformed, text, place_of(run.kernel, *run.code, in),
               "look at why the condition is false for these threads"}};
}

}  // namespace warpmem::emulate
