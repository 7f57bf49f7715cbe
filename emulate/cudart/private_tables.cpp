#include "emulate/cudart/private_tables.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/printable.hpp"
#include "binary/elf/elf_file.hpp"
#include "emulate/audit/mapped_file.hpp"
#include "emulate/cudart/runtime.hpp"
#include "emulate/cudart/tell_command.hpp"

namespace warpmem::cudart {
namespace {

bool brings_kernels(const char* library) {
  const audit::MappedFile file(library);
  const ElfFile elf(file.bytes());
  if (!elf.valid()) return false;
  return std::ranges::any_of(elf.sections(),
                             [&](const Elf64_Shdr& s) { return elf.name(s) == ".nv_fatbin"; });
}

}  // namespace

void tables_refused(const void* caller) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0 || info.dli_fname == nullptr || !brings_kernels(info.dli_fname))
    return;
  if (Runtime* r = runtime())
    tell_command(r->session.options().status,
                 fmt::format("library\t{}\n", printable(info.dli_fname)));
}

}  // namespace warpmem::cudart
