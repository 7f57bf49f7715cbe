#include "base/tool_run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/errno_kind.hpp"
#include "base/output_file.hpp"

extern char** environ;

namespace warpmem {

namespace {

// Groups of processes that a signal handler can end. What finds no place is not ended.
std::array<std::atomic<pid_t>, 256> g_commands;

std::atomic<pid_t>* remember_command(pid_t group) {
  for (std::atomic<pid_t>& place : g_commands) {
    pid_t none = 0;
    if (place.compare_exchange_strong(none, group)) return &place;
  }
  return nullptr;
}

}  // namespace

TemporaryFile::TemporaryFile(const std::string& ending) {
  const char* folder = std::getenv("TMPDIR");
  path_ =
      std::string(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/warpmem-XXXXXX" + ending;
  descriptor_ = mkostemps(path_.data(), static_cast<int>(ending.size()), O_CLOEXEC);
}

TemporaryFile::~TemporaryFile() {
  if (descriptor_ < 0) return;
  close(descriptor_);
  unlink(path_.c_str());
}

bool TemporaryFile::write_all(std::span<const unsigned char> bytes) const {
  return descriptor_ >= 0 && write_bytes(descriptor_, bytes.data(), bytes.size()) == 0;
}

Result<ToolRun> run_tool(const std::vector<std::string>& command, ToolOutput output,
                         const ToolRules& rules) {
  const auto failure = [&](int code) {
    return Error{kind_of(code, ErrorKind::kEnvironment),
                 command[0] + " could not be started: " + std::strerror(code), "",
                 "check that it is installed, and that you may start processes (ulimit -u)"};
  };
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure(errno);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  if (output == ToolOutput::kBoth) posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  else posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  if (rules.command) {
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes, 0);
  }
  std::vector<char*> arguments, variables;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text(*variable);
    if (!text.starts_with("LD_PRELOAD=") && !text.starts_with("LD_AUDIT=") &&
        !text.starts_with("CUDA_INJECTION64_PATH=")) {
      variables.push_back(*variable);
    }
  }
  variables.push_back(nullptr);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  std::atomic<pid_t>* const place =
      failed == 0 && rules.command ? remember_command(child) : nullptr;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  ToolRun run;
  if (failed == 0) {
    std::array<char, 65536> buffer;
    for (;;) {
      const ssize_t n = read(ends[0], buffer.data(), buffer.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      run.text.append(buffer.data(), static_cast<std::size_t>(n));
      if (run.text.size() > rules.kept) run.text.erase(0, run.text.size() - rules.kept);
    }
    int status = 0;
    pid_t ended = 0;
    // Its number may be another process's once it has been waited for.
    while (waitid(P_PID, static_cast<id_t>(child), nullptr, WEXITED | WNOWAIT) < 0 &&
           errno == EINTR) {
    }
    if (place != nullptr) *place = 0;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    // A program that ignores SIGCHLD has had the status thrown away.
    run.good = ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  close(ends[0]);
  if (failed != 0) return failure(failed);
  return run;
}

void end_commands() {
  for (const std::atomic<pid_t>& group : g_commands)
    if (const pid_t of = group.load(); of > 0) ::kill(-of, SIGTERM);
}

}  // namespace warpmem
