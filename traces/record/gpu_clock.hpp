// From the first of a launch's warps to its last, by the GPU's own clock, of which records carry
// the low 32 bits: the distance is known as long as it is below 2^31 ns.
#pragma once

#include <cstdint>
#include <optional>

namespace warpmem::record {

class GpuClock {
 public:
  void note(std::uint32_t now) {
    if (!any_) {
      any_ = true;
      first_ = last_ = now;
      return;
    }
    if (static_cast<std::int32_t>(now - first_) < 0) first_ = now;
    if (static_cast<std::int32_t>(now - last_) > 0) last_ = now;
  }
  void merge(const GpuClock& other) {
    if (!other.any_) return;
    note(other.first_);
    note(other.last_);
  }
  std::optional<std::uint32_t> span() const {  // ns
    return any_ ? std::optional(last_ - first_) : std::nullopt;
  }

 private:
  bool any_ = false;
  std::uint32_t first_ = 0, last_ = 0;
};

}  // namespace warpmem::record
