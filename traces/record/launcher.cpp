#include "traces/record/launcher.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "base/errno_kind.hpp"
#include "traces/format/reader.hpp"

extern char** environ;

namespace warpmem::record {
namespace {

namespace fs = std::filesystem;

// A private folder for the status file; removed at the end.
class StatusFolder {
 public:
  StatusFolder() {
    const char* base = std::getenv("TMPDIR");
    path_ = std::string(base != nullptr && *base != 0 ? base : "/tmp") + "/warpmem-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~StatusFolder() {
    std::error_code none;
    if (!path_.empty()) fs::remove_all(path_, none);
  }
  StatusFolder(const StatusFolder&) = delete;
  StatusFolder& operator=(const StatusFolder&) = delete;
  bool ok() const { return !path_.empty(); }
  std::string file() const { return path_ + "/status"; }

 private:
  std::string path_;
};

std::vector<std::string> variables_for(const RecordOptions& options, const RecorderFiles& files) {
  std::vector<std::string> result;
  for (const auto& [name, value] : to_environment(options)) result.push_back(name + "=" + value);
  result.push_back("CUDA_INJECTION64_PATH=" + files.recorder);
  result.push_back("WARPMEM_SANITIZER_LIBRARY=" + files.sanitizer);
  result.push_back("WARPMEM_NVDISASM=" + files.nvdisasm);
  return result;
}

// This process's environment with the variables in it; none of ours that it had before.
std::vector<std::string> environment_with(const std::vector<std::string>& variables) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto replaced = [&](const std::string& variable) {
      return text.substr(0, text.find('=')) == std::string_view(variable).substr(0, variable.find('='));
    };
    if (text.starts_with("WARPMEM_RECORD_") || text.starts_with("WARPMEM_EMULATE_")) continue;
    if (std::none_of(variables.begin(), variables.end(), replaced)) result.emplace_back(text);
  }
  result.insert(result.end(), variables.begin(), variables.end());
  return result;
}

volatile sig_atomic_t g_child = 0;

// While the program runs, the terminal's signals are its business; a polite end is passed on.
class SignalsOfAParent {
 public:
  SignalsOfAParent() {
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGINT, &ignore, &interrupt_);
    sigaction(SIGQUIT, &ignore, &quit_);
    struct sigaction pass_on {};
    pass_on.sa_handler = [](int signal) {
      if (g_child != 0) kill(static_cast<pid_t>(g_child), signal);
    };
    sigaction(SIGTERM, &pass_on, &terminate_);
    sigaction(SIGHUP, nullptr, &hang_up_);
    if (hang_up_.sa_handler != SIG_IGN) sigaction(SIGHUP, &pass_on, nullptr);  // nohup
  }
  ~SignalsOfAParent() {
    sigaction(SIGINT, &interrupt_, nullptr);
    sigaction(SIGQUIT, &quit_, nullptr);
    sigaction(SIGTERM, &terminate_, nullptr);
    sigaction(SIGHUP, &hang_up_, nullptr);
  }
  SignalsOfAParent(const SignalsOfAParent&) = delete;
  SignalsOfAParent& operator=(const SignalsOfAParent&) = delete;

 private:
  struct sigaction interrupt_, quit_, terminate_, hang_up_;
};

Error cannot_start(const std::string& program, int error) {
  return {kind_of(error, ErrorKind::kUsage),
          fmt::format("the program '{}' cannot be started: {}", program, std::strerror(error)), "",
          error == ENOENT   ? "check the path; a program in this folder is written ./program"
          : error == EAGAIN ? "allow more processes (ulimit -u)"
                            : "check that it is a program and that you may run it"};
}

Result<int> wait_status_of(const std::vector<std::string>& command,
                           std::vector<std::string>& environment) {
  std::vector<char*> arguments, variables;
  for (const std::string& word : command)
    arguments.push_back(const_cast<char*>(word.c_str()));
  for (std::string& entry : environment) variables.push_back(entry.data());
  arguments.push_back(nullptr);
  variables.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int signal : {SIGINT, SIGQUIT, SIGTERM, SIGXFSZ}) sigaddset(&defaults, signal);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const SignalsOfAParent signals;
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], nullptr, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  if (error != 0) return cannot_start(command[0], error);
  g_child = child;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  g_child = 0;
  return status;
}

// What a process that never came to its end left behind.
void look_at_partial(RecordedProcess& process) {
  std::error_code none;
  if (!process.sealed) process.output += ".partial";
  process.bytes = fs::file_size(process.output, none);
  if (none) process.bytes = 0;
  if (process.sealed) return;
  trace::OpenOptions options;
  options.allow_partial = true;
  if (auto reader = trace::TraceReader::open(process.output, options)) {
    process.launches = reader->launches().size();
    process.records = reader->quality().records;
    process.lost = reader->quality().lost;
  }
}

std::uint64_t number(const std::string& text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace

RecordReport parse_status(const std::string& text) {
  RecordReport report;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    for (std::size_t at = 0; at <= line.size();) {
      const std::size_t end = std::min(line.find('\t', at), line.size());
      fields.push_back(line.substr(at, end - at));
      at = end + 1;
    }
    if (fields[0] == "loaded") report.used_cuda = true;
    if ((fields[0] != "begin" && fields[0] != "end") || fields.size() < 8) continue;
    const auto pid = static_cast<long>(number(fields[1]));
    RecordedProcess* process = nullptr;
    for (RecordedProcess& known : report.processes) {
      if (known.pid == pid) process = &known;
    }
    if (process == nullptr) process = &report.processes.emplace_back();
    process->pid = pid;
    process->output = fields[2];
    process->launches = number(fields[3]);
    process->records = number(fields[4]);
    process->lost = number(fields[5]);
    process->busy_seconds = static_cast<double>(number(fields[6])) * 1e-6;
    process->sealed = fields[7] == "1";
    process->ended = fields[0] == "end";
  }
  return report;
}

Result<void> check_program(const RecordOptions& options) {
  if (options.command.empty()) {
    return Error{ErrorKind::kUsage, "no program was given", "",
                 "write it behind --: warpmem record -- ./app arguments"};
  }
  const std::string& program = options.command[0];
  int error = ENOENT;
  const auto can_run = [&](const fs::path& file) {
    std::error_code none;
    if (!fs::exists(file, none)) return false;
    error = EACCES;
    return fs::is_regular_file(file, none) && access(file.c_str(), X_OK) == 0;
  };
  if (program.find('/') != std::string::npos) {
    if (can_run(program)) return {};
    return cannot_start(program, error);
  }
  const char* variable = std::getenv("PATH");
  std::istringstream folders(variable == nullptr ? "" : variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (can_run(fs::path(folder.empty() ? "." : folder) / program)) return {};
  }
  return cannot_start(program, error);
}

Result<RecordReport> run_recorder(const RecordOptions& wanted, const RecorderFiles& files) {
  RecordOptions options = wanted;
  std::error_code none;
  options.output = fs::absolute(options.output, none);  // the program may change its folder
  if (!options.times.empty()) options.times = fs::absolute(options.times, none);
  return run_watched(options.command, variables_for(options, files), "WARPMEM_RECORD_STATUS");
}

Result<RecordReport> run_watched(const std::vector<std::string>& command,
                                 const std::vector<std::string>& variables,
                                 const std::string& status_variable) {
  const StatusFolder folder;
  if (!folder.ok()) {
    return Error{ErrorKind::kResources,
                 fmt::format("no temporary folder: {}", std::strerror(errno)), "",
                 "set TMPDIR to a folder that can be written"};
  }
  std::vector<std::string> environment = environment_with(variables);
  environment.push_back(status_variable + "=" + folder.file());
  const auto start = std::chrono::steady_clock::now();
  auto status = wait_status_of(command, environment);
  if (!status) return status.error();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;

  std::ifstream file(folder.file());
  std::stringstream text;
  text << file.rdbuf();
  RecordReport report = parse_status(text.str());
  report.text = text.str();
  report.seconds = took.count();
  report.signal = WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
  report.status = report.signal != 0 ? 128 + report.signal : WEXITSTATUS(*status);
  for (RecordedProcess& process : report.processes) look_at_partial(process);
  return report;
}

}  // namespace warpmem::record
