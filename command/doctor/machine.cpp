#include "command/doctor/machine.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <thread>

#include "base/units.hpp"
#include "binary/disassembly/cuda_tools.hpp"
#include "binary/disassembly/tool_cache.hpp"
#include "traces/record/environment.hpp"

namespace warpmem::command {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNoCounters =
    "predictions can't be held against this machine's GPU; they can against profiles from "
    "elsewhere";
constexpr const char* kNoRecording =
    "no program can be recorded here; traces recorded elsewhere replay, and emulate makes them "
    "without a GPU";

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// The rest of the first line that starts with `key`, without the separator and blanks.
std::string field(const std::string& text, const std::string& key) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    const auto value = line.find_first_not_of(": \t", key.size());
    return value == std::string::npos ? "" : line.substr(value);
  }
  return {};
}

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  Tue …" -> "580.159.04".
std::string driver_version() {
  std::istringstream words(field(read_text("/proc/driver/nvidia/version"), "NVRM version"));
  for (std::string word; words >> word;) {
    const bool version = word.find('.') != std::string::npos &&
                         word.find_first_not_of("0123456789.") == std::string::npos;
    if (version) return word;
  }
  return {};
}

std::vector<std::string> gpu_models() {
  std::vector<std::string> models;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    models.push_back(field(read_text(entry.path() / "information"), "Model"));
  }
  std::sort(models.begin(), models.end());
  return models;
}

Check check_memory() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page = sysconf(_SC_PAGE_SIZE);
  const auto bytes = static_cast<std::uint64_t>(std::max(pages, 0L)) *
                     static_cast<std::uint64_t>(std::max(page, 0L));
  return {
      "processor",
      "replay",
      true,
      fmt::format("{} threads, {} memory", std::thread::hardware_concurrency(), byte_size(bytes)),
      "",
      ""};
}

Check check_driver() {
  const std::string version = driver_version();
  return {"driver",
          "record",
          !version.empty(),
          version,
          version.empty() ? "install the NVIDIA driver (Debian: nvidia-driver, non-free)" : "",
          version.empty() ? kNoRecording : ""};
}

Check check_gpu() {
  const std::vector<std::string> models = gpu_models();
  // A container can have the devices without /proc/driver/nvidia/gpus.
  const bool device = fs::exists("/dev/nvidia0");
  std::string found = fmt::format("{}", fmt::join(models, ", "));
  if (found.empty() && device) found = "/dev/nvidia0";
  return {"GPU",
          "record",
          !found.empty(),
          found,
          found.empty() ? "none is visible: in a container start it with --gpus all; without a "
                          "GPU, replay traces recorded elsewhere"
                        : "",
          found.empty() ? kNoRecording : ""};
}

// With RmProfilingAdminOnly at 1 only root (CAP_SYS_ADMIN) may read hardware counters.
Check check_counters() {
  Check check{"counters", "validate/collect", false, "", "", kNoCounters};
  const std::string admin_only =
      field(read_text("/proc/driver/nvidia/params"), "RmProfilingAdminOnly");
  if (admin_only.empty()) {
    check.fix = "needs the NVIDIA driver";
  } else if (admin_only == "0") {
    check.ok = true, check.cost.clear();
    check.found = "open to every user";
  } else if (geteuid() == 0) {
    check.ok = true, check.cost.clear();
    check.found = "administrators only, and this is root";
  } else {
    check.fix =
        "run as root, or set the module option NVreg_RestrictProfilingToAdminUsers=0 "
        "and reload the driver";
  }
  return check;
}

// The library that `record` loads into programs, and the Compute Sanitizer beneath it.
Check check_recorder() {
  const auto files = record::find_recorder_files();
  if (files) return {"recorder", "record", true, files->recorder, "", ""};
  return {"recorder",
          "record",
          false,
          "",
          fmt::format("{}: {}", files.error().message, files.error().fix),
          kNoRecording};
}

// What nvdisasm and ptxas made in earlier runs.
Check check_kept() {
  const auto cache = record::ToolCache::of_user();
  const record::ToolCache::Size size = cache.size();
  const std::string found =
      cache.folder().empty()
          ? "turned off"
          : fmt::format("{} entries, {} of at most {} in {}; WARPMEM_CACHE=off turns it off",
                        size.entries, byte_size(size.bytes),
                        byte_size(record::ToolCache::kMostBytes), cache.folder());
  return {"cache", "emulate: machine code", true, found, "", ""};
}

Check check_tool(const std::string& name, const std::string& purpose, const std::string& fix,
                 const std::string& cost) {
  const std::string path = find_tool(name);
  if (!path.empty()) return {name, purpose, true, path, "", ""};
  return {name, purpose, false, "", fix, cost};
}

}  // namespace

std::string find_tool(const std::string& name) {
  if (name == "nvcc") return record::find_nvcc_file();
  if (name == "ptxas") return record::find_cuda_tool(name, "WARPMEM_PTXAS");
  if (name == "nvdisasm") return record::find_cuda_tool(name, "WARPMEM_NVDISASM");
  const std::vector<std::string> files = record::cuda_tool_files(name);
  return files.empty() ? "" : files.front();
}

std::vector<Check> check_machine() {
  const std::string toolkit = "install the CUDA Toolkit and put its bin folder on PATH";
  return {
      check_memory(),
      check_driver(),
      check_gpu(),
      check_counters(),
      check_recorder(),
      check_tool("nvcc", "emulate, kernels/, recorder", toolkit,
                 "emulate runs programs that are built already, and no .cu files; the kernels of "
                 "kernels/ and the recorder can't be built"),
      check_tool("compute-sanitizer", "record", toolkit, kNoRecording),
      check_tool("ptxas", "emulate: code of PTX", record::kGetPtxas,
                 "a program that has PTX alone runs as PTX (level ptx), with the compiler's order "
                 "of loads, registers and spills unknown, and cycles so much the worse"),
      check_tool(
          "nvdisasm", "emulate: machine code",
          fmt::format("{}; without it emulate runs PTX, and its traces are of level ptx, not sass",
                      record::kGetNvdisasm),
          "machine code can't be read: programs run as PTX (level ptx); requests and sectors of "
          "global memory stay right, cycles, spills and what the compiler joins do not"),
      check_kept(),
      check_tool("ncu", "validate/collect",
                 "install Nsight Compute (part of the CUDA Toolkit) and put it on PATH",
                 kNoCounters),
      check_tool("sbatch", "explore --jobs slurm",
                 "install Slurm (Debian: slurm-wlm), or go to a machine of the cluster",
                 "sweeps run on this machine, or by hand on several (explore --shard)"),
  };
}

}  // namespace warpmem::command
