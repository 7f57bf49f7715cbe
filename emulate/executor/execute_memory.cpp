#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "emulate/executor/execution.hpp"
#include "emulate/executor/half.hpp"

namespace warpmem::emulate {
namespace {

using trace::Op;

constexpr const char* kInBounds = "check the index and the size of the allocation: guard threads beyond the end with if (i < n)";

// For each lane of the mask.
template <class F>
void each_lane(std::uint32_t mask, F&& f) {
  for (; mask != 0; mask &= mask - 1) f(static_cast<std::uint32_t>(std::countr_zero(mask)));
}

// … in the order in which a store of so many bytes a lane leaves them.
template <class F>
void each_stored(std::uint32_t mask, std::uint32_t bytes, F&& f) {
  const std::uint32_t at_once = bytes <= 4 ? 32 : 128 / bytes;
  for (std::uint32_t first = 0; first < 32; first += at_once) {
    if (mask == ~0u) {
      for (std::uint32_t l = first + at_once; l-- > first;) f(l);
      continue;
    }
    std::uint32_t left = at_once == 32 ? mask : mask & (((1u << at_once) - 1) << first);
    while (left != 0) {
      const auto l = 31u - static_cast<std::uint32_t>(std::countl_zero(left));
      left &= ~(1u << l);
      f(l);
    }
  }
}

// Element E at each lane's host address, into registers of width R.
template <class E, class R>
void load_rows(std::byte* to, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset) {
  auto* d = reinterpret_cast<R*>(to);
  const auto one = [&](std::uint32_t l) {
    E v;
    std::memcpy(&v, reinterpret_cast<const std::byte*>(host[l]) + offset, sizeof v);
    d[l] = static_cast<R>(v);
  };
  if (mask == ~0u) {
    for (std::uint32_t l = 0; l < 32; ++l) one(l);
    return;
  }
  each_lane(mask, one);
}
// Of lanes that store to one place the lowest one's value stays. 128 bytes go at a time: where a warp
// stores more, the lanes that come later have the last word (kernels/micro/store_winners.cu).
template <class E, class R>
void store_rows(const std::byte* from, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes) {
  const auto* s = reinterpret_cast<const R*>(from);
  const auto one = [&](std::uint32_t l) {
    const auto v = static_cast<E>(s[l]);
    std::memcpy(reinterpret_cast<std::byte*>(host[l]) + offset, &v, sizeof v);
  };
  each_stored(mask, bytes, one);
}

// What the lanes of an access reach over: their lowest and highest address, and all bits set in any.
struct Extent {
  std::uint64_t low = ~std::uint64_t{0}, high = 0, all = 0;
};
Extent plain_extent(const std::uint64_t* lanes, std::uint32_t mask) {
  Extent e;
  each_lane(mask, [&](std::uint32_t l) { e.low = std::min(e.low, lanes[l]), e.high = std::max(e.high, lanes[l]), e.all |= lanes[l]; });
  return e;
}
#ifdef __x86_64__
__attribute__((target("avx2"))) Extent avx2_extent(const std::uint64_t* lanes) {
  const __m256i top = _mm256_set1_epi64x(static_cast<long long>(std::uint64_t{1} << 63));  // comparisons are signed
  const auto load = [&](std::uint32_t l) __attribute__((target("avx2"))) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(lanes + l)); };
  __m256i any = load(0), low = _mm256_xor_si256(any, top), high = low;
  for (std::uint32_t l = 4; l < 32; l += 4) {
    const __m256i v = load(l), turned = _mm256_xor_si256(v, top);
    any = _mm256_or_si256(any, v);
    low = _mm256_blendv_epi8(low, turned, _mm256_cmpgt_epi64(low, turned));
    high = _mm256_blendv_epi8(high, turned, _mm256_cmpgt_epi64(turned, high));
  }
  std::uint64_t a[4], b[4], c[4];
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(a), _mm256_xor_si256(low, top));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(b), _mm256_xor_si256(high, top));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(c), any);
  return {std::min(std::min(a[0], a[1]), std::min(a[2], a[3])), std::max(std::max(b[0], b[1]), std::max(b[2], b[3])), c[0] | c[1] | c[2] | c[3]};
}
// In pieces as large as avx2_extent reads: what was stored in smaller ones would have to reach the
// cache before it can be read again.
__attribute__((target("avx2"))) void avx2_addresses(const std::uint64_t* base, std::uint64_t offset, std::uint64_t* lanes) {
  const __m256i by = _mm256_set1_epi64x(static_cast<long long>(offset));
  for (std::uint32_t l = 0; l < 32; l += 4)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes + l), _mm256_add_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(base + l)), by));
}
__attribute__((target("avx2"))) void avx2_addresses(const std::uint32_t* base, std::uint32_t offset, std::uint64_t* lanes) {
  const __m128i by = _mm_set1_epi32(static_cast<int>(offset));
  for (std::uint32_t l = 0; l < 32; l += 4)
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes + l), _mm256_cvtepu32_epi64(_mm_add_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(base + l)), by)));
}
#endif
// Of a base register and a constant; 32-bit addresses wrap.
template <class T>
void add_offset(const T* base, T offset, std::uint64_t* lanes) {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return avx2_addresses(base, offset, lanes);
#endif
  for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = static_cast<T>(base[l] + offset);
}
Extent extent_of(const std::uint64_t* lanes, std::uint32_t mask) {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (mask == ~0u && has_avx2) return avx2_extent(lanes);
#endif
  return plain_extent(lanes, mask);
}

template <class E>
void load_wide(std::byte* to, std::uint32_t width, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset) {
  if (width == 2) load_rows<E, std::uint16_t>(to, host, mask, offset);
  else if (width == 4) load_rows<E, std::uint32_t>(to, host, mask, offset);
  else load_rows<E, std::uint64_t>(to, host, mask, offset);
}
template <class E>
void store_wide(const std::byte* from, std::uint32_t width, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes) {
  if (width == 2) store_rows<E, std::uint16_t>(from, host, mask, offset, bytes);
  else if (width == 4) store_rows<E, std::uint32_t>(from, host, mask, offset, bytes);
  else store_rows<E, std::uint64_t>(from, host, mask, offset, bytes);
}

void load_element(Type type, std::byte* to, std::uint32_t width, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset) {
  switch (size_of(type)) {
    case 1: return is_signed(type) ? load_wide<std::int8_t>(to, width, host, mask, offset) : load_wide<std::uint8_t>(to, width, host, mask, offset);
    case 2: return is_signed(type) ? load_wide<std::int16_t>(to, width, host, mask, offset) : load_wide<std::uint16_t>(to, width, host, mask, offset);
    case 4: return is_signed(type) ? load_wide<std::int32_t>(to, width, host, mask, offset) : load_wide<std::uint32_t>(to, width, host, mask, offset);
    case 8: return load_wide<std::uint64_t>(to, 8, host, mask, offset);
    default:
      for (std::uint32_t l = 0; l < 32; ++l)
        if (mask >> l & 1) std::memcpy(to + l * 16, reinterpret_cast<const std::byte*>(host[l]) + offset, 16);
  }
}
void store_element(Type type, const std::byte* from, std::uint32_t width, const std::uint64_t* host, std::uint32_t mask, std::uint32_t offset, std::uint32_t bytes) {
  switch (size_of(type)) {
    case 1: return store_wide<std::uint8_t>(from, width, host, mask, offset, bytes);
    case 2: return store_wide<std::uint16_t>(from, width, host, mask, offset, bytes);
    case 4: return store_wide<std::uint32_t>(from, width, host, mask, offset, bytes);
    case 8: return store_wide<std::uint64_t>(from, 8, host, mask, offset, bytes);
    default:
      each_stored(mask, bytes, [&](std::uint32_t l) { std::memcpy(reinterpret_cast<std::byte*>(host[l]) + offset, from + l * 16, 16); });
  }
}

template <class T>
T combine(AtomicOp op, T old, T v, T swap) {
  switch (op) {
    case AtomicOp::kAdd:
      if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<std::make_unsigned_t<T>>(old) + static_cast<std::make_unsigned_t<T>>(v));
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
  const double a = bf ? bfloat_value(old) : half_value(old), b = bf ? bfloat_value(v) : half_value(v);
  double r = op == AtomicOp::kMin ? (a < b || b != b ? a : b) : op == AtomicOp::kMax ? (a > b || b != b ? a : b) : fma_odd(1, a, b);
  return bf ? bfloat_of(r) : half_of(r);
}

// Addition of floats as the memory system does it (an H200's, bit for bit). Global memory: f32 is
// flushed to zero, a NaN of f64 stays as it is, the new operand's first. Shared memory: a loop of
// compare-and-swap around an ordinary addition.
float add_float(float old, float v, bool global) {
  const auto flushed = [](float x) { return std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x; };
  const float r = global ? flushed(flushed(old) + flushed(v)) : old + v;
  return r != r ? bits_as<float>(0x7fffffffu) : r;
}
double add_double(double old, double v, bool global) {
  if (global) return v != v ? v : old != old ? old : old + v;
  const auto quiet = [](double x) { return bits_as<double>(bits_as<std::uint64_t>(x) | std::uint64_t{1} << 51); };
  return old != old ? quiet(old) : v != v ? quiet(v) : old + v;
}

template <class T>
void atomic_rows(const Access& a, bool global, std::byte* frame, std::uint32_t mask, const std::uint64_t* host) {
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
      const bool bf = a.type == Type::kBf16 || a.type == Type::kBf16x2, half = bf || a.type == Type::kF16 || a.type == Type::kF16x2;
      if (half && a.atomic != AtomicOp::kExch && a.atomic != AtomicOp::kCas) {
        std::uint32_t r = half_combine(a.atomic, static_cast<std::uint16_t>(static_cast<std::uint64_t>(old)), static_cast<std::uint16_t>(static_cast<std::uint64_t>(v[l])), bf);
        if constexpr (sizeof(T) == 4 && std::is_integral_v<T>)
          r |= static_cast<std::uint32_t>(half_combine(a.atomic, static_cast<std::uint16_t>(old >> 16), static_cast<std::uint16_t>(v[l] >> 16), bf)) << 16;
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
void wide_atomics(const Access& a, std::byte* frame, std::uint32_t mask, const std::uint64_t* host) {
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    auto* at = reinterpret_cast<std::byte*>(host[l]);
    std::byte old[16];
    std::memcpy(old, at, 16);
    const bool cas = a.atomic == AtomicOp::kCas;
    if (!cas || std::memcmp(old, frame + a.values[0] + l * 16, 16) == 0) std::memcpy(at, frame + a.values[cas ? 1 : 0] + l * 16, 16);
    if (a.values[4] != kNoOffset) std::memcpy(frame + a.values[4] + l * 16, old, 16);
  }
}

trace::Space trace_space(Space s) {
  switch (s) {
    case Space::kShared: return trace::Space::kShared;
    case Space::kLocal: return trace::Space::kLocal;
    case Space::kConst: return trace::Space::kConstant;
    default: return trace::Space::kGlobal;
  }
}

}  // namespace

void Execution::atomics(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask, const Lanes& host) {
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
void Execution::reduce_bytes(const Access& a, trace::Space space, std::uint64_t from, std::uint64_t to, std::uint32_t bytes) {
  const std::uint32_t size = size_of(a.type);
  Access one;
  one.type = a.type, one.atomic = a.atomic, one.element_bytes = static_cast<std::uint8_t>(size), one.elements = 1;
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

void Execution::addresses(const Access& a, const std::byte* frame, Lanes& lanes) const {
  const auto offset = static_cast<std::uint64_t>(a.offset);
  if (a.address_bytes == 8) {
    add_offset(reinterpret_cast<const std::uint64_t*>(frame + a.base), offset, lanes);
  } else if (a.address_bytes == 4) {
    add_offset(reinterpret_cast<const std::uint32_t*>(frame + a.base), static_cast<std::uint32_t>(offset), lanes);
  } else {
    for (std::uint32_t l = 0; l < 32; ++l) lanes[l] = offset;
  }
}

// What a lane's address is in, of an access that does not say.
Space Execution::space_of(const Access& a, const std::byte* frame, std::uint32_t lane) {
  std::uint64_t at = 0;
  if (a.address_bytes == 8) at = reinterpret_cast<const std::uint64_t*>(frame + a.base)[lane];
  else if (a.address_bytes == 4) at = reinterpret_cast<const std::uint32_t*>(frame + a.base)[lane];
  at += static_cast<std::uint64_t>(a.offset);
  return at - kSharedWindow < kWindowBytes ? Space::kShared : at - kLocalWindow < kWindowBytes ? Space::kLocal : Space::kGlobal;
}

void Execution::record(Warp& warp, const Inst& in, const Code& code, Op op, trace::Space space, std::uint32_t bytes, std::uint32_t mask, const Lanes& lanes) {
  if (!tracer_ || !group_->traced) return;
  leave_rounds(warp, &code, static_cast<std::uint32_t>(&in - code.code.data()));
  tracer_->access(cta_->number, warp.index, {16 * (code.first_pc + in.statement), op, space, bytes}, mask, lanes);
}

void Execution::record_piece(Warp& warp, const Inst& in, const Code& code, Op op, trace::Space space, std::uint32_t bytes, std::uint32_t lane, std::uint64_t address, bool& begun) {
  if (!tracer_ || !group_->traced) return;
  leave_rounds(warp, &code, static_cast<std::uint32_t>(&in - code.code.data()));
  tracer_->piece(cta_->number, warp.index, {16 * (code.first_pc + in.statement), op, space, bytes}, lane, address, begun ? trace::Piece::kFurther : trace::Piece::kFirst);
  begun = true;
}

// Memory's own answer is remembered there, which only one thread may do.
bool Execution::contains(std::uint64_t low, std::uint64_t high) {
  if (!speculation_) return memory_.contains(low, high);
  if (low >= low_ && high <= high_ && low < high) return true;
  const Region* r = memory_.find(low);
  if (!r || high < low || high > r->base + r->bytes) return false;
  low_ = r->base, high_ = r->base + r->bytes;
  return true;
}

void Execution::watch(const Lanes& lanes, std::uint32_t mask, std::uint32_t bytes, bool writes) {
  std::uint64_t last = ~std::uint64_t{0};
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1) || lanes[l] == last) continue;
    last = lanes[l];
    if (writes) speculation_->write(memory_, last, bytes, number_, *log_);
    else speculation_->read(last, bytes, number_);
  }
}

void Execution::resolve(Warp& warp, const Inst& in, std::uint32_t mask, trace::Space space, std::uint32_t bytes, const char* what, Lanes& lanes, Touch touch) {
  const auto [low, high, all] = extent_of(lanes, mask);
  const bool misaligned = (all & (std::min(bytes, 16u) - 1)) != 0;
  const auto wrong = [&](bool (*bad)(Execution&, Warp&, std::uint64_t, std::uint32_t), const char* how, bool show) {
    for (std::uint32_t l = 0; l < 32; ++l) {
      if (!(mask >> l & 1) || !bad(*this, warp, lanes[l], bytes)) continue;
      if (show && options_.out_of_bounds && memory_.mapped_beside(lanes[l], lanes[l] + bytes)) {
        if (reported_.insert(&in).second)
          options_.out_of_bounds(fault_at(warp, in, l, fmt::format("{} {} of {} bytes at {:#x} ({})", how, what, bytes, lanes[l], nearest_text(lanes[l])), kInBounds, ErrorKind::kMalformed));
        continue;
      }
      stats_.fault = std::string_view(how) == "misaligned" ? FaultKind::kMisaligned : FaultKind::kAddress;
      fault(warp, in, l, fmt::format("{} {} of {} bytes at {:#x}{}", how, what, bytes, lanes[l], show ? " (" + nearest_text(lanes[l]) + ")" : std::string()),
            show ? std::string(kInBounds) : fmt::format("make the address a multiple of {}: check casts to wider types, and offsets into the array", std::min(bytes, 16u)));
    }
  };
  if (misaligned) wrong([](Execution&, Warp&, std::uint64_t at, std::uint32_t n) { return (at & (std::min(n, 16u) - 1)) != 0; }, "misaligned", false);
  switch (space) {
    case trace::Space::kShared: {
      if (high + bytes > shared_bytes_ || high + bytes < high) {
        // Another CTA's memory, or nobody's.
        for (std::uint32_t l = 0; l < 32; ++l) {
          if (!(mask >> l & 1)) continue;
          const std::uint64_t rank = lanes[l] >> kRankShift, at = lanes[l] & ((1u << kRankShift) - 1);
          const bool own = rank == 0;
          if (at + bytes > shared_bytes_ || (!own && rank > group_->ctas.size()) || lanes[l] >> 32) {
            stats_.fault = FaultKind::kAddress;
            fault(warp, in, l, fmt::format("out-of-bounds shared {} of {} bytes at {:#x}: the CTA has {} bytes of shared memory", what, bytes, lanes[l], shared_bytes_),
                  "check the index, and that the launch asks for enough dynamic shared memory");
          }
          Cta& owner = own ? *cta_ : group_->ctas[rank - 1];
          lanes[l] = reinterpret_cast<std::uint64_t>(owner.shared.data()) + at;
        }
        return;
      }
      if (options_.report) check_shared(warp, in, mask, bytes, lanes, touch);
      const auto base = reinterpret_cast<std::uint64_t>(cta_->shared.data());
      for (std::uint32_t l = 0; l < 32; ++l) lanes[l] += base;
      return;
    }
    case trace::Space::kLocal: {
      const std::uint64_t limit = warp.local_capacity;
      if (high + bytes > limit || high + bytes < high)
        wrong([](Execution&, Warp& w, std::uint64_t at, std::uint32_t n) { return at + n > w.local_capacity || at + n < at; }, "out-of-bounds local", false);
      const auto base = reinterpret_cast<std::uint64_t>(warp.local.data());
      for (std::uint32_t l = 0; l < 32; ++l) lanes[l] += base + l * limit;
      return;
    }
    default: {
      if (!contains(low, high + bytes))
        wrong([](Execution& e, Warp&, std::uint64_t at, std::uint32_t n) { return !e.contains(at, at + n); }, "out-of-bounds global", true);
      if (speculation_ && space == trace::Space::kGlobal) watch(lanes, mask, bytes, touch != Touch::kRead);
      const std::uint64_t delta = reinterpret_cast<std::uint64_t>(memory_.host(0));
      for (std::uint32_t l = 0; l < 32; ++l) lanes[l] += delta;
    }
  }
}

void Execution::access(Warp& warp, const Part& part, const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask) {
  Lanes lanes;
  if (a.waits && a.op == Op::kLoad && !turns_) ++warp.waits, warp.far_waits += a.space != Space::kShared;
  addresses(a, frame, lanes);
  if (a.space != Space::kGeneric) return space_access(warp, part, in, a, frame, mask, trace_space(a.space), lanes);
  // The address decides: shared window, local window, or global.
  const auto inside = [](std::uint64_t at, std::uint64_t window) { return at - window < kWindowBytes; };
  const Extent extent = extent_of(lanes, mask);
  if (extent.high < std::min(kSharedWindow, kLocalWindow)) return space_access(warp, part, in, a, frame, mask, trace::Space::kGlobal, lanes);
  std::uint32_t shared = 0, local = 0;
  each_lane(mask, [&](std::uint32_t l) {
    shared |= static_cast<std::uint32_t>(inside(lanes[l], kSharedWindow)) << l;
    local |= static_cast<std::uint32_t>(inside(lanes[l], kLocalWindow)) << l;
  });
  const auto some = [&](std::uint32_t who, trace::Space space, std::uint64_t window) {
    if (!who) return;
    Lanes copy;
    for (std::uint32_t l = 0; l < 32; ++l) copy[l] = lanes[l] - window;
    space_access(warp, part, in, a, frame, who, space, copy);
  };
  some(mask & ~shared & ~local, trace::Space::kGlobal, 0);
  some(mask & shared, trace::Space::kShared, kSharedWindow);
  some(mask & local, trace::Space::kLocal, kLocalWindow);
}

void Execution::space_access(Warp& warp, const Part& part, const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask, trace::Space space, Lanes& lanes) {
  const std::uint32_t bytes = a.bytes();
  // Its own memory tells a thread nothing new.
  if (turns_ && !a.waits && (space == trace::Space::kGlobal || space == trace::Space::kShared)) warp.looks.clear(), warp.in_vain = false;
  if (a.op == Op::kPrefetch) {
    if (space == trace::Space::kGlobal) record(warp, in, code_of(warp, part), a.op, space, 0, mask, lanes);
    return;
  }
  if (tracer_ && group_->traced) {
    std::uint32_t remote = 0;
    Lanes own;  // a CTA's own shared memory by way of the cluster's window is local all the same
    if (space == trace::Space::kShared)
      for (std::uint32_t l = 0; l < 32; ++l) {
        const std::uint64_t rank = lanes[l] >> kRankShift;
        own[l] = rank == cta_->rank + 1u ? lanes[l] & ((1u << kRankShift) - 1) : lanes[l];
        remote |= static_cast<std::uint32_t>((mask >> l & 1) && own[l] >> kRankShift != 0) << l;
      }
    if (mask & ~remote)
      record(warp, in, code_of(warp, part), a.op, space, bytes, mask & ~remote,
             space == trace::Space::kShared ? own : lanes);
    if (remote) record(warp, in, code_of(warp, part), a.op, trace::Space::kRemoteShared, bytes, remote, lanes);
  }
  const char* what = a.op == Op::kLoad ? "load" : a.op == Op::kStore ? "store" : "atomic";
  resolve(warp, in, mask, space, bytes, what, lanes, a.op == Op::kLoad ? Touch::kRead : a.op == Op::kStore ? Touch::kWrite : Touch::kOther);
  switch (a.op) {
    case Op::kLoad:
      for (std::uint32_t i = 0; i < a.elements; ++i)
        if (a.values[i] != kNoOffset) load_element(a.type, frame + a.values[i], a.value_bytes[i], lanes, mask, i * a.element_bytes);
      if (turns_ && a.waits && looks_again(warp, in, mask, bytes, lanes)) ++warp.waits;
      return;
    case Op::kStore:
      if (space == trace::Space::kConstant) fault(warp, in, static_cast<std::uint32_t>(std::countr_zero(mask)), "a store to constant memory", "copy it there from the host, with cudaMemcpyToSymbol");
      for (std::uint32_t i = 0; i < a.elements; ++i) store_element(a.type, frame + a.values[i], a.value_bytes[i], lanes, mask, i * a.element_bytes, a.bytes());
      return;
    default:
      if (!a.waits) {
        atomics(a, space, frame, mask, lanes);
      } else if (!in_vain(a, space, frame, mask, lanes)) {
        warp.looks.clear(), warp.in_vain = false;
      } else if (!turns_ || looks_again(warp, in, mask, bytes, lanes)) {
        ++warp.waits, warp.far_waits += a.space != Space::kShared;
      }
  }
}

// Exchanges and compare-and-swaps. True: nobody changed anything, as when all lanes want a lock that
// another one has.
bool Execution::in_vain(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask, const Lanes& host) {
  std::byte before[32][16];
  const std::uint32_t bytes = a.bytes();
  for (std::uint32_t l = 0; l < 32; ++l)
    if (mask >> l & 1) std::memcpy(before[l], reinterpret_cast<const void*>(host[l]), bytes);
  atomics(a, space, frame, mask, host);
  for (std::uint32_t l = 0; l < 32; ++l)
    if ((mask >> l & 1) && std::memcmp(before[l], reinterpret_cast<const void*>(host[l]), bytes) != 0) return false;
  return true;
}

void Execution::param_load(const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask) {
  Lanes host;
  const std::byte* base = a.base == kNoOffset ? memory_.host(memory_.param_base()) : frame + a.base;
  const std::uint32_t stride = a.base == kNoOffset ? 0 : in.sub;
  for (std::uint32_t l = 0; l < 32; ++l) host[l] = reinterpret_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(a.offset) + std::uint64_t{l} * stride;
  for (std::uint32_t i = 0; i < a.elements; ++i)
    if (a.values[i] != kNoOffset) load_element(a.type, frame + a.values[i], a.value_bytes[i], host, mask, i * a.element_bytes);
}

void Execution::param_store(const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask) {
  Lanes host;
  for (std::uint32_t l = 0; l < 32; ++l) host[l] = reinterpret_cast<std::uint64_t>(frame + a.base) + static_cast<std::uint64_t>(a.offset) + std::uint64_t{l} * in.sub;
  for (std::uint32_t i = 0; i < a.elements; ++i) store_element(a.type, frame + a.values[i], a.value_bytes[i], host, mask, i * a.element_bytes, a.bytes());
}

// Done at once: nothing may read the destination before the wait, nor change the source.
void Execution::async_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask) {
  const Code& code = code_of(warp, part);
  const Access& read = code.accesses[in.extra];
  const Access& write = code.accesses[in.extra + 1];
  const std::uint32_t bytes = read.element_bytes;
  Lanes from, to;
  addresses(read, frame, from);
  addresses(write, frame, to);
  const auto* limits = in.a == kNoOffset ? nullptr : reinterpret_cast<const std::uint32_t*>(frame + in.a);
  const std::uint32_t ignored = in.b == kNoOffset ? 0 : *reinterpret_cast<const std::uint32_t*>(frame + in.b);
  std::uint32_t reads = mask & ~ignored;
  for (std::uint32_t l = 0; l < 32 && limits; ++l)
    if (limits[l] == 0) reads &= ~(1u << l);
  if (reads) record(warp, in, code, Op::kAsyncCopyRead, trace::Space::kGlobal, bytes, reads, from);
  record(warp, in, code, Op::kAsyncCopyWrite, trace::Space::kShared, bytes, mask, to);
  if (reads) resolve(warp, in, reads, trace::Space::kGlobal, bytes, "asynchronous read", from, Touch::kRead);
  resolve(warp, in, mask, trace::Space::kShared, bytes, "asynchronous write", to);
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(mask >> l & 1)) continue;
    const std::uint32_t n = !(reads >> l & 1) ? 0 : limits ? std::min(bytes, limits[l]) : bytes;
    auto* d = reinterpret_cast<std::byte*>(to[l]);
    if (n) std::memcpy(d, reinterpret_cast<const std::byte*>(from[l]), n);
    std::memset(d + n, 0, bytes - n);
  }
}

}  // namespace warpmem::emulate
