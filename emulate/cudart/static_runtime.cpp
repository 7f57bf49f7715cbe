// Programs into which NVIDIA's runtime was linked (nvcc's default). When this library is loaded
// before such a program runs (LD_PRELOAD), each function of that runtime is made to jump to ours of
// the same name. The program's symbol table tells where they are; a stripped one stays as it is.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

#include "binary/elf/elf_file.hpp"

namespace {

#ifdef __x86_64__
using warpmem::cudart::ElfFile;

// jmp *(%rip); the target's address follows. No register is touched.
constexpr unsigned char kJump[] = {0xff, 0x25, 0, 0, 0, 0};
constexpr std::size_t kJumpBytes = sizeof kJump + sizeof(void*);
constexpr std::uintptr_t kFunctionAlign = 16;  // compilers leave this much for each function

class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat s {};
    if (file >= 0 && fstat(file, &s) == 0 && s.st_size > 0) {
      bytes_ = static_cast<std::size_t>(s.st_size);
      at_ = mmap(nullptr, bytes_, PROT_READ, MAP_PRIVATE, file, 0);
      if (at_ == MAP_FAILED) at_ = nullptr;
    }
    if (file >= 0) close(file);
  }
  ~MappedFile() {
    if (at_) munmap(at_, bytes_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(at_), at_ ? bytes_ : 0};
  }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

bool redirect(const std::vector<std::pair<std::uintptr_t, void*>>& jumps) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto [low, high] = std::minmax_element(jumps.begin(), jumps.end());
  const std::uintptr_t begin = low->first / page * page;
  const std::uintptr_t end = (high->first + kJumpBytes + page - 1) / page * page;
  auto* code = reinterpret_cast<void*>(begin);
  if (mprotect(code, end - begin, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
  for (const auto& [from, to] : jumps) {
    auto* at = reinterpret_cast<unsigned char*>(from);
    std::memcpy(at, kJump, sizeof kJump);
    std::memcpy(at + sizeof kJump, &to, sizeof to);
  }
  return mprotect(code, end - begin, PROT_READ | PROT_EXEC) == 0;
}

// The program and what it loads at its start. NVIDIA's own libraries are stripped.
int visit(dl_phdr_info* object, std::size_t, void* own) {
  const char* path = object->dlpi_name && *object->dlpi_name ? object->dlpi_name : "/proc/self/exe";
  const char* slash = std::strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  if (std::strncmp(name, "libcudart.so", 12) == 0 || std::strncmp(name, "libcuda.so", 10) == 0)
    return 0;
  const MappedFile file(path);
  const ElfFile elf(file.bytes());
  if (!elf.valid()) return 0;
  std::vector<std::pair<std::uintptr_t, void*>> jumps;
  bool runtime = false;
  for (const auto& f : elf.functions({"cuda", "__cuda"})) {
    void* ours = dlsym(own, f.name.c_str());
    const std::uintptr_t from = object->dlpi_addr + f.address;
    if (!ours || from % kFunctionAlign != 0) continue;
    jumps.emplace_back(from, ours);
    runtime |= f.name == "__cudaRegisterFatBinary";
  }
  if (runtime && !redirect(jumps))
    std::fprintf(
        stderr,
        "warpmem: error: the CUDA runtime within %s cannot be replaced: its code cannot be "
        "written\n",
        path);
  return 0;
}

__attribute__((constructor)) void replace_static_runtimes() {
  Dl_info own;
  if (dladdr(reinterpret_cast<void*>(&replace_static_runtimes), &own) == 0) return;
  void* library = dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  dl_iterate_phdr(visit, library);
  dlclose(library);
}
#endif

}  // namespace
