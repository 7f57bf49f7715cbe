#include "base/tool_run.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/errno_kind.hpp"
#include "base/output_file.hpp"

extern char** environ;

namespace warpmem {

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

Result<ToolRun> run_tool(const std::vector<std::string>& command, ToolOutput output) {
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
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data());
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
    }
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
    }
    // A program that ignores SIGCHLD has had the status thrown away.
    run.good = ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  close(ends[0]);
  if (failed != 0) return failure(failed);
  return run;
}

}  // namespace warpmem
