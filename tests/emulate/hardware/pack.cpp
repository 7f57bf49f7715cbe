// pack_instruction_results results.bin h200.results
#include <cstdio>
#include <exception>

#include "tests/emulate/hardware/results.hpp"

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: pack_instruction_results results.bin h200.results\n");
    return 2;
  }
  try {
    warpmem::emulate::hardware::pack_results(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 3;
  }
  return 0;
}
