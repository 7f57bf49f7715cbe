#include "emulate/toolkit/toolkit.hpp"

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "base/residency.hpp"
#include "base/tool_run.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/cuda_tools.hpp"
#include "binary/disassembly/tool_cache.hpp"
#include "binary/fatbin/fat_binary.hpp"

namespace warpmem::emulate {
namespace fs = std::filesystem;

namespace {

// A machine that has run out of something is no toolkit that lacks something.
Error failure(const Error& error) {
  if (error.kind == ErrorKind::kResources) return error;
  return {ErrorKind::kEnvironment, error.message, "", "name another ptxas in WARPMEM_PTXAS"};
}

Error failure(const std::string& what) {
  return {ErrorKind::kEnvironment, what, "", "name another ptxas in WARPMEM_PTXAS"};
}

// What of ptxas's output is kept: all that it depends on but the PTX is in the command.
std::optional<record::ToolKey> key_of(const std::string& ptxas, std::string_view ptx,
                                      const std::string& arch,
                                      const std::vector<std::string>& options) {
  std::string words = "ptxas -arch=" + arch;
  for (const std::string& word : options) words += " " + word;
  return record::tool_key(ptxas, words,
                          {reinterpret_cast<const unsigned char*>(ptx.data()), ptx.size()});
}

std::optional<Cubin> kept_code(const std::optional<record::ToolKey>& key) {
  const auto found = key ? record::ToolCache::of_user().find(*key) : std::nullopt;
  return found ? std::optional(Cubin(found->begin(), found->end())) : std::nullopt;
}

// Of objects that ptxas made with -c.
Result<Cubin> link_objects(const std::string& nvlink, const std::vector<Cubin>& objects,
                           const std::string& arch) {
  if (nvlink.empty())
    return Error{ErrorKind::kEnvironment, "no nvlink was found", "", "name one in WARPMEM_NVLINK"};
  std::vector<std::string> command{nvlink, "-arch=" + arch, "-m64"};
  std::deque<TemporaryFile> files;
  for (const Cubin& object : objects) {
    const auto& file = files.emplace_back(".cubin");  // others it passes over
    if (!file.write_all(object))
      return failure("machine code could not be written to " + file.path());
    command.push_back(file.path());
  }
  const fs::path toolkit = fs::path(nvlink).parent_path().parent_path();
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib"})
    if (const fs::path library = toolkit / folder / "libcudadevrt.a"; fs::exists(library)) {
      command.push_back(library);
      break;
    }
  const TemporaryFile out;
  command.emplace_back("-o"), command.push_back(out.path());
  auto ran = run_tool(command, ToolOutput::kBoth);
  if (!ran) return failure(ran.error());
  std::ifstream file(out.path(), std::ios::binary);
  Cubin code{std::istreambuf_iterator<char>(file), {}};
  if (!ran->good || code.empty())
    return failure(nvlink + " made no machine code: " + ran->text.substr(0, ran->text.find('\n')));
  return code;
}

}  // namespace

Toolkit find_toolkit() {
  return {record::find_cuda_tool("ptxas", "WARPMEM_PTXAS"),
          record::find_cuda_tool("nvdisasm", "WARPMEM_NVDISASM"),
          record::find_cuda_tool("nvlink", "WARPMEM_NVLINK")};
}

Result<std::string> find_nvdisasm() {
  std::string found = record::find_cuda_tool("nvdisasm", "WARPMEM_NVDISASM");
  if (found.empty())
    return Error{ErrorKind::kEnvironment, "no nvdisasm was found, which reads machine code", "",
                 record::kGetNvdisasm};
  if (::access(found.c_str(), X_OK) != 0)
    return Error{ErrorKind::kEnvironment,
                 fmt::format("WARPMEM_NVDISASM names '{}', which cannot be run", found), "",
                 "correct it, or unset it"};
  return found;
}

Result<Resources> resources_of(const Cubin& code, const std::string& kernel) {
  auto parsed = record::parse_cubin(code);
  if (!parsed) return parsed.error();
  const record::CubinFunction* f = parsed->find(kernel);
  if (f == nullptr)
    return Error{ErrorKind::kEnvironment,
                 fmt::format("its machine code has no kernel '{}'", kernel), "", ""};
  return Resources{f->registers, f->static_shared, f->local_bytes};
}

record::ToolVersion made_by(const Cubin& code) {
  return record::tool_version_in({reinterpret_cast<const char*>(code.data()), code.size()});
}

void take_ptxas_of(const Cubin& code, Toolkit& toolkit) {
  const record::ToolVersion version = made_by(code);
  if (version == record::ToolVersion{} || std::getenv("WARPMEM_PTXAS") != nullptr) return;
  for (const record::CudaTool& tool : record::cuda_tools("ptxas"))
    if (tool.version == version) toolkit.ptxas = tool.path;
}

Result<PtxasAnswer> try_assembling(const std::string& ptxas, std::string_view ptx,
                                   const std::string& arch,
                                   const std::vector<std::string>& options) {
  const TemporaryFile in, out;
  if (!in.write_all({reinterpret_cast<const unsigned char*>(ptx.data()), ptx.size()}))
    return failure("the PTX could not be written to " + in.path());
  std::vector<std::string> command{ptxas, "-arch=" + arch, "-m64"};
  command.insert(command.end(), options.begin(), options.end());
  for (const std::string& word : {in.path(), std::string("-o"), out.path()})
    command.push_back(word);
  auto ran = run_tool(command, ToolOutput::kBoth);
  if (!ran) return failure(ran.error());
  std::ifstream file(out.path(), std::ios::binary);
  Cubin code{std::istreambuf_iterator<char>(file), {}};
  const bool good = ran->good && !code.empty();
  if (const auto key = good ? key_of(ptxas, ptx, arch, options) : std::nullopt)
    record::ToolCache::of_user().keep(*key,
                                      {reinterpret_cast<const char*>(code.data()), code.size()});
  return PtxasAnswer{std::move(ran->text), good, std::move(code)};
}

Result<Cubin> assemble(const std::string& ptxas, std::string_view ptx, const std::string& arch,
                       const std::vector<std::string>& options) {
  if (auto kept = kept_code(key_of(ptxas, ptx, arch, options))) return std::move(*kept);
  auto said = try_assembling(ptxas, ptx, arch, options);
  if (!said) return said.error();
  if (!said->good)
    return failure(ptxas + " made no machine code: " + said->text.substr(0, said->text.find('\n')));
  return std::move(said->code);
}

bool is_kept(const std::string& ptxas, std::string_view ptx, const std::string& arch,
             const std::vector<std::string>& options) {
  return kept_code(key_of(ptxas, ptx, arch, options)).has_value();
}

std::vector<std::string> with_lines(std::vector<std::string> options, std::string_view ptx) {
  if (ptx.find(".loc") != ptx.npos) options.emplace_back("-lineinfo");
  return options;
}

Result<Cubin> assemble_and_link(const Toolkit& toolkit, const std::vector<DeviceObject>& objects,
                                const std::string& arch) {
  std::vector<Cubin> made;
  for (const DeviceObject& object : objects) {
    if (!object.code.empty()) {
      made.push_back(object.code);
      continue;
    }
    std::vector<std::string> options = object.options;
    options.emplace_back("-c");
    auto code = assemble(toolkit.ptxas, object.ptx, arch, options);
    if (!code) return code.error();
    made.push_back(std::move(*code));
  }
  return link_objects(toolkit.nvlink, made, arch);
}

bool assembles(const std::string& ptxas, const std::string& arch) {
  static std::map<std::pair<std::string, std::string>, bool> known;
  const auto [at, first] = known.try_emplace({ptxas, arch}, true);
  if (!first) return at->second;
  constexpr std::string_view kNothing =
      ".version 6.0\n.target sm_30\n.address_size 64\n.visible .entry nothing() { ret; }\n";
  const auto said = try_assembling(ptxas, kNothing, arch, {});
  at->second = said && (said->good || said->text.find("gpu-name") == said->text.npos);
  return at->second;
}

std::vector<std::string> code_options(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == text.npos) break;
    at = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, at - begin);
    if (word != "--generate-line-info" && word != "-lineinfo" && !word.starts_with("-arch") &&
        !word.starts_with("--gpu-name") && word != "-m64" && word != "-v" && word != "--verbose")
      words.emplace_back(word);
  }
  return words;
}

CodeTarget code_target(const Toolkit& toolkit, const std::string& target, std::uint32_t cc) {
  CodeTarget out{assembled_arch(target, cc), {}, {}};
  constexpr std::uint32_t kOldest = cudart::kOldestCode;
  if (cc >= kOldest || toolkit.ptxas.empty() || assembles(toolkit.ptxas, out.arch)) return out;
  const std::uint64_t most = most_thread_registers(cc);
  out.arch = fmt::format("sm_{}", kOldest);
  if (most < most_thread_registers(kOldest))
    out.options.push_back(fmt::format("-maxrregcount={}", most));
  out.stand_in = fmt::format(
      "machine code of compute capability {}.{}, which this ptxas does not make: registers and "
      "shared memory are those "
      "of 7.5, with at most {} registers a thread and as many as let a CTA run",
      cc / 10, cc % 10, most);
  return out;
}

std::string stands_in_for(std::uint32_t cc) {
  return fmt::format(
      "machine code of compute capability {}.{}, which no tool makes or reads: what ran is that of "
      "{}.{}",
      cc / 10, cc % 10, cudart::kOldestCode / 10, cudart::kOldestCode % 10);
}

std::string assembled_arch(const std::string& target, std::uint32_t cc) {
  if (!target.empty() && std::isalpha(static_cast<unsigned char>(target.back()))) return target;
  return "sm_" + std::to_string(cc);
}

}  // namespace warpmem::emulate
