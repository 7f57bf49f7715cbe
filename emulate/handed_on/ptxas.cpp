// A ptxas that keeps the PTX: what programs run in place of NVIDIA's while they are emulated. It
// has the real one make the machine code, with the same words, and puts the text that it was made
// of into the cubin, where the emulated driver finds it. Sizes, registers and code stay the real
// ones.
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "binary/cubin/kept_ptx.hpp"

extern char** environ;

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool runs(const fs::path& file) {
  return access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file);
}

// Triton brings a ptxas of its own, beside the library that our parent has in memory.
std::string triton_ptxas(const std::string& name) {
  std::ifstream maps("/proc/" + std::to_string(getppid()) + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t slash = line.find('/');
    if (slash == line.npos || !line.ends_with("/libtriton.so")) continue;
    const fs::path package = fs::path(line.substr(slash)).parent_path().parent_path();
    for (const std::string& one : {name, std::string("ptxas")})
      if (const fs::path file = package / "backends/nvidia/bin" / one; runs(file)) return file;
  }
  return "";
}

std::string real_ptxas(const std::string& name) {
  if (std::string file = triton_ptxas(name); !file.empty()) {
    const std::string chosen = variable(name == "ptxas" ? "WARPMEM_EMULATE_TRITON_PTXAS"
                                                        : "WARPMEM_EMULATE_TRITON_PTXAS_BLACKWELL");
    return chosen.empty() ? file : chosen;
  }
  if (std::string file = variable("WARPMEM_EMULATE_PTXAS"); !file.empty()) return file;
  std::error_code none;
  const fs::path own = fs::canonical("/proc/self/exe", none);
  const std::string path = variable("PATH");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    const fs::path file = fs::path(path.substr(at, end - at)) / "ptxas";
    if (end > at && runs(file) && fs::canonical(file, none) != own) return file;
    at = end + 1;
  }
  return "";
}

// The program's exit status; 128 and the signal that ended it.
int run(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (const int error =
          posix_spawn(&child, words[0].c_str(), nullptr, nullptr, arguments.data(), environ);
      error != 0) {
    std::fprintf(stderr, "warpmem: error: %s cannot be started: %s\n", words[0].c_str(),
                 std::strerror(error));
    return 1;
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct Words {
  std::string input, output = "elf.o", options;  // ptxas's own name for what it is not told
  bool version = false;
  int inputs = 0;
};

Words read(const std::vector<std::string>& all) {
  Words w;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::string& word = all[i];
    const bool more = i + 1 < all.size();
    if (word == "--version" || word == "-V") w.version = true;
    else if ((word == "-o" || word == "--output-file") && more) w.output = all[++i];
    else if (word.starts_with("--output-file=")) w.output = word.substr(14);
    else if (word.ends_with(".ptx") ||
             (!word.starts_with('-') && fs::is_regular_file(word) && i + 1 == all.size()))
      w.input = word, ++w.inputs;
    else w.options += (w.options.empty() ? "" : " ") + word;
  }
  return w;
}

template <class Bytes>
Bytes contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Where nothing can be kept the machine code stays as it is: who loads it is told that it has no
// PTX.
void keep(const Words& w, const std::string& ptxas, std::string ptx) {
  const auto cubin = contents<std::vector<unsigned char>>(w.output);
  const auto both = warpmem::record::keep_ptx(cubin, {std::move(ptx), ptxas, w.options});
  if (!both) return;
  std::ofstream out(w.output, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(both->data()),
            static_cast<std::streamsize>(both->size()));
}

}  // namespace

int main(int count, char** given) {
  std::vector<std::string> words(given, given + count);
  const std::string name = fs::path(words[0]).filename();
  const std::string ptxas = real_ptxas(name);
  if (ptxas.empty()) {
    std::fputs(
        "warpmem: error: the program wants to run ptxas, and there is none on this machine; "
        "install the CUDA toolkit, or "
        "the package nvidia-cuda-nvcc beside the program's own\n",
        stderr);
    return 1;
  }
  const Words w = read(words);
  std::string ptx = w.inputs == 1 ? contents<std::string>(w.input) : "";
  words[0] = ptxas;
  const int status = run(words);
  // Caches are kept by the version's text: machine code without PTX in it is not what they give.
  if (w.version && status == 0) std::puts("with its PTX kept by warpmem");
  if (status == 0 && !ptx.empty()) keep(w, ptxas, std::move(ptx));
  return status;
}
