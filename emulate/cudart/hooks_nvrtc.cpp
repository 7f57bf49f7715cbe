// NVRTC: it makes PTX on its way to machine code, and gives out both.
#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/cubin/kept_ptx.hpp"
#include "emulate/cudart/hooks.hpp"

using namespace warpmem;

WARPMEM_REAL(nvrtcCompileProgram, void*, int, const char* const*)
WARPMEM_REAL(nvrtcDestroyProgram, void**)
WARPMEM_REAL(nvrtcGetCUBINSize, void*, std::size_t*)
WARPMEM_REAL(nvrtcGetCUBIN, void*, char*)
WARPMEM_REAL(nvrtcGetPTXSize, void*, std::size_t*)
WARPMEM_REAL(nvrtcGetPTX, void*, char*)

namespace {

struct Programs {
  std::mutex mutex;
  std::unordered_map<void*, std::string> options;
};
Programs& programs() {
  static auto* all = new Programs;
  return *all;
}

// Of NVRTC's options those that its ptxas gets.
std::string ptxas_options(int count, const char* const* options) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::string_view word(options[i]);
    std::string one;
    const auto value = [&](std::string_view name) {
      if (word == name && i + 1 < count) return std::string_view(options[i + 1]);
      return word.starts_with(name) && word.size() > name.size() && word[name.size()] == '='
                 ? word.substr(name.size() + 1)
                 : std::string_view();
    };
    if (word == "-G" || word == "--device-debug") one = "-g";
    for (const char* name : {"-maxrregcount", "--maxrregcount"})
      if (const auto v = value(name); !v.empty()) one = "-maxrregcount=" + std::string(v);
    for (const char* name : {"-Xptxas", "--ptxas-options"})
      if (const auto v = value(name); !v.empty()) one = v;
    if (!one.empty()) out += (out.empty() ? "" : " ") + one;
  }
  return out;
}

// The option that keeps source lines, where nothing is said of them: no instruction changes by it.
// What is optimised when it is linked takes none.
bool wants_lines(int count, const char* const* options) {
  for (int i = 0; i < count; ++i) {
    const std::string_view word(options[i]);
    for (const char* name :
         {"-lineinfo", "--generate-line-info", "-G", "--device-debug", "-dlto", "--dlink-time-opt"})
      if (word == name) return false;
  }
  return true;
}

// The machine code with its PTX; empty: there is none, or NVRTC says no.
std::vector<unsigned char> with_its_ptx(int copy, void* program) {
  std::size_t code_bytes = 0, text_bytes = 0;
  if (nvrtcGetCUBINSize_real(copy)(program, &code_bytes) != 0 || code_bytes == 0) return {};
  std::vector<unsigned char> code(code_bytes);
  if (nvrtcGetCUBIN_real(copy)(program, reinterpret_cast<char*>(code.data())) != 0) return {};
  if (nvrtcGetPTXSize_real(copy)(program, &text_bytes) != 0 || text_bytes == 0) return code;
  std::string text(text_bytes, '\0');
  if (nvrtcGetPTX_real(copy)(program, text.data()) != 0) return code;
  std::string options;
  {
    const std::lock_guard lock(programs().mutex);
    options = programs().options[program];
  }
  auto both = record::keep_ptx(code, {text.c_str(), "", options});
  return both ? std::move(*both) : code;
}

template <int copy>
int nvrtcCompileProgram_hook(void* program, int count, const char* const* options) {
  {
    const std::lock_guard lock(programs().mutex);
    programs().options[program] = options ? ptxas_options(count, options) : "";
  }
  std::vector<const char*> words(options, options ? options + count : options);
  if (wants_lines(static_cast<int>(words.size()), words.data())) words.push_back("-lineinfo");
  return nvrtcCompileProgram_real(copy)(program, static_cast<int>(words.size()), words.data());
}
template <int copy>
int nvrtcDestroyProgram_hook(void** program) {
  if (program) {
    const std::lock_guard lock(programs().mutex);
    programs().options.erase(*program);
  }
  return nvrtcDestroyProgram_real(copy)(program);
}
template <int copy>
int nvrtcGetCUBINSize_hook(void* program, std::size_t* bytes) {
  const int status = nvrtcGetCUBINSize_real(copy)(program, bytes);
  if (status == 0 && bytes && *bytes != 0) *bytes = with_its_ptx(copy, program).size();
  return status;
}
template <int copy>
int nvrtcGetCUBIN_hook(void* program, char* code) {
  const std::vector<unsigned char> both = with_its_ptx(copy, program);
  if (both.empty() || !code) return nvrtcGetCUBIN_real(copy)(program, code);
  std::memcpy(code, both.data(), both.size());
  return 0;
}

}  // namespace

WARPMEM_HOOK(nvrtcCompileProgram, (void* program, int count, const char* const* options),
             (program, count, options))
WARPMEM_HOOK(nvrtcDestroyProgram, (void** program), (program))
WARPMEM_HOOK(nvrtcGetCUBINSize, (void* program, std::size_t* bytes), (program, bytes))
WARPMEM_HOOK(nvrtcGetCUBIN, (void* program, char* code), (program, code))
