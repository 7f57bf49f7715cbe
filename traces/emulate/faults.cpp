// What a faulting thread is told about: who, where, and what lies near the address.
#include <fmt/format.h>

#include "base/units.hpp"
#include "traces/emulate/execution.hpp"

namespace warpmem::emulate {

std::string Execution::thread_name(const Warp& warp, std::uint32_t lane) const {
  const std::uint32_t t = warp.index * 32 + lane;
  const Dim3& b = shape_.block;
  return fmt::format("thread ({},{},{}) of CTA ({},{},{})", t % b[0], t / b[0] % b[1], t / b[0] / b[1], cta_->id[0], cta_->id[1], cta_->id[2]);
}

std::string Execution::place_of(const Code& code, const Inst& in) const {
  const Module& module = kernel_.module->module();
  if (code.function->body.empty()) return std::string(code.function->name);
  const Statement& s = code.function->body[in.statement];
  std::string place = fmt::format("{}:{}", module.source->name(), module.source->line_of(s.at));
  if (s.line != 0 && s.file < module.files.size()) place = fmt::format("{}:{} ({})", module.files[s.file], s.line, place);
  return fmt::format("{}, in '{}'", place, code.function->name);
}

std::string Execution::nearest_text(std::uint64_t address) const {
  if (address < 4096) return "a null pointer, or an offset from one";
  const Region* r = memory_.nearest(address);
  if (!r) return "no allocation lies below it";
  const std::string what = r->name.empty() ? fmt::format("an allocation of {} at {:#x}", byte_size(r->bytes), r->base) : fmt::format("{} of {} at {:#x}", r->name, byte_size(r->bytes), r->base);
  if (address - r->base < r->bytes) return r->live ? fmt::format("it begins inside {}", what) : fmt::format("it lies inside {}, which has been freed", what);
  return fmt::format("{} bytes behind the end of {}", address - r->base - r->bytes, what);
}

void Execution::fault(const Warp& warp, const Inst& in, std::uint32_t lane, const std::string& message, const std::string& fix, ErrorKind kind) const {
  throw Fault{{kind, fmt::format("{}: {}, {}", kernel_.entry->name, message, thread_name(warp, lane)), place_of(*now_code_, in), fix}};
}

}  // namespace warpmem::emulate
