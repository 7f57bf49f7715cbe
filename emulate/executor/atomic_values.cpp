#include <algorithm>
#include <cmath>
#include <cstring>

#include "emulate/executor/atomic_values.hpp"
#include "emulate/executor/half.hpp"

namespace warpmem::emulate {
namespace {

template <class T>
T combine(AtomicOp op, T old, T v, T swap) {
  switch (op) {
    case AtomicOp::kAdd:
      if constexpr (std::is_integral_v<T>)
        return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) +
                              static_cast<std::make_unsigned_t<T>>(v));
      else return static_cast<T>(old + v);
    case AtomicOp::kMin: return old < v ? old : v;
    case AtomicOp::kMax: return old > v ? old : v;
    case AtomicOp::kExch: return v;
    case AtomicOp::kCas: return old == v ? swap : old;
    default: break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (op) {
      case AtomicOp::kInc: return old >= v ? T{0} : static_cast<T>(old + 1);
      case AtomicOp::kDec: return old == 0 || old > v ? v : static_cast<T>(old - 1);
      case AtomicOp::kAnd: return static_cast<T>(old & v);
      case AtomicOp::kOr: return static_cast<T>(old | v);
      case AtomicOp::kXor: return static_cast<T>(old ^ v);
      default: break;
    }
  }
  return old;
}
std::uint16_t half_combine(AtomicOp op, std::uint16_t old, std::uint16_t v, bool bf) {
  const double a = bf ? bfloat_value(old) : half_value(old),
               b = bf ? bfloat_value(v) : half_value(v);
  double r = op == AtomicOp::kMin   ? (a < b || b != b ? a : b)
             : op == AtomicOp::kMax ? (a > b || b != b ? a : b)
                                    : fma_odd(1, a, b);
  return bf ? bfloat_of(r) : half_of(r);
}

// Addition of floats as the memory system does it (an H200's, bit for bit). Global memory: f32 is
// flushed to zero, a NaN of f64 stays as it is, the new operand's first. Shared memory: a loop of
// compare-and-swap around an ordinary addition.
float add_float(float old, float v, bool global) {
  const auto flushed = [](float x) {
    return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
  };
  const float r = global ? flushed(flushed(old) + flushed(v)) : old + v;
  return r != r ? bits_as<float>(0x7fffffffu) : r;
}
double add_double(double old, double v, bool global) {
  if (global) return v != v ? v : old != old ? old : old + v;
  const auto quiet = [](double x) {
    return bits_as<double>(bits_as<std::uint64_t>(x) | std::uint64_t{1} << 51);
  };
  return old != old ? quiet(old) : v != v ? quiet(v) : old + v;
}

template <class T>
void atomic_rows(const Access& a, bool global, std::byte* frame, std::uint32_t mask,
                 const std::uint64_t* host) {
  const bool cas = a.atomic == AtomicOp::kCas;
  for (std::uint32_t l = 0; l < 32; ++l) {  // lane order
    if (!(mask >> l & 1)) continue;
    for (std::uint32_t i = 0; i < a.elements; ++i) {
      const auto* v = reinterpret_cast<const T*>(frame + a.values[i]);
      const T swap = cas ? reinterpret_cast<const T*>(frame + a.values[1])[l] : T{};
      std::byte* at = reinterpret_cast<std::byte*>(host[l]) + i * sizeof(T);
      T old;
      std::memcpy(&old, at, sizeof old);
      T fresh;
      const bool bf = a.type == Type::kBf16 || a.type == Type::kBf16x2,
                 half = bf || a.type == Type::kF16 || a.type == Type::kF16x2;
      if (half && a.atomic != AtomicOp::kExch && a.atomic != AtomicOp::kCas) {
        std::uint32_t r =
            half_combine(a.atomic, static_cast<std::uint16_t>(static_cast<std::uint64_t>(old)),
                         static_cast<std::uint16_t>(static_cast<std::uint64_t>(v[l])), bf);
        if constexpr (sizeof(T) == 4 && std::is_integral_v<T>)
          r |= static_cast<std::uint32_t>(half_combine(a.atomic,
                                                       static_cast<std::uint16_t>(old >> 16),
                                                       static_cast<std::uint16_t>(v[l] >> 16), bf))
               << 16;
        fresh = static_cast<T>(r);
      } else if (std::is_floating_point_v<T> && a.atomic == AtomicOp::kAdd) {
        if constexpr (std::is_same_v<T, float>) fresh = add_float(old, v[l], global);
        else if constexpr (std::is_same_v<T, double>) fresh = add_double(old, v[l], global);
        else fresh = old;
      } else {
        fresh = combine<T>(a.atomic, old, v[l], swap);
      }
      std::memcpy(at, &fresh, sizeof fresh);
      if (a.values[4 + i] != kNoOffset) reinterpret_cast<T*>(frame + a.values[4 + i])[l] = old;
    }
  }
}

// 128 bits: exchange and compare-and-swap.
void wide_atomics(const Access& a, std::byte* frame, std::uint32_t mask,
                  const std::uint64_t* host) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    auto* at = reinterpret_cast<std::byte*>(host[l]);
    std::byte old[16];
    std::memcpy(old, at, 16);
    const bool cas = a.atomic == AtomicOp::kCas;
    if (!cas || std::memcmp(old, frame + a.values[0] + l * 16, 16) == 0)
      std::memcpy(at, frame + a.values[cas ? 1 : 0] + l * 16, 16);
    if (a.values[4] != kNoOffset) std::memcpy(frame + a.values[4] + l * 16, old, 16);
  }
}

}  // namespace

void atomics(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask,
             const Lanes& host) {
  const bool global = space == trace::Space::kGlobal;
  switch (a.type) {
    case Type::kS32: return atomic_rows<std::int32_t>(a, global, frame, mask, host);
    case Type::kS64: return atomic_rows<std::int64_t>(a, global, frame, mask, host);
    case Type::kF32: return atomic_rows<float>(a, global, frame, mask, host);
    case Type::kF64: return atomic_rows<double>(a, global, frame, mask, host);
    default: break;
  }
  if (a.element_bytes == 16) return wide_atomics(a, frame, mask, host);
  if (a.element_bytes == 2) return atomic_rows<std::uint16_t>(a, global, frame, mask, host);
  if (a.element_bytes == 8) return atomic_rows<std::uint64_t>(a, global, frame, mask, host);
  atomic_rows<std::uint32_t>(a, global, frame, mask, host);
}

// A bulk reduction, 32 elements at a time as if each were a lane's atomic.
void reduce_bytes(const Access& a, trace::Space space, std::uint64_t from, std::uint64_t to,
                  std::uint32_t bytes) {
  const std::uint32_t size = size_of(a.type);
  Access one;
  one.type = a.type, one.atomic = a.atomic, one.element_bytes = static_cast<std::uint8_t>(size),
  one.elements = 1;
  one.values[0] = 0;
  alignas(16) std::byte values[32 * 8];
  for (std::uint32_t at = 0; at < bytes; at += 32 * size) {
    const std::uint32_t n = std::min(32u, (bytes - at) / size);
    std::memcpy(values, reinterpret_cast<const void*>(from + at), std::size_t{n} * size);
    Lanes host;
    for (std::uint32_t l = 0; l < 32; ++l) host[l] = to + at + l * size;
    atomics(one, space, values, n == 32 ? ~0u : (1u << n) - 1, host);
  }
}

}  // namespace warpmem::emulate
