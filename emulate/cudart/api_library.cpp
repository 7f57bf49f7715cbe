// Device code that a program loads while it runs: PTX text or a fat binary.
#include <fmt/format.h>

#include <cstring>
#include <fstream>
#include <span>
#include <sstream>

#include "binary/cubin/cubin.hpp"
#include "binary/cubin/kept_ptx.hpp"
#include "binary/disassembly/cuda_tools.hpp"
#include "binary/fatbin/fat_binary.hpp"
#include "emulate/cudart/jit.hpp"
#include "emulate/cudart/launch.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

struct Libraries {
  std::unordered_set<Module*> alive;
  std::deque<FatBinaryWrapper> wrappers;  // made for fat binaries given without one
  std::deque<std::string> files;
};
Libraries& libraries() {
  static auto* all = new Libraries;
  return *all;
}

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kFatMagic = 0xBA55ED50;

// The kernels of a module, which is read now.
Code open(Runtime& r, Module* module, Module** out) {
  auto loaded = Runtime::registry().load(*module, r.memory, r.device().cc());
  if (!loaded) {
    r.session.note_error(loaded.error());
    return loaded.error().kind == ErrorKind::kUsage ? kNoKernelImage : kInvalidPtx;
  }
  for (const emulate::Function& f : (*loaded)->module().functions)
    if (f.is_entry) Runtime::registry().add_function(module, nullptr, std::string(f.name));
  libraries().alive.insert(module);
  *out = module;
  return kSuccess;
}

// Why machine code alone cannot be run, and what would help.
Error no_text(std::span<const unsigned char> cubin, const std::string& name) {
  std::string kernels;
  std::size_t more = 0;
  if (const auto parsed = record::parse_cubin(cubin); parsed)
    for (const record::CubinFunction& f : parsed->functions) {
      if (!f.kernel) continue;
      if (kernels.size() > 200) ++more;
      else kernels += (kernels.empty() ? "" : ", ") + emulate::demangled(f.name);
    }
  if (more > 0) kernels += fmt::format(" and {} more", more);
  const bool asked = Runtime::registry().level() == emulate::CodeLevel::kPtx;
  return {
      asked ? ErrorKind::kUsage : ErrorKind::kEnvironment,
      fmt::format("the program loads machine code (a cubin) without PTX{}, and {}",
                  kernels.empty() ? "" : ", with the kernels " + kernels,
                  asked ? "--level ptx runs PTX alone" : "no nvdisasm was found, which reads it"),
      name, asked ? "leave out --level ptx" : record::kGetNvdisasm};
}

// CUDA's rule: a GPU of the same major compute capability, not older; sm_90a on 9.0 alone, sm_100f
// within the family.
bool runs_on(const std::string& arch, std::uint32_t cc) {
  const auto number = static_cast<std::uint32_t>(arch.size() > 3 ? std::atoi(arch.c_str() + 3) : 0);
  return number / 10 == cc / 10 && (arch.ends_with('a') ? number == cc : number <= cc);
}

// Machine code, and the PTX that it was made of if that is kept in it (binary/cubin/kept_ptx.hpp).
Code load_machine_code(Runtime& r, const void* code, const std::string& name, Module** out) {
  const std::span<const unsigned char> cubin(static_cast<const unsigned char*>(code),
                                             record::elf_bytes(code));
  auto kept = record::kept_ptx(cubin);
  if (!kept && !runs_machine_code(r))
    return r.session.note_error(no_text(cubin, name)), kNoKernelImage;
  const auto parsed = record::parse_cubin(cubin);
  if (!parsed) return r.session.note_error(parsed.error()), kInvalidKernelImage;
  if (!runs_on(parsed->arch, emulate::code_capability(r.device().cc()))) {
    r.session.note_error(
        {ErrorKind::kUsage,
         fmt::format("its machine code is for {}, which compute capability {}.{} does not run",
                     parsed->arch, r.device().major, r.device().minor),
         name, "compile for the card, or emulate another with --gpu"});
    return kNoKernelImage;
  }
  Module* const module =
      Runtime::registry().add_text(kept ? std::move(kept->ptx) : std::string(), name);
  if (kept) module->options = emulate::code_options(kept->options);
  module->cubin.assign(cubin.begin(), cubin.end());
  return open(r, module, out);
}

Code load(Runtime& r, const void* code, const std::string& name, std::vector<std::string> options,
          Module** out) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, code, sizeof magic);
  if (magic == kWrapperMagic)
    return open(r, Runtime::registry().add_module(static_cast<const FatBinaryWrapper*>(code), name),
                out);
  if (magic == kFatMagic) {
    // The program may free it after this call, and it is looked into again later.
    const auto size = container_bytes(static_cast<const std::byte*>(code));
    if (!size) return r.session.note_error(size.error()), kInvalidKernelImage;
    libraries().files.emplace_back(static_cast<const char*>(code), *size);
    const FatBinaryWrapper w{
        static_cast<int>(kWrapperMagic), 1,
        reinterpret_cast<const unsigned char*>(libraries().files.back().data()), nullptr};
    libraries().wrappers.push_back(w);
    return open(r, Runtime::registry().add_module(&libraries().wrappers.back(), name), out);
  }
  const auto* text = static_cast<const char*>(code);
  if (std::memcmp(text, "\177ELF", 4) == 0) return load_machine_code(r, code, name, out);
  Module* const module = Runtime::registry().add_text(text, name);
  module->options = std::move(options);
  module->parts = parts_of(module->ptx);
  return open(r, module, out);
}

template <class F>
Code with_library(Module* library, F&& body) {
  return api([&](Runtime& r) {
    return libraries().alive.contains(library) ? body(r, *library) : kInvalidResourceHandle;
  });
}

Code variable(Runtime& r, Module& library, const char* name, void** pointer, std::size_t* bytes) {
  if (!name) return kInvalidValue;
  const auto& named = library.loaded->module().variable_named;
  const auto at = named.find(name);
  if (at == named.end()) return kSymbolNotFound;
  auto memory =
      Runtime::registry().locate(Symbol{&library, name, nullptr}, r.memory, r.device().cc());
  if (!memory) return kSymbolNotFound;
  if (pointer) *pointer = reinterpret_cast<void*>(memory->address);
  if (bytes) *bytes = memory->bytes;
  return kSuccess;
}

}  // namespace

extern "C" {

int cudaLibraryLoadData(Module** out, const void* code, int* options, void** values, unsigned count,
                        int*, void**, unsigned) {
  return api([&](Runtime& r) {
    if (!out || !code) return kInvalidValue;
    return load(r, code, "a library the program loads",
                JitOptions(count, options, values).of_ptxas(), out);
  });
}
int cudaLibraryLoadFromFile(Module** out, const char* path, int*, void**, unsigned, int*, void**,
                            unsigned) {
  return api([&](Runtime& r) {
    if (!out || !path) return kInvalidValue;
    std::ifstream in(path, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    constexpr int kFileNotFound = 301;
    if (!in) return static_cast<Code>(kFileNotFound);
    libraries().files.push_back(std::move(text).str());
    return libraries().files.back().size() < 4
               ? kInvalidKernelImage
               : load(r, libraries().files.back().data(), path, {}, out);
  });
}
int cudaLibraryUnload(Module* library) {
  return with_library(library, [](Runtime&, Module& m) {
    libraries().alive.erase(&m);
    Runtime::registry().remove_module(&m);
    return kSuccess;
  });
}
int cudaLibraryGetKernel(Function** kernel, Module* library, const char* name) {
  return with_library(library, [&](Runtime&, Module& m) {
    if (!kernel || !name) return kInvalidValue;
    for (Function* f : m.functions)
      if (f->name == name) return *kernel = f, kSuccess;
    return kSymbolNotFound;
  });
}
int cudaLibraryGetKernelCount(unsigned* count, Module* library) {
  return with_library(library, [&](Runtime&, Module& m) {
    return count ? (*count = static_cast<unsigned>(m.functions.size()), kSuccess) : kInvalidValue;
  });
}
int cudaLibraryEnumerateKernels(Function** kernels, unsigned count, Module* library) {
  return with_library(library, [&](Runtime&, Module& m) {
    if (!kernels) return kInvalidValue;
    for (unsigned i = 0; i < count && i < m.functions.size(); ++i) kernels[i] = m.functions[i];
    return kSuccess;
  });
}
int cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, Module* library, const char* name) {
  return with_library(library,
                      [&](Runtime& r, Module& m) { return variable(r, m, name, pointer, bytes); });
}
int cudaLibraryGetManaged(void** pointer, std::size_t* bytes, Module* library, const char* name) {
  return cudaLibraryGetGlobal(pointer, bytes, library, name);
}

}  // extern "C"
