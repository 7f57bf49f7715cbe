// What the loader asks whenever a process of the emulated program loads a library (rtld-audit(7)).
// It leads requests for NVIDIA's driver, runtime, cuBLAS and cuRAND to the emulator's, wherever the
// program looks for them. Of all other libraries, once they are mapped and before any of their code
// runs:
//  - a CUDA runtime that was linked into one is replaced: its functions jump to the emulator's of
//  the same name
//  - the compilers NVRTC and nvJitLink are led through the emulator's hooks
//  (emulate/cudart/hooks.hpp)
//
// It has a copy of the C library for itself, and shares nothing with the process but its memory.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "binary/elf/elf_file.hpp"
#include "emulate/audit/mapped_file.hpp"
#include "emulate/audit/runtime_within.hpp"

namespace {

using namespace warpmem;
using cudart::ElfFile;

struct Object {
  const link_map* map = nullptr;
  bool seen = false;
};

std::vector<Object>& objects() {
  static auto* all = new std::vector<Object>;
  return *all;
}

// The folder of the emulator's libraries; empty: we are not asked to do anything.
const std::string& folder() {
  static const auto* const path = [] {
    const char* set = std::getenv("WARPMEM_EMULATE_LIBRARIES");
    return new std::string(set ? set : "");
  }();
  return *path;
}

std::string_view file_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

// Ours for one of NVIDIA's; null: there is none. A name without a version is of the file that it
// stands for.
const char* ours_for(const char* request) {
  std::string_view name = file_of(request);
  char real[PATH_MAX];
  if ((name == "libcudart.so" || name == "libcublas.so" || name == "libcurand.so" ||
       name == "libcuda.so") &&
      realpath(request, real))
    name = file_of(real);
  for (const char* one : {"libcuda.so.1", "libcudart.so.12", "libcudart.so.13", "libcublas.so.12",
                          "libcublas.so.13", "libcurand.so.10"}) {
    const std::string_view wanted(one);
    if (!name.starts_with(wanted) || (name.size() > wanted.size() && name[wanted.size()] != '.'))
      continue;
    auto* const path = new std::string(folder() + "/" + one);  // the loader keeps it
    return path->c_str();
  }
  if (name.starts_with("libcuda.so."))
    return ours_for("libcuda.so.1");  // the driver's own file: libcuda.so.580.65
  return nullptr;
}

// The emulator's library in this process, and its symbols by the file.
struct Emulator {
  std::uintptr_t base = 0;
  std::vector<std::pair<std::string, std::uintptr_t>> symbols;  // sorted
  std::uintptr_t find(const std::string& name) const {
    const auto at =
        std::lower_bound(symbols.begin(), symbols.end(), name,
                         [](const auto& a, const std::string& b) { return a.first < b; });
    return at == symbols.end() || at->first != name ? 0 : base + at->second;
  }
};

template <class Take>
void for_dynamic_symbols(const ElfFile& elf, Take take) {
  const std::vector<Elf64_Shdr> sections = elf.sections();
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_DYNSYM || s.sh_link >= sections.size()) continue;
    for (std::uint64_t i = 0; i < s.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = elf.at<Elf64_Sym>(s.sh_offset + i * sizeof(Elf64_Sym));
      if (symbol && symbol->st_shndx != SHN_UNDEF && symbol->st_value != 0)
        take(elf.text(sections[s.sh_link].sh_offset + symbol->st_name), symbol->st_value,
             s.sh_addr + i * sizeof(Elf64_Sym));
    }
  }
}

const Emulator* emulator() {
  static Emulator* known = nullptr;
  if (known) return known;
  for (const Object& o : objects()) {
    if (file_of(o.map->l_name) != "libwarpmem_cuda.so") continue;
    const audit::MappedFile file(o.map->l_name);
    const ElfFile elf(file.bytes());
    if (!elf.valid()) return nullptr;
    known = new Emulator{o.map->l_addr, {}};
    for_dynamic_symbols(elf, [&](std::string name, std::uint64_t value, std::uint64_t) {
      if (name.starts_with("warpmem_")) known->symbols.emplace_back(std::move(name), value);
    });
    std::sort(known->symbols.begin(), known->symbols.end());
    return known;
  }
  return nullptr;
}

bool make_writable(std::uintptr_t begin, std::uintptr_t end, int protection) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  begin = begin / page * page, end = (end + page - 1) / page * page;
  return mprotect(reinterpret_cast<void*>(begin), end - begin, protection) == 0;
}

#ifdef __x86_64__
// jmp *(%rip); the target's address follows. No register is touched.
constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};
constexpr std::size_t kJumpBytes = sizeof kJump + sizeof(void*);
constexpr std::uintptr_t kFunctionAlign = 16;  // compilers leave this much for each function

void replace_runtime(const link_map& map, const ElfFile& elf, const char* path) {
  const auto functions = audit::runtime_within(elf);
  const Emulator* const own = functions.empty() ? nullptr : emulator();
  if (!own) return;
  const bool twelve = std::any_of(functions.begin(), functions.end(), [](const auto& f) {
    return f.name == "cudaGetDeviceProperties_v2";
  });
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> jumps;
  std::uintptr_t low = ~std::uintptr_t{0}, high = 0;
  for (const auto& f : functions) {
    std::uintptr_t to = own->find((twelve ? "warpmem_12_" : "warpmem_13_") + f.name);
    if (to == 0) to = own->find("warpmem_" + f.name);
    const std::uintptr_t from = map.l_addr + f.address;
    if (to == 0 || from % kFunctionAlign != 0) continue;
    jumps.emplace_back(from, to);
    low = std::min(low, from), high = std::max(high, from + kJumpBytes);
  }
  if (jumps.empty()) return;
  if (!make_writable(low, high, PROT_READ | PROT_WRITE | PROT_EXEC)) {
    std::fprintf(stderr,
                 "warpmem: error: the CUDA runtime within %s cannot be replaced: its code cannot "
                 "be written\n",
                 path);
    return;
  }
  for (const auto& [from, to] : jumps) {
    auto* const at = reinterpret_cast<unsigned char*>(from);
    std::memcpy(at, kJump, sizeof kJump);
    std::memcpy(at + sizeof kJump, &to, sizeof to);
  }
  make_writable(low, high, PROT_READ | PROT_EXEC);
}
#else
void replace_runtime(const link_map&, const ElfFile&, const char*) {}
#endif

// "__nvJitLinkCreate_13_5", a version's own name: "nvJitLinkCreate".
std::string plain_name(std::string name) {
  if (!name.starts_with("__nvJitLink")) return name;
  name.erase(0, 2);
  for (int part = 0; part < 2; ++part)
    if (const std::size_t at = name.rfind('_'); at != name.npos) name.erase(at);
  return name;
}

// The compiler's table of symbols gets our hooks' addresses, so that who asks for its calls gets
// ours.
void hook_compiler(const link_map& map, const ElfFile& elf, int copy) {
  const Emulator* const own = emulator();
  if (!own) return;
  for_dynamic_symbols(elf, [&](const std::string& name, std::uint64_t value, std::uint64_t entry) {
    const std::string plain = plain_name(name);
    const std::uintptr_t real = own->find("warpmem_real_" + plain);
    if (real == 0) return;
    reinterpret_cast<std::uintptr_t*>(real)[copy] = map.l_addr + value;
    const std::uintptr_t hook = own->find("warpmem_hook_" + plain + "_" + std::to_string(copy));
    const std::uintptr_t symbol = map.l_addr + entry;
    if (hook == 0 || !make_writable(symbol, symbol + sizeof(Elf64_Sym), PROT_READ | PROT_WRITE))
      return;
    reinterpret_cast<Elf64_Sym*>(symbol)->st_value = hook - map.l_addr;
    make_writable(symbol, symbol + sizeof(Elf64_Sym), PROT_READ);
  });
}

void look_at(const link_map& map) {
  const char* const path = *map.l_name ? map.l_name : "/proc/self/exe";
  const std::string_view name = file_of(path);
  if (std::string_view(path).starts_with(folder()) || name.starts_with("linux-vdso") ||
      name.starts_with("libcudart.so") || name.starts_with("libcuda.so") ||
      name.starts_with("libwarpmem") || name.starts_with("ld-linux") || name.starts_with("libc.so"))
    return;
  const audit::MappedFile file(path);
  const ElfFile elf(file.bytes());
  if (!elf.valid()) return;
  constexpr int kCopies = 4;
  static int compilers[2];
  const int compiler = name.starts_with("libnvrtc.so") || name.starts_with("libnvrtc-") ? 0
                       : name.starts_with("libnvJitLink.so")                            ? 1
                                                                                        : -1;
  if (compiler >= 0 && !name.starts_with("libnvrtc-builtins")) {
    if (compilers[compiler] < kCopies) hook_compiler(map, elf, compilers[compiler]++);
    return;
  }
  replace_runtime(map, elf, path);
}

}  // namespace

extern "C" {

unsigned la_version(unsigned version) {
  return folder().empty() ? 0 : version < LAV_CURRENT ? version : LAV_CURRENT;
}

char* la_objsearch(const char* name, uintptr_t*, unsigned flag) {
  const char* const ours = flag == LA_SER_ORIG ? ours_for(name) : nullptr;
  return const_cast<char*>(ours ? ours : name);
}

unsigned la_objopen(link_map* map, Lmid_t space, uintptr_t* cookie) {
  *cookie = reinterpret_cast<uintptr_t>(map);
  if (space == LM_ID_BASE) objects().push_back({map, false});
  return 0;
}

unsigned la_objclose(uintptr_t* cookie) {
  std::erase_if(objects(),
                [&](const Object& o) { return reinterpret_cast<uintptr_t>(o.map) == *cookie; });
  return 0;
}

void la_activity(uintptr_t*, unsigned flag) {
  if (flag != LA_ACT_CONSISTENT) return;
  for (std::size_t i = 0; i < objects().size(); ++i) {
    if (objects()[i].seen) continue;
    objects()[i].seen = true;
    look_at(*objects()[i].map);
  }
}

}  // extern "C"
