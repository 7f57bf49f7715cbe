// nvJitLink: links PTX, or what is between source and PTX (LTO-IR), to machine code.
#include <cstring>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "binary/cubin/kept_ptx.hpp"
#include "emulate/cudart/hooks.hpp"
#include "emulate/cudart/ptx_link.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

WARPMEM_REAL(nvJitLinkCreate, void**, unsigned, const char**)
WARPMEM_REAL(nvJitLinkDestroy, void**)
WARPMEM_REAL(nvJitLinkAddData, void*, int, const void*, std::size_t, const char*)
WARPMEM_REAL(nvJitLinkAddFile, void*, int, const char*)
WARPMEM_REAL(nvJitLinkComplete, void*)
WARPMEM_REAL(nvJitLinkGetLinkedCubinSize, void*, std::size_t*)
WARPMEM_REAL(nvJitLinkGetLinkedCubin, void*, void*)
WARPMEM_REAL(nvJitLinkGetLinkedPtxSize, void*, std::size_t*)
WARPMEM_REAL(nvJitLinkGetLinkedPtx, void*, char*)

namespace {

// nvJitLinkInputType
constexpr int kPtx = 2, kAny = 10;

struct Input {
  int type;
  std::string bytes, name;
};
struct Link {
  std::vector<std::string> options;
  std::vector<Input> inputs;
  std::vector<unsigned char> both;  // what is given out, once it was asked for
};
struct Links {
  std::mutex mutex;
  std::unordered_map<void*, Link> all;
};
Links& links() {
  static auto* all = new Links;
  return *all;
}

bool is_text(const Input& input) {
  return input.type == kPtx ||
         (input.type == kAny && input.bytes.find(".version") != input.bytes.npos &&
          input.bytes[0] != '\177');
}

// All that was linked, where each part is PTX or has it.
std::optional<std::string> text_of_parts(const Link& link) {
  std::vector<PtxUnit> units;
  for (const Input& input : link.inputs) {
    if (is_text(input)) {
      units.push_back({input.name, input.bytes.c_str()});
      continue;
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(input.bytes.data());
    auto kept = record::kept_ptx({bytes, input.bytes.size()});
    if (!kept) return std::nullopt;
    units.push_back({input.name, std::move(kept->ptx)});
  }
  if (units.size() == 1) return std::move(units[0].text);
  auto linked = units.empty() ? Result<std::string>(std::string()) : link_ptx(units);
  return linked && !linked->empty() ? std::optional(std::move(*linked)) : std::nullopt;
}

// The same link once more, asked for PTX.
std::optional<std::string> text_of_link(int copy, const Link& link) {
  std::vector<const char*> options;
  for (const std::string& word : link.options) options.push_back(word.c_str());
  options.push_back("-ptx");
  void* handle = nullptr;
  if (nvJitLinkCreate_real(copy)(&handle, static_cast<unsigned>(options.size()), options.data()) !=
      0)
    return std::nullopt;
  int status = 0;
  for (const Input& input : link.inputs)
    if (status == 0)
      status = nvJitLinkAddData_real(copy)(handle, input.type, input.bytes.data(),
                                           input.bytes.size(), input.name.c_str());
  if (status == 0) status = nvJitLinkComplete_real(copy)(handle);
  std::size_t bytes = 0;
  if (status == 0) status = nvJitLinkGetLinkedPtxSize_real(copy)(handle, &bytes);
  std::string text(bytes, '\0');
  if (status == 0 && bytes != 0) status = nvJitLinkGetLinkedPtx_real(copy)(handle, text.data());
  nvJitLinkDestroy_real(copy)(&handle);
  if (status != 0 || bytes == 0) return std::nullopt;
  return std::string(text.c_str());
}

std::string ptxas_options(const Link& link) {
  std::string out;
  for (const std::string& word : link.options) {
    const std::string_view w(word);
    std::string one;
    if (w.starts_with("-maxrregcount=")) one = word;
    else if (w.starts_with("-Xptxas=")) one = w.substr(8);
    else if (w == "-g" || (w.starts_with("-O") && w.size() == 3)) one = word;
    if (!one.empty()) out += (out.empty() ? "" : " ") + one;
  }
  return out;
}

// The machine code with its PTX. The lock is held.
const std::vector<unsigned char>& with_its_ptx(int copy, void* handle) {
  Link& link = links().all[handle];
  if (!link.both.empty()) return link.both;
  std::size_t bytes = 0;
  if (nvJitLinkGetLinkedCubinSize_real(copy)(handle, &bytes) != 0 || bytes == 0) return link.both;
  std::vector<unsigned char> code(bytes);
  if (nvJitLinkGetLinkedCubin_real(copy)(handle, code.data()) != 0) return link.both;
  auto text = text_of_parts(link);
  if (!text) text = text_of_link(copy, link);
  if (text)
    if (auto both = record::keep_ptx(code, {*text, "", ptxas_options(link)}); both)
      code = std::move(*both);
  link.both = std::move(code);
  return link.both;
}

template <int copy>
int nvJitLinkCreate_hook(void** handle, unsigned count, const char** options) {
  const int status = nvJitLinkCreate_real(copy)(handle, count, options);
  if (status != 0 || !handle) return status;
  const std::lock_guard lock(links().mutex);
  links().all[*handle] = Link{{options, options + count}, {}, {}};
  return status;
}
template <int copy>
int nvJitLinkDestroy_hook(void** handle) {
  if (handle) {
    const std::lock_guard lock(links().mutex);
    links().all.erase(*handle);
  }
  return nvJitLinkDestroy_real(copy)(handle);
}
template <int copy>
int nvJitLinkAddData_hook(void* handle, int type, const void* data, std::size_t bytes,
                          const char* name) {
  const int status = nvJitLinkAddData_real(copy)(handle, type, data, bytes, name);
  if (status != 0 || !data) return status;
  const std::lock_guard lock(links().mutex);
  links().all[handle].inputs.push_back(
      {type, std::string(static_cast<const char*>(data), bytes), name ? name : ""});
  return status;
}
template <int copy>
int nvJitLinkAddFile_hook(void* handle, int type, const char* path) {
  const int status = nvJitLinkAddFile_real(copy)(handle, type, path);
  if (status != 0 || !path) return status;
  std::ifstream in(path, std::ios::binary);
  const std::lock_guard lock(links().mutex);
  links().all[handle].inputs.push_back(
      {type, std::string(std::istreambuf_iterator<char>(in), {}), path});
  return status;
}
template <int copy>
int nvJitLinkGetLinkedCubinSize_hook(void* handle, std::size_t* bytes) {
  const int status = nvJitLinkGetLinkedCubinSize_real(copy)(handle, bytes);
  const std::lock_guard lock(links().mutex);
  if (status == 0 && bytes && *bytes != 0)
    if (const auto& both = with_its_ptx(copy, handle); !both.empty()) *bytes = both.size();
  return status;
}
template <int copy>
int nvJitLinkGetLinkedCubin_hook(void* handle, void* code) {
  const std::lock_guard lock(links().mutex);
  const auto& both = with_its_ptx(copy, handle);
  if (both.empty() || !code) return nvJitLinkGetLinkedCubin_real(copy)(handle, code);
  std::memcpy(code, both.data(), both.size());
  return 0;
}

}  // namespace

WARPMEM_HOOK(nvJitLinkCreate, (void** handle, unsigned count, const char** options),
             (handle, count, options))
WARPMEM_HOOK(nvJitLinkDestroy, (void** handle), (handle))
WARPMEM_HOOK(nvJitLinkAddData,
             (void* handle, int type, const void* data, std::size_t bytes, const char* name),
             (handle, type, data, bytes, name))
WARPMEM_HOOK(nvJitLinkAddFile, (void* handle, int type, const char* path), (handle, type, path))
WARPMEM_HOOK(nvJitLinkGetLinkedCubinSize, (void* handle, std::size_t* bytes), (handle, bytes))
WARPMEM_HOOK(nvJitLinkGetLinkedCubin, (void* handle, void* code), (handle, code))
