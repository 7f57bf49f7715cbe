#include "emulate/cudart/compile.hpp"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/errno_kind.hpp"
#include "binary/disassembly/cuda_tools.hpp"
#include "binary/fatbin/program_file.hpp"

extern char** environ;

namespace warpmem::cudart {
namespace {

bool names_architecture(const std::string& word) {
  for (const char* option : {"-arch", "--gpu-architecture", "-gencode", "--generate-code"})
    if (word == option || word.starts_with(std::string(option) + "=")) return true;
  return false;
}

}  // namespace

Result<std::string> find_nvcc() {
  if (const char* set = std::getenv("NVCC"); set && *set) {
    if (std::string found = find_command(set); !found.empty()) return found;
    return Error{ErrorKind::kEnvironment, fmt::format("NVCC names '{}', which cannot be run", set),
                 "", "correct it, or unset it"};
  }
  if (std::string found = record::find_nvcc_file(); !found.empty()) return found;
  return Error{ErrorKind::kEnvironment, "CUDA sources need nvcc, and there is none on this machine",
               "",
               "install the CUDA toolkit (no GPU or driver is needed) or set NVCC; or compile "
               "elsewhere with nvcc -cudart shared and emulate the program"};
}

std::vector<std::string> nvcc_words(const std::string& nvcc, const std::vector<std::string>& user,
                                    const std::string& cc, const std::string& output,
                                    const std::string& libraries, bool machine_code) {
  std::vector<std::string> words{nvcc};
  bool architecture = false, gencode = false, debug = false;
  for (std::size_t i = 0; i < user.size(); ++i) {
    const std::string& word = user[i];
    if (word == "-arch=native" || word == "--gpu-architecture=native")
      continue;  // there is no GPU to ask
    if ((word == "-arch" || word == "--gpu-architecture") && i + 1 < user.size() &&
        user[i + 1] == "native") {
      ++i;
      continue;
    }
    if (names_architecture(word)) {
      architecture = true;
      gencode = gencode || word.starts_with("-gencode") || word.starts_with("--generate-code");
    }
    debug = debug || word == "-G" || word == "-lineinfo" || word == "--device-debug" ||
            word == "--generate-line-info";
    words.push_back(word);
  }
  if (!architecture || gencode) {  // code=sm_… alone leaves no PTX
    words.emplace_back("-gencode");
    words.push_back(fmt::format("arch=compute_{0},code=compute_{0}", cc));
  }
  if (machine_code && !architecture) {
    words.emplace_back("-gencode");
    words.push_back(fmt::format("arch=compute_{0},code=sm_{0}", cc));
  }
  if (!debug) words.emplace_back("-lineinfo");
  for (const char* word : {"-cudart", "shared", "-o"}) words.emplace_back(word);
  words.push_back(output);
  if (!libraries.empty()) words.push_back("-L" + libraries);
  return words;
}

TemporaryFolder::TemporaryFolder() {
  const char* base = std::getenv("TMPDIR");
  path_ = std::string(base && *base ? base : "/tmp") + "/warpmem-XXXXXX";
  if (mkdtemp(path_.data()) == nullptr) path_.clear();
}
TemporaryFolder::~TemporaryFolder() {
  std::error_code none;
  if (!path_.empty()) std::filesystem::remove_all(path_, none);
}

Result<void> compile(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  pid_t child = 0;
  const int error =
      posix_spawn(&child, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0)
    return Error{kind_of(error, ErrorKind::kEnvironment),
                 fmt::format("nvcc cannot be started: {}", std::strerror(error)), words[0],
                 "check the toolkit's installation"};
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  return Error{ErrorKind::kUsage, "nvcc could not compile the program; its messages stand above",
               line, "correct the source or the options"};
}

}  // namespace warpmem::cudart
