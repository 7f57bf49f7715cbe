#include "command/occupancy/code.hpp"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>

#include "base/run_files.hpp"
#include "base/tool_run.hpp"
#include "binary/cubin/cubin.hpp"
#include "binary/disassembly/cuda_tools.hpp"
#include "binary/elf/elf_file.hpp"
#include "binary/fatbin/fat_binary.hpp"

namespace warpmem::command {
namespace {

using cudart::ElfFile;
using cudart::FatEntry;
using cudart::kOldestCode;
using Bytes = std::vector<unsigned char>;

constexpr std::uint16_t kCudaMachine = 190;  // EM_CUDA

std::string dotted(unsigned capability) {
  return fmt::format("{}.{}", capability / 10, capability % 10);
}

std::string readable(const std::string& name) {
  int status = 0;
  char* text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string out = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return out;
}

std::vector<CodeKernel> kernels_of(const record::Cubin& cubin) {
  std::vector<CodeKernel> out;
  for (const record::CubinFunction& f : cubin.functions)
    if (f.kernel)
      out.push_back(
          {f.name, readable(f.name), f.registers, f.static_shared, f.local_bytes, {}, {}});
  return out;
}

// "    0 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads", behind "Function
// properties for NAME", as ptxas -v prints.
void read_spills(std::string_view said, CodeKernel& kernel) {
  const std::string head = "Function properties for " + kernel.name + "\n";
  const std::size_t at = said.find(head);
  if (at == said.npos) return;
  const std::string_view line =
      said.substr(at + head.size(), said.find('\n', at + head.size()) - at - head.size());
  const auto number_before = [&](std::string_view words) -> std::optional<std::uint64_t> {
    std::size_t end = line.find(words);
    if (end == line.npos) return std::nullopt;
    std::size_t begin = end;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(line[begin - 1]))) --begin;
    if (begin == end) return std::nullopt;
    return std::strtoull(std::string(line.substr(begin, end - begin)).c_str(), nullptr, 10);
  };
  kernel.spill_stores = number_before(" bytes spill stores");
  kernel.spill_loads = number_before(" bytes spill loads");
}

Error no_tool(const char* tool, const char* variable) {
  return {
      ErrorKind::kEnvironment,
      fmt::format("this code has to be compiled, and no {} was found", tool), "",
      fmt::format("install the CUDA toolkit, or name one in {}; or give --registers and --shared "
                  "instead of the code",
                  variable)};
}

Result<Bytes> read_file(const std::string& path) {
  std::ifstream in = open_to_read(path);
  Bytes bytes{std::istreambuf_iterator<char>(in), {}};
  if (in.is_open() && !in.bad() && !bytes.empty()) return bytes;
  return Error{ErrorKind::kUsage, "the file cannot be read, or is empty", path,
               "name a program, a cubin, PTX (.ptx) or CUDA source (.cu)"};
}

// Containers stand one behind the other in a program's section, each at a multiple of 8 bytes.
void read_containers(std::span<const std::byte> bytes, std::vector<FatEntry>& out) {
  for (std::size_t at = 0; at + 16 <= bytes.size();) {
    auto size = cudart::container_bytes(bytes.data() + at);
    if (!size || *size > bytes.size() - at) {
      at += 8;
      continue;
    }
    if (auto entries = cudart::read_fat_binary(bytes.subspan(at, *size)))
      out.insert(out.end(), entries->begin(), entries->end());
    at += (*size + 7) / 8 * 8;
  }
}

Result<std::string> compile_source(const std::string& path, unsigned capability) {
  const std::string nvcc = record::find_nvcc_file();
  if (nvcc.empty()) return no_tool("nvcc", "NVCC");
  const TemporaryFile out(".ptx");
  auto ran = run_tool({nvcc, "-ptx", "-O3", "-std=c++17",
                       fmt::format("-arch=compute_{}", capability), path, "-o", out.path()},
                      ToolOutput::kBoth);
  if (!ran) return ran.error();
  std::ifstream in(out.path());
  std::string ptx{std::istreambuf_iterator<char>(in), {}};
  if (ran->good && !ptx.empty()) return ptx;
  return Error{ErrorKind::kUsage,
               "nvcc could not compile it: " + ran->text.substr(0, ran->text.find('\n')), path,
               "compile it to PTX or to a program with the options that it needs, and give that"};
}

struct Compiled {
  Bytes cubin;
  std::string said, arch;
};

Result<Compiled> assemble(const std::string& ptx, const std::string& arch,
                          std::uint64_t max_registers) {
  const std::string ptxas = record::find_cuda_tool("ptxas", "WARPMEM_PTXAS");
  if (ptxas.empty()) return no_tool("ptxas", "WARPMEM_PTXAS");
  const TemporaryFile in, out;
  if (!in.write_all({reinterpret_cast<const unsigned char*>(ptx.data()), ptx.size()}))
    return Error{ErrorKind::kResources, "PTX could not be written to " + in.path(), "",
                 "make room there, or set TMPDIR"};
  std::vector<std::string> command{ptxas, "-arch=" + arch, "-m64", "-v"};
  if (max_registers > 0) command.push_back(fmt::format("-maxrregcount={}", max_registers));
  for (const std::string& word : {in.path(), std::string("-o"), out.path()})
    command.push_back(word);
  auto ran = run_tool(command, ToolOutput::kBoth);
  if (!ran) return ran.error();
  std::ifstream file(out.path(), std::ios::binary);
  Compiled made{{std::istreambuf_iterator<char>(file), {}}, ran->text, arch};
  if (ran->good && !made.cubin.empty()) return made;
  std::string first = ran->text;
  if (const std::size_t at = first.find("error"); at != first.npos) first = first.substr(at);
  return Error{
      ErrorKind::kEnvironment,
      fmt::format("ptxas makes no code for {} of it: {}", arch, first.substr(0, first.find('\n'))),
      "", "name another ptxas in WARPMEM_PTXAS, or give PTX for an older compute capability"};
}

}  // namespace

struct OccupancyCode::State {
  std::string path;
  Bytes bytes;
  std::vector<FatEntry> entries;       // of a program; they refer to `bytes`
  std::optional<record::Cubin> cubin;  // of a cubin
  std::string ptx;                     // of a PTX file
  bool source = false;                 // CUDA source

  Result<std::vector<record::Cubin>> machine_code(unsigned capability, unsigned& of) const;
  Result<std::vector<std::string>> ptx_for(unsigned capability, std::string& said) const;
};

// The machine code in the file that the GPU loads, of each object of a program; none: PTX is
// compiled.
Result<std::vector<record::Cubin>> OccupancyCode::State::machine_code(unsigned capability,
                                                                      unsigned& of) const {
  std::vector<record::Cubin> out;
  if (cubin) {
    of = static_cast<unsigned>(std::strtoul(
        cubin->arch.c_str() + std::min<std::size_t>(3, cubin->arch.size()), nullptr, 10));
    if (of / 10 == capability / 10 && of <= capability) return std::vector{*cubin};
    return Error{ErrorKind::kUsage,
                 fmt::format("machine code for {} does not run on compute capability {}",
                             cubin->arch, dotted(capability)),
                 path, "give the PTX, the program or the source that it was made of"};
  }
  const FatEntry* best = cudart::choose_machine_code(entries, capability);
  if (!best) return out;
  of = best->architecture;
  for (const FatEntry& e : entries) {
    if (e.kind != FatEntry::Kind::kMachineCode || e.architecture != of || e.exact != best->exact)
      continue;
    auto code = cudart::unpack_machine_code(e);
    if (!code) return code.error();
    auto parsed =
        record::parse_cubin({reinterpret_cast<const unsigned char*>(code->data()), code->size()});
    if (!parsed) return parsed.error();
    if (std::ranges::any_of(parsed->functions, [](const auto& f) { return f.kernel; }))
      out.push_back(std::move(*parsed));
  }
  return out;
}

// The PTX that the driver would compile for the GPU, or, where all is for newer ones, the oldest.
Result<std::vector<std::string>> OccupancyCode::State::ptx_for(unsigned capability,
                                                               std::string& said) const {
  const unsigned asked = std::max(capability, kOldestCode);
  if (source) {
    auto made = compile_source(path, asked);
    if (!made) return made.error();
    said = fmt::format("compiled for compute capability {}", dotted(asked));
    return std::vector{*made};
  }
  if (!ptx.empty()) {
    said = fmt::format("PTX for {}", cudart::ptx_target(ptx));
    return std::vector{ptx};
  }
  const FatEntry* best = cudart::choose_ptx(entries, capability);
  if (!best) best = cudart::choose_newer_ptx(entries, capability);
  std::vector<std::string> out;
  if (!best) return out;
  said = fmt::format("PTX for {}", dotted(best->architecture));
  for (const FatEntry& e : entries) {
    if (e.kind != FatEntry::Kind::kPtx || e.architecture != best->architecture ||
        e.exact != best->exact)
      continue;
    auto text = cudart::unpack_ptx(e);
    if (!text) return text.error();
    if (text->find(".entry") != text->npos) out.push_back(std::move(*text));
  }
  return out;
}

OccupancyCode::OccupancyCode(std::unique_ptr<State> state) : state_(std::move(state)) {}
OccupancyCode::OccupancyCode(OccupancyCode&&) noexcept = default;
OccupancyCode& OccupancyCode::operator=(OccupancyCode&&) noexcept = default;
OccupancyCode::~OccupancyCode() = default;

Result<OccupancyCode> OccupancyCode::open(const std::string& path) {
  auto bytes = read_file(path);
  if (!bytes) return bytes.error();
  auto state = std::make_unique<State>();
  state->path = path;
  state->bytes = std::move(*bytes);
  const std::span<const std::byte> all = std::as_bytes(std::span(state->bytes));
  const ElfFile elf(all);
  if (path.ends_with(".cu")) {
    state->source = true;
  } else if (path.ends_with(".ptx")) {
    state->ptx.assign(state->bytes.begin(), state->bytes.end());
  } else if (elf.valid() && elf.at<Elf64_Ehdr>(0)->e_machine == kCudaMachine) {
    auto cubin = record::parse_cubin(state->bytes);
    if (!cubin) {
      Error e = cubin.error();
      e.place = path;
      return e;
    }
    state->cubin = std::move(*cubin);
  } else if (elf.valid()) {
    for (const Elf64_Shdr& s : elf.sections())
      if (const std::string name = elf.name(s); name == ".nv_fatbin" || name == "__nv_relfatbin")
        read_containers(elf.bytes_of(s), state->entries);
  } else {
    read_containers(all, state->entries);  // a .fatbin file
  }
  if (!state->source && state->ptx.empty() && !state->cubin && state->entries.empty())
    return Error{ErrorKind::kUsage, "there is no GPU code in it", path,
                 "name a program that nvcc built, a cubin, PTX (.ptx) or CUDA source (.cu)"};
  return OccupancyCode(std::move(state));
}

Result<CodeForGpu> OccupancyCode::for_gpu(unsigned capability, std::uint64_t max_registers) const {
  CodeForGpu out;
  if (max_registers == 0 && !state_->source && state_->ptx.empty()) {
    unsigned of = 0;
    auto code = state_->machine_code(capability, of);
    if (!code) return code.error();
    for (const record::Cubin& c : *code)
      for (CodeKernel& k : kernels_of(c)) out.kernels.push_back(std::move(k));
    out.said = fmt::format("machine code for {} in the file", dotted(of));
    if (!out.kernels.empty()) return out;
  }
  if (state_->cubin)
    return Error{ErrorKind::kUsage, "a cubin cannot be compiled with other limits: it has no PTX",
                 state_->path, "give the PTX, the program or the source that it was made of"};
  std::string said;
  auto texts = state_->ptx_for(capability, said);
  if (!texts) return texts.error();
  if (texts->empty())
    return Error{ErrorKind::kUsage,
                 fmt::format("it has no code that compute capability {} could load, and no PTX",
                             dotted(capability)),
                 state_->path, "build it with PTX: nvcc -gencode arch=compute_75,code=compute_75"};
  // Before the oldest that ptxas makes code for, that code with the registers that the GPU has.
  const bool old = capability < kOldestCode;
  const std::uint64_t most = most_thread_registers(capability);
  std::uint64_t limit = max_registers;
  if (old && most < most_thread_registers(kOldestCode))
    limit = limit == 0 ? most : std::min(limit, most);
  for (const std::string& text : *texts) {
    const std::string target = cudart::ptx_target(text);
    const bool exact =
        !target.empty() && std::isalpha(static_cast<unsigned char>(target.back())) != 0;
    std::string arch = fmt::format("sm_{}", std::max(capability, kOldestCode));
    if (exact && target.starts_with(arch)) arch = target;
    auto made = assemble(text, arch, limit);
    if (!made) return made.error();
    auto parsed = record::parse_cubin(made->cubin);
    if (!parsed) return parsed.error();
    for (CodeKernel& k : kernels_of(*parsed)) {
      read_spills(made->said, k);
      out.kernels.push_back(std::move(k));
    }
  }
  out.said = said + fmt::format(", assembled for {}", dotted(std::max(capability, kOldestCode)));
  if (old)
    out.said +=
        limit > 0
            ? fmt::format(
                  ": no ptxas of CUDA 13 makes code for {}; with at most {} registers a thread",
                  dotted(capability), limit)
            : fmt::format(": no ptxas of CUDA 13 makes code for {}", dotted(capability));
  return out;
}

}  // namespace warpmem::command
