// Any bytes as a fat binary, and as a program that has one: all entries read and unpacked.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

#include "binary/fatbin/fat_binary.hpp"
#include "binary/fatbin/program_file.hpp"

using namespace warpmem::cudart;

namespace {

void read_entries(std::span<const std::byte> bytes) {
  const auto entries = read_fat_binary(bytes);
  if (!entries) return;
  for (const FatEntry& e : *entries) {
    static_cast<void>(unpack_machine_code(e).ok());
    const auto text = unpack_ptx(e);
    if (!text) continue;
    // The target is found again after it was changed.
    if (ptx_target(*text).empty()) continue;
    if (!ptx_target(for_older_gpu(*text, 90)).starts_with("sm_")) std::abort();
  }
  for (const std::uint32_t cc : {75u, 90u, 120u}) {
    const FatEntry* const ptx = choose_ptx(*entries, cc);
    if (ptx && ptx->architecture > cc) std::abort();
    const FatEntry* const code = choose_machine_code(*entries, cc);
    if (code && code->architecture / 10 != cc / 10) std::abort();
    static_cast<void>(choose_newer_ptx(*entries, cc));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_entries({reinterpret_cast<const std::byte*>(data), size});
  static const int fd = ::memfd_create("fuzz", 0);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, data, size, 0) != static_cast<ssize_t>(size))
    return 0;
  const auto program = read_program_file(path);
  if (!program) std::abort();
  static_cast<void>(check_program_file(*program, path, "90").ok());
  static_cast<void>(about_libraries(*program, path).has_value());
  return 0;
}
