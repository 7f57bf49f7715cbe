// NVRTC, as far as it would make machine code: the emulator runs PTX. `warpmem emulate` loads this
// library before NVRTC where a program needs both; a program that compiles for a real GPU (sm_90)
// then gets PTX for it (compute_90) where it asks for the cubin, and loads that as it would have
// the cubin.
#include <dlfcn.h>

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "emulate/cudart/driver_calls.hpp"

namespace {

constexpr int kInternalError = 11;

struct Programs {
  std::mutex mutex;
  std::set<void*> as_ptx;  // compiled for a real GPU
};
Programs& programs() {
  static auto* all = new Programs;
  return *all;
}
bool is_as_ptx(void* program) {
  const std::lock_guard lock(programs().mutex);
  return programs().as_ptx.contains(program);
}

template <class F>
F next(const char* name) {
  return reinterpret_cast<F>(dlsym(RTLD_NEXT, name));
}

// "--gpu-architecture=sm_90" -> "--gpu-architecture=compute_90"
bool to_virtual(std::string& option) {
  const std::size_t at = option.rfind("sm_");
  const bool starts = at == 0 || (at != std::string::npos && option[at - 1] == '=');
  if (!starts || (at != 0 && option.find("arch") == std::string::npos)) return false;
  option.replace(at, 2, "compute");
  return true;
}

}  // namespace

extern "C" {

int nvrtcCompileProgram(void* program, int count, const char* const* options) {
  const auto real = next<int (*)(void*, int, const char* const*)>("nvrtcCompileProgram");
  if (!real) return kInternalError;
  std::vector<std::string> words;
  bool changed = false;
  for (int i = 0; i < count; ++i) {
    words.emplace_back(options[i]);
    changed |= to_virtual(words.back());
  }
  std::vector<const char*> pointers;
  for (const std::string& w : words) pointers.push_back(w.c_str());
  {
    const std::lock_guard lock(programs().mutex);
    if (changed) programs().as_ptx.insert(program);
    else programs().as_ptx.erase(program);
  }
  return real(program, count, pointers.data());
}
int nvrtcGetCUBINSize(void* program, std::size_t* bytes) {
  const auto real = next<int (*)(void*, std::size_t*)>(is_as_ptx(program) ? "nvrtcGetPTXSize"
                                                                          : "nvrtcGetCUBINSize");
  return real ? real(program, bytes) : kInternalError;
}
int nvrtcGetCUBIN(void* program, char* code) {
  const auto real =
      next<int (*)(void*, char*)>(is_as_ptx(program) ? "nvrtcGetPTX" : "nvrtcGetCUBIN");
  return real ? real(program, code) : kInternalError;
}

}  // extern "C"
