#include "binary/fatbin/program_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <sstream>

#include "base/run_files.hpp"
#include "binary/elf/elf_file.hpp"
#include "binary/fatbin/fat_binary.hpp"

namespace warpmem::cudart {
namespace {

namespace fs = std::filesystem;

// NVIDIA's libraries of kernels: their PTX, if any, is for GPUs newer than those they were made
// for. Of cuBLAS and cuRAND there are some of our own (libraries/).
bool has_own_kernels(std::string_view library) {
  for (const std::string_view name : {"libcublasLt", "libcufft", "libcusparse", "libcusolver",
                                      "libcudnn", "libcutensor", "libnpp", "libnvjpeg", "libnccl"})
    if (library.starts_with(name)) return true;
  return false;
}

void read_dynamic(const ElfFile& elf, const std::vector<Elf64_Shdr>& sections, ProgramFile& out) {
  for (const Elf64_Shdr& s : sections) {
    if (s.sh_type != SHT_DYNAMIC || s.sh_link >= sections.size()) continue;
    const std::uint64_t strings = sections[s.sh_link].sh_offset;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= s.sh_size; at += sizeof(Elf64_Dyn)) {
      const auto entry = elf.at<Elf64_Dyn>(s.sh_offset + at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_RPATH) out.fixed_path = true;
      if (entry->d_tag != DT_NEEDED) continue;
      const std::string needed = elf.text(strings + entry->d_un.d_val);
      if (needed.starts_with("libcudart.so")) out.cudart = needed;
      if (needed.starts_with("libnvrtc.so")) out.compiles = true;
      if (has_own_kernels(needed)) out.libraries.push_back(needed);
    }
  }
}

// A runtime that was linked in: the version by the names that only it has.
std::string runtime_within(const ElfFile& elf) {
  std::set<std::string> names;
  for (ElfFunction& f : elf.functions({"cuda", "__cudaRegisterFatBinary"}))
    names.insert(std::move(f.name));
  if (!names.contains("__cudaRegisterFatBinary") || !names.contains("cudaLaunchKernel")) return "";
  if (names.contains("cudaGetDeviceProperties_v2")) return "libcudart.so.12";
  return names.contains("cudaBindTexture") ? "libcudart.so.11" : "libcudart.so.13";
}

// Machine code for a GPU that has functions. nvcc links an empty one into every program, also into
// those that load all their kernels while they run (driver API, NVRTC).
bool has_functions(const FatEntry& entry) {
  const auto code = unpack_machine_code(entry);
  if (!code) return true;
  const ElfFile elf(std::as_bytes(std::span(*code)));
  if (!elf.valid()) return true;
  return std::ranges::any_of(elf.sections(), [](const Elf64_Shdr& section) {
    return section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_EXECINSTR) != 0;
  });
}

// Containers stand in the section one behind the other, each at a multiple of 8 bytes.
void read_device_code(std::span<const std::byte> bytes, ProgramFile& out,
                      std::set<std::string>& machine_code) {
  for (std::size_t at = 0; at + 16 <= bytes.size();) {
    auto size = container_bytes(bytes.data() + at);
    if (!size || *size > bytes.size() - at) {
      at += 8;
      continue;
    }
    if (auto entries = read_fat_binary(bytes.subspan(at, *size))) {
      for (const FatEntry& e : *entries) {
        if (e.kind == FatEntry::Kind::kMachineCode && !has_functions(e)) continue;
        out.has_device_code = true;
        if (e.kind == FatEntry::Kind::kPtx) out.has_ptx = true;
        if (e.kind == FatEntry::Kind::kMachineCode)
          machine_code.insert(fmt::format("sm_{}", e.architecture));
      }
    }
    at += (*size + 7) / 8 * 8;
  }
}

}  // namespace

Result<ProgramFile> read_program_file(const std::string& path) {
  std::ifstream in = open_to_read(path);
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    return Error{ErrorKind::kUsage, "the program cannot be read", path,
                 "check the path and its permissions"};
  ProgramFile out;
  const std::string bytes = std::move(text).str();
  const ElfFile elf(std::as_bytes(std::span(bytes)));
  if (!elf.valid()) return out;
  out.elf = true;
  const std::vector<Elf64_Shdr> sections = elf.sections();
  read_dynamic(elf, sections, out);
  if (out.cudart.empty()) {
    out.cudart = runtime_within(elf);
    out.linked_in = !out.cudart.empty();
  }
  std::set<std::string> machine_code;
  for (const Elf64_Shdr& s : sections) {
    const std::string name = elf.name(s);
    if (name == ".nv_fatbin" || name == "__nv_relfatbin")
      read_device_code(elf.bytes_of(s), out, machine_code);
  }
  out.machine_code.assign(machine_code.begin(), machine_code.end());
  return out;
}

Result<void> check_program_file(const ProgramFile& program, const std::string& path,
                                const std::string& cc) {
  if (!program.elf || !program.has_device_code) return {};
  if (program.cudart.empty())
    return Error{
        ErrorKind::kUsage,
        "the CUDA runtime is linked into the program and its symbols are stripped, so that "
        "it cannot be replaced",
        path,
        "do not strip it, or link it with: nvcc -cudart shared (CMake: set_property(TARGET … "
        "PROPERTY "
        "CUDA_RUNTIME_LIBRARY Shared))"};
  if (program.cudart != "libcudart.so.12" && program.cudart != "libcudart.so.13")
    return Error{ErrorKind::kUsage,
                 fmt::format("the program is linked against {}; CUDA 12 and 13 can be emulated",
                             program.cudart),
                 path, "build it with a newer toolkit"};
  if (program.has_ptx) return {};
  std::string what;
  for (const std::string& m : program.machine_code) what += (what.empty() ? "" : ", ") + m;
  return Error{ErrorKind::kUsage,
               fmt::format("the program has no PTX, only machine code for {}", what), path,
               fmt::format("build it with: nvcc -gencode arch=compute_{0},code=compute_{0}", cc)};
}

std::optional<Error> about_libraries(const ProgramFile& program, const std::string& path) {
  std::string names;
  for (const std::string& l : program.libraries) names += (names.empty() ? "" : ", ") + l;
  if (names.empty()) return std::nullopt;
  return Error{
      ErrorKind::kUsage,
      fmt::format("the program uses {}, which brings its kernels as machine code: its calls "
                  "fail here, the program's own kernels run",
                  names),
      path, "record on a GPU what it does in the library"};
}

std::string find_command(const std::string& name) {
  const auto runs = [](const fs::path& file) {
    std::error_code none;
    return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return runs(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (const fs::path file = fs::path(folder.empty() ? "." : folder) / name; runs(file))
      return file;
  return "";
}

}  // namespace warpmem::cudart
