#include "emulate/ptx/own_functions.hpp"

#include <bit>

namespace warpmem::emulate {
namespace {

constexpr std::uint32_t kMagnitude = 0x7fffffff, kInfinite = 0x7f800000;

std::uint32_t upper(double v) {
  return static_cast<std::uint32_t>(std::bit_cast<std::uint64_t>(v) >> 32);
}

// The machine code looks at the upper words of doubles as if they were floats.
bool divides(double a, double b) {
  constexpr std::uint32_t kSmallest = 0x03600000;   // 6.58e-37
  constexpr std::uint32_t kSubnormal = 0x00100000;  // 1.47e-39
  if ((upper(a) & kMagnitude) < kSmallest) return true;
  const std::uint32_t q = upper(a / b) & kMagnitude;
  return (upper(b) & kMagnitude) >= kInfinite || q <= kSubnormal || q > kInfinite;
}

bool inverts(double v) { return ((upper(v) + 0x300402u) & kMagnitude) < 0x00400402u; }
bool roots(double v) { return upper(v) + 0xfcb00000u >= 0x7ca00000u; }
bool inverts(float v) {
  return ((std::bit_cast<std::uint32_t>(v) + 0x1800000u) & kInfinite) <= 0x1ffffffu;
}
bool roots(float v) { return std::bit_cast<std::uint32_t>(v) - 0xd000000u > 0x727fffffu; }

template <typename Value, typename Takes>
bool any(const void* a, const void* b, std::uint32_t lanes, Takes takes) {
  const auto *x = static_cast<const Value*>(a), *y = static_cast<const Value*>(b);
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    if (takes(x[l], y[l])) return true;
  }
  return false;
}

}  // namespace

OwnFunction own_function(std::string_view opcode) {
  if (opcode == "div.rn.f64") return OwnFunction::kDivideDouble;
  if (opcode == "rcp.rn.f64") return OwnFunction::kReciprocalDouble;
  if (opcode == "sqrt.rn.f64") return OwnFunction::kRootDouble;
  if (opcode == "rcp.rn.f32") return OwnFunction::kReciprocalFloat;
  if (opcode == "sqrt.rn.f32") return OwnFunction::kRootFloat;
  for (const std::string_view wide : {"div.s64", "div.u64", "rem.s64", "rem.u64"})
    if (opcode == wide) return OwnFunction::kAlways;
  return OwnFunction::kNone;
}

bool calls_own_function(OwnFunction what, const void* a, const void* b, std::uint32_t lanes) {
  switch (what) {
    case OwnFunction::kDivideDouble:
      return any<double>(a, b, lanes, [](double x, double y) { return divides(x, y); });
    case OwnFunction::kReciprocalDouble:
      return any<double>(a, a, lanes, [](double x, double) { return inverts(x); });
    case OwnFunction::kRootDouble:
      return any<double>(a, a, lanes, [](double x, double) { return roots(x); });
    case OwnFunction::kReciprocalFloat:
      return any<float>(a, a, lanes, [](float x, float) { return inverts(x); });
    case OwnFunction::kRootFloat:
      return any<float>(a, a, lanes, [](float x, float) { return roots(x); });
    case OwnFunction::kAlways: return true;
    case OwnFunction::kNone: break;
  }
  return false;
}

}  // namespace warpmem::emulate
