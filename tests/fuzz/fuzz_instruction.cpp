// Any text as a line of SASS.
#include <cstdint>
#include <string_view>

#include "isa/sass/instruction.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto decoded =
      warpmem::trace::decode_instruction({reinterpret_cast<const char*>(data), size});
  static_cast<void>(decoded.ok());
  return 0;
}
