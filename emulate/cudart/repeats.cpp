#include "emulate/cudart/repeats.hpp"

namespace warpmem::cudart {

bool Repeats::in_row(const KernelCall& next, const Limits& limits) const {
  return traced_ != 0 && equal(call_, next) && limits_ == limits;
}

Tracing Repeats::plan(const KernelCall& next, const Limits& limits, std::uint64_t most) const {
  if (most == 0 || traced_ < most || !in_row(next, limits)) return Tracing::kYes;
  return confirmed_ ? Tracing::kNo : Tracing::kUnlessEqual;
}

void Repeats::traced(const KernelCall& call, const Limits& limits, std::uint64_t instructions,
                     bool same) {
  if (same && instructions == instructions_ && in_row(call, limits)) {
    ++traced_, confirmed_ = true;
    return;
  }
  call_ = call, limits_ = limits, instructions_ = instructions;
  traced_ = 1, confirmed_ = false;
}

bool Repeats::counted(std::uint64_t instructions) {
  const bool as_many = instructions == instructions_;
  if (!as_many) end_row();
  return as_many;
}

}  // namespace warpmem::cudart
