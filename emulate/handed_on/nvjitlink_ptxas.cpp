// A ptxas that is nvJitLink (the library that WARPMEM_EMULATE_NVJITLINK names): for PTX that no
// ptxas of the machine's knows, as nvJitLink of the same version has the same compiler in it.
//   nvjitlink-ptxas -arch=sm_90 OPTIONS in.ptx -o out.cubin
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void* g_library;

template <class... P>
int call(const char* name, P... parameters) {
  auto* const function = reinterpret_cast<int (*)(P...)>(dlsym(g_library, name));
  if (!function)
    std::fprintf(stderr, "nvjitlink-ptxas: fatal: the library has no %s\n", name), std::exit(1);
  return function(parameters...);
}

int fail(void* handle) {
  std::size_t bytes = 0;
  std::string text;
  if (handle && call("nvJitLinkGetErrorLogSize", handle, &bytes) == 0) {
    text.resize(bytes);
    call("nvJitLinkGetErrorLog", handle, text.data());
  }
  std::fprintf(stderr, "nvjitlink-ptxas: fatal: %s\n", text.c_str());
  return 1;
}

}  // namespace

int main(int count, char** words) {
  const char* const library = std::getenv("WARPMEM_EMULATE_NVJITLINK");
  g_library = library ? dlopen(library, RTLD_NOW) : nullptr;
  if (!g_library) {
    std::fputs(
        "nvjitlink-ptxas: fatal: WARPMEM_EMULATE_NVJITLINK names no library that can be loaded\n",
        stderr);
    return 1;
  }
  std::string input, output;
  std::vector<const char*> options;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "-o" && i + 1 < count) output = words[++i];
    else if (!word.starts_with('-')) input = word;
    else if (word == "-lineinfo" || word == "-g" || word.starts_with("-arch=") ||
             word.starts_with("-maxrregcount=") || (word.starts_with("-O") && word.size() == 3))
      options.push_back(words[i]);
  }
  std::ifstream in(input, std::ios::binary);
  const std::string ptx{std::istreambuf_iterator<char>(in), {}};
  void* handle = nullptr;
  constexpr int kPtx = 2;
  if (call("nvJitLinkCreate", &handle, static_cast<unsigned>(options.size()), options.data()) != 0)
    return fail(handle);
  if (call("nvJitLinkAddData", handle, kPtx, static_cast<const void*>(ptx.c_str()), ptx.size() + 1,
           "in.ptx") != 0 ||
      call("nvJitLinkComplete", handle) != 0)
    return fail(handle);
  std::size_t bytes = 0;
  if (call("nvJitLinkGetLinkedCubinSize", handle, &bytes) != 0) return fail(handle);
  std::vector<char> code(bytes);
  if (call("nvJitLinkGetLinkedCubin", handle, static_cast<void*>(code.data())) != 0)
    return fail(handle);
  std::ofstream out(output, std::ios::binary | std::ios::trunc);
  return out.write(code.data(), static_cast<std::streamsize>(code.size())) ? 0 : 1;
}
