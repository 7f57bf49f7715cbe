// Device code that a program loads while it runs: PTX text or a fat binary.
#include <cstring>
#include <fstream>
#include <sstream>

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

// The kernels of a module; its PTX is read now.
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

Code load(Runtime& r, const void* code, const std::string& name, Module** out) {
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
  if (std::memcmp(text, "\177ELF", 4) == 0) {
    r.session.note_error({ErrorKind::kUsage,
                          "the program loads machine code (a cubin), which cannot be emulated",
                          name, "load PTX or a fat binary with PTX in it"});
    return kNoKernelImage;
  }
  return open(r, Runtime::registry().add_text(text, name), out);
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
    const Code done = load(r, code, "a library the program loads", out);
    if (done == kSuccess) (*out)->options = JitOptions(count, options, values).of_ptxas();
    return done;
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
               : load(r, libraries().files.back().data(), path, out);
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
