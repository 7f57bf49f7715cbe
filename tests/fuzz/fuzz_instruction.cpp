// Any text as a line of a trace's program, of SASS or PTX.
#include <cstdint>
#include <string>

#include "isa/access.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const bool ptx : {false, true}) {
    const warpmem::trace::DecodedLine line(text, ptx);
    if (line.sass()) static_cast<void>(warpmem::trace::access_of(*line.sass()));
    if (line.ptx()) static_cast<void>(warpmem::trace::access_of(*line.ptx()));
  }
  return 0;
}
