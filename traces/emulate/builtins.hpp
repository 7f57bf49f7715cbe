// Functions that the driver brings along and PTX only declares.
#pragma once

#include <cstdint>
#include <string_view>

namespace warpmem::emulate {

enum class Builtin : std::uint32_t { kNone, kPrintf, kMalloc, kFree, kAssert };

constexpr Builtin builtin_named(std::string_view name) {
  if (name == "vprintf") return Builtin::kPrintf;
  if (name == "malloc") return Builtin::kMalloc;
  if (name == "free") return Builtin::kFree;
  if (name == "__assertfail") return Builtin::kAssert;
  return Builtin::kNone;
}

}  // namespace warpmem::emulate
