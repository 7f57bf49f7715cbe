// PTX's fundamental types: what a register or an instruction's operands hold.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmem::emulate {

enum class Type : std::uint8_t {
  kNone,
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kF16,
  kF16x2,
  kBf16,
  kBf16x2,
  kF32,
  kF64,
  kTf32,
  kU16x2,
  kS16x2,
  kE4m3x2,
  kE5m2x2,
  kF32x2,
  kE4m3,
  kE5m2,
  kU4,
  kS4,
  kB1
};

constexpr std::uint32_t size_of(Type t) {  // bytes
  switch (t) {
    case Type::kB8:
    case Type::kU8:
    case Type::kS8:
    case Type::kE4m3:
    case Type::kE5m2: return 1;
    case Type::kB16:
    case Type::kU16:
    case Type::kS16:
    case Type::kF16:
    case Type::kBf16:
    case Type::kE4m3x2:
    case Type::kE5m2x2: return 2;
    case Type::kB64:
    case Type::kU64:
    case Type::kS64:
    case Type::kF64:
    case Type::kF32x2: return 8;
    case Type::kB128: return 16;
    case Type::kNone: return 0;
    default: return 4;
  }
}

constexpr bool is_signed(Type t) {
  return t == Type::kS8 || t == Type::kS16 || t == Type::kS32 || t == Type::kS64;
}
constexpr bool is_float(Type t) {
  return (t >= Type::kF16 && t <= Type::kF64) || t == Type::kTf32 || t == Type::kF32x2;
}

struct TypeName {
  std::string_view name;
  Type type;
};
inline constexpr TypeName kTypeNames[] = {
    {"pred", Type::kPred},     {"b8", Type::kB8},       {"b16", Type::kB16},
    {"b32", Type::kB32},       {"b64", Type::kB64},     {"b128", Type::kB128},
    {"u8", Type::kU8},         {"u16", Type::kU16},     {"u32", Type::kU32},
    {"u64", Type::kU64},       {"s8", Type::kS8},       {"s16", Type::kS16},
    {"s32", Type::kS32},       {"s64", Type::kS64},     {"f16", Type::kF16},
    {"f16x2", Type::kF16x2},   {"bf16", Type::kBf16},   {"bf16x2", Type::kBf16x2},
    {"f32", Type::kF32},       {"f64", Type::kF64},     {"tf32", Type::kTf32},
    {"u16x2", Type::kU16x2},   {"s16x2", Type::kS16x2}, {"e4m3x2", Type::kE4m3x2},
    {"e5m2x2", Type::kE5m2x2}, {"f32x2", Type::kF32x2}, {"e4m3", Type::kE4m3},
    {"e5m2", Type::kE5m2},     {"u4", Type::kU4},       {"s4", Type::kS4},
    {"b1", Type::kB1}};

constexpr Type type_named(std::string_view name) {
  for (const TypeName& t : kTypeNames)
    if (t.name == name) return t.type;
  return Type::kNone;
}
constexpr std::string_view name_of(Type type) {
  for (const TypeName& t : kTypeNames)
    if (t.type == type) return t.name;
  return "none";
}

}  // namespace warpmem::emulate
