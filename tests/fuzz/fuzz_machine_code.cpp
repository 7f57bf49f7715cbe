// Any bytes as machine code that runs. The first byte says what they are: a listing for one of four
// capabilities, or a cubin, behind whose end a listing may stand.
#include <cstdint>
#include <span>
#include <string>

#include "tests/emulate/machine_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace warpmem::emulate::test;
  if (size == 0) return 0;
  constexpr std::uint32_t kCapabilities[] = {75, 80, 90, 120};
  const std::uint8_t kind = data[0];
  const std::span<const unsigned char> rest(data + 1, size - 1);
  if (kind % 8 < 4) {
    static_cast<void>(
        run_any_listing(std::string(rest.begin(), rest.end()), kCapabilities[kind % 4]));
    return 0;
  }
  // The code of a kernel "k" that the bytes may name.
  static_cast<void>(load_any_cubin(
      rest,
      ".section\t.text.k,\"ax\",@progbits\n/*0000*/ S2R R0, SR_TID.X ;\n/*0010*/ LDC.64 R2, "
      "c[0x0][0x210] ;\n/*0020*/ CALL.ABS.NOINC R2 ;\n/*0030*/ EXIT ;\n"));
  return 0;
}
