#include "binary/cubin/parameters.hpp"

#include <algorithm>
#include <cstring>

namespace warpmem::record {
namespace {

// CU_LAUNCH_PARAM_… of cuda.h: `extra` is a list of names and values.
constexpr std::uintptr_t kEnd = 0, kBufferPointer = 1, kBufferSize = 2;

}  // namespace

std::vector<std::uint8_t> pack_parameters(const KernelParameters& kernel, void* const* each,
                                          void* const* extra) {
  std::vector<std::uint8_t> bytes(kernel.bytes);
  if (bytes.empty()) return bytes;
  if (each != nullptr) {
    if (kernel.each.empty()) return {};
    for (const KernelParameters::One& p : kernel.each) {
      if (p.offset > bytes.size() || p.bytes > bytes.size() - p.offset) return {};
      if (p.ordinal >= kernel.each.size() || each[p.ordinal] == nullptr) return {};
      std::memcpy(bytes.data() + p.offset, each[p.ordinal], p.bytes);
    }
    return bytes;
  }
  const void* buffer = nullptr;
  std::size_t size = 0;
  for (std::size_t i = 0; extra != nullptr && i < 8; i += 2) {
    const auto name = reinterpret_cast<std::uintptr_t>(extra[i]);
    if (name == kEnd) break;
    if (name == kBufferPointer) buffer = extra[i + 1];
    if (name == kBufferSize && extra[i + 1] != nullptr)
      std::memcpy(&size, extra[i + 1], sizeof size);
  }
  if (buffer == nullptr || size == 0) return {};
  std::memcpy(bytes.data(), buffer, std::min(size, bytes.size()));
  return bytes;
}

}  // namespace warpmem::record
