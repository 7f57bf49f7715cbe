#include "emulate/cudart/jit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

#include "base/printable.hpp"
#include "emulate/cudart/errors.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::cudart {
namespace {

// CUjit_option
constexpr int kMaxRegisters = 0, kWallTime = 2, kInfoLog = 3, kInfoLogBytes = 4, kErrorLog = 5,
              kErrorLogBytes = 6, kOptimisation = 7, kLogVerbose = 12, kCacheMode = 14;

// "sm_90a", the first that it is for.
std::string target_of(std::string_view ptx) {
  const std::size_t at = ptx.find(".target");
  if (at == ptx.npos) return "";
  const std::size_t begin = std::min(ptx.find_first_not_of(" \t", at + 7), ptx.size());
  return std::string(ptx.substr(begin, ptx.find_first_of(", \t\r\n", begin) - begin));
}

// What ptxas said in the driver's words, which has a name of its own for the text, wherever it came
// from. How long it took is no two times the same, and left out.
std::string as_driver(std::string said) {
  constexpr std::string_view kBegin = "ptxas /", kName = "application ptx input";
  std::string out;
  if (const std::size_t at = said.find(kBegin), end = said.find(", line ", at);
      at != said.npos && end != said.npos) {
    const std::string path = said.substr(at + kBegin.size() - 1, end - at - kBegin.size() + 1);
    for (std::size_t p = 0; (p = said.find(path, p)) != said.npos; p += kName.size())
      said.replace(p, path.size(), kName);
  }
  for (std::size_t at = 0; at < said.size();) {
    const std::size_t end = std::min(said.find('\n', at), said.size());
    std::string line = said.substr(at, end - at);
    at = end + 1;
    if (line.find("Compile time =") != line.npos || line.empty()) continue;
    if (line.starts_with(' ')) line = "ptxas         . " + line;
    if (!out.empty()) out += '\n';
    out += line;
  }
  return out;
}

}  // namespace

const std::string_view kLinked = "// what cuLinkComplete made\n";
const char* const kUnknownImage = "error   : Binary format for key='0', ident='' is not recognized";

JitOptions::JitOptions(unsigned count, const int* options, void** values) {
  if (!options || !values) return;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<std::uintptr_t>(values[i]);
    const auto small = static_cast<unsigned>(number);
    switch (options[i]) {
      case kInfoLog: info_.buffer = static_cast<char*>(values[i]); break;
      case kErrorLog: error_.buffer = static_cast<char*>(values[i]); break;
      case kInfoLogBytes: info_.size = values + i, info_.room = small; break;
      case kErrorLogBytes: error_.size = values + i, error_.room = small; break;
      case kLogVerbose: verbose_ = number != 0; break;
      case kMaxRegisters:
        if (small > 0) words_.push_back(fmt::format("-maxrregcount={}", small));
        break;
      case kOptimisation:
        if (small < 4) words_.push_back(fmt::format("-O{}", small));
        break;
      case kCacheMode:
        if (small == 1 || small == 2) words_.push_back(small == 1 ? "-dlcm=cg" : "-dlcm=ca");
        break;
      case kWallTime: values[i] = nullptr; break;  // 0.0f milliseconds
      default: break;
    }
  }
}

void JitOptions::Log::fill(const std::string& text) const {
  if (!size) return;
  if (const std::size_t bytes = std::min(text.size() + 1, room); buffer && bytes > 0)
    std::memcpy(buffer, text.c_str(), bytes - 1), buffer[bytes - 1] = 0;
  *size = reinterpret_cast<void*>(std::min(text.size(), room));
}

void JitOptions::write(const std::string& error, const std::string& info) const {
  error_.fill(error), info_.fill(info);
}

int compile(std::string_view ptx, std::uint32_t cc, const std::string& called,
            const JitOptions& options, bool part) {
  options.write("", "");
  const std::string target = target_of(ptx);
  const int number = target.size() > 3 ? std::atoi(target.c_str() + 3) : 0;
  const emulate::Toolkit tools = emulate::find_toolkit();
  if (tools.ptxas.empty() || ptx.starts_with(kLinked) || number > static_cast<int>(cc))
    return kSuccess;
  std::vector<std::string> words = emulate::with_lines(options.of_ptxas(), ptx);
  if (options.verbose()) words.push_back("-v");
  // What kernels call to launch kernels is part of this runtime.
  if (part || ptx.find("cudaCDP2") != ptx.npos) words.push_back("-c");
  const std::string arch = emulate::assembled_arch(target, cc);
  if (!options.verbose() && emulate::is_kept(tools.ptxas, ptx, arch, words)) return kSuccess;
  auto said = emulate::try_assembling(tools.ptxas, ptx, arch, words);
  if (!said) return kSuccess;  // there is no answer
  const std::string text = as_driver(said->text);
  if (said->good) return options.write("", text), kSuccess;
  if (text.find("fatal") == text.npos && text.find("error") == text.npos)
    return kSuccess;  // it is none
  // This ptxas is old, or too new to know the card; and the driver lets kernels have as much shared
  // memory as there is.
  for (const char* fine :
       {"Unsupported .version", "uses too much shared data", "option 'gpu-name'"})
    if (text.find(fine) != text.npos) return kSuccess;
  options.write(text, "");
  std::fputs(fmt::format(
                 "warpmem: error: {}: ptxas refuses it:\n  {}\n  fix: the call fails, as on a GPU; "
                 "correct the PTX at that line\n",
                 called, printable(text.substr(0, text.find('\n'))))
                 .c_str(),
             stderr);
  return kInvalidPtx;
}

namespace {

std::unordered_map<std::string, std::vector<emulate::DeviceObject>>& linked_parts() {
  static auto* all = new std::unordered_map<std::string, std::vector<emulate::DeviceObject>>;
  return *all;
}

}  // namespace

void remember_parts(const std::string& linked, std::vector<emulate::DeviceObject> parts) {
  linked_parts()[linked] = std::move(parts);
}

std::vector<emulate::DeviceObject> parts_of(const std::string& linked) {
  const auto at = linked_parts().find(linked);
  return at == linked_parts().end() ? std::vector<emulate::DeviceObject>{} : at->second;
}

}  // namespace warpmem::cudart
