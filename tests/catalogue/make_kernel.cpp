// Writes the trace of a kernel of the catalogue: make_kernel FILE NAME gx=2048 bx=512 n=1048576 …
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/catalogue/kernels.hpp"

using namespace warpmem;
using namespace warpmem::catalogue;

namespace {

int refuse(const Error& error) {
  std::fprintf(stderr, "make_kernel: %s\n", error.text().c_str());
  return exit_status(error.kind);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  Sizes sizes;
  for (int i = 3; i < argc; ++i) {
    const std::string setting = argv[i];
    const auto equals = setting.find('=');
    if (equals == std::string::npos) return 2;
    sizes[setting.substr(0, equals)] = std::strtoull(setting.c_str() + equals + 1, nullptr, 10);
  }
  const auto kernel = make_kernel(argv[2], sizes);
  if (!kernel) return refuse(kernel.error());
  const auto written = write_trace(argv[1], argv[2], kernel->grid, kernel->accesses, kernel->window);
  if (!written) return refuse(written.error());
  return 0;
}
