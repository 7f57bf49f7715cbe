// What a kernel's printf says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace warpmem::emulate {

struct Printed {
  std::string text;
  static constexpr std::size_t kMostBytes = 1u
                                            << 20;  // as many as a GPU's buffer has for all of them
  bool too_long = false;                            // more than that: `text` has less
  std::uint64_t arguments = 0;  // that the format took: what a GPU's printf returns
};

using StringAt = std::function<std::string(std::uint64_t)>;  // the text at a device address

// Arguments come from a buffer, each aligned to its size, as the compiler packs them. Of arguments
// that the format asks for and nobody gave, zeros are taken.
Printed formatted(const std::string& format, std::span<const std::byte> arguments,
                  const StringAt& text);

}  // namespace warpmem::emulate
