// Runs another program, such as a tool of the CUDA toolkit, and reads what it prints.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace warpmem {

// In $TMPDIR or /tmp; removed with the object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending = "");  // of its name: some tools go by that
  ~TemporaryFile();
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  bool write_all(std::span<const unsigned char> bytes) const;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int descriptor_ = -1;
};

enum class ToolOutput { kStdout, kBoth };  // stderr is dropped, or read with stdout

struct ToolRun {
  std::string text;  // what it printed
  bool good = true;  // it ended with status 0, as far as can be known
};

struct ToolRules {
  std::size_t kept = ~std::size_t{0};  // of what it prints: the last bytes
  // A command of the user's, which may run for long: it reads nothing from the terminal, and
  // end_commands() ends it with all that it has started.
  bool command = false;
};

// Waits for the tool. It sees neither the injection variables nor LD_PRELOAD and LD_AUDIT: they are
// meant for the program that is recorded or emulated. kEnvironment when it cannot be started.
Result<ToolRun> run_tool(const std::vector<std::string>& command, ToolOutput output,
                         const ToolRules& rules = {});

// From a signal handler: asks all commands that run to end.
void end_commands();

}  // namespace warpmem
