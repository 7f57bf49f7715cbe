// The one way in which this program writes files. A file is written under another name beside its
// target, made durable (fsync), renamed, and the folder made durable too: a file of the final name
// is whole, whatever happens to the process, the disk or the power.
//
// Never written over: what the run reads (base/run_files.hpp: the same file under any name, asked
// again when the file gets its name), what another output of the run is, a device, a pipe, a
// folder, and without `replace` (--force) any file that exists. A link is followed: its target is
// written, and `note` says so. Two processes that write one file at once do not meet: each has a
// name of its own until it is done, NAME.PID-N.partial. What a process that was killed has left
// under such a name is removed by the next one that writes NAME.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/run_files.hpp"

namespace warpmem {

struct OutputRules {
  bool replace = false;  // --force: a file that exists may be replaced
  bool direct = false;   // a device or pipe is written as it is; false: it is refused
};

struct OutputPlace {
  std::string path;     // where the file will be: a link's target
  bool direct = false;  // a device, a pipe or an open descriptor: no second name, no rename
  std::string note;     // what the user should be told about it; mostly empty
};

// Where an output named `path` goes, or why it may not go there (kUsage). Creates nothing.
Result<OutputPlace> find_output_place(const std::string& path, const OutputRules& rules);

class OutputFile {
 public:
  static Result<OutputFile> create(const std::string& path, const OutputRules& rules);
  ~OutputFile();  // without publish(): what was written is removed
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  const OutputPlace& place() const { return place_; }
  Result<void> write(std::string_view text);
  Result<void> publish();  // it gets its name

 private:
  OutputFile() = default;
  OutputPlace place_;
  OutputClaim claim_;
  std::string unfinished_;  // the name until then; empty: direct, or published
  int fd_ = -1;
  int slot_ = -1;
  pid_t owner_ = 0;  // a forked child has a copy, and must leave the file alone
  bool replace_ = false;
};

// From a signal handler: removes what OutputFiles of this process have not published.
void remove_unfinished_outputs();

// For other writers of files (traces keep what they have when they fail). Each returns 0 or errno.
// All bytes, also across interrupts; a limit on the size of files (ulimit -f) is EFBIG, not a
// signal.
int write_bytes(int fd, const void* bytes, std::size_t count);
// The final name for a finished file. Without `replace` EEXIST when there is one already.
int give_name(const std::string& unfinished, const std::string& path, bool replace);

// What the operating system refused: kResources for a full disk and the like, kUsage for the rest.
Error output_error(const std::string& path, const char* action, int code);
// The refusals of find_output_place, for a file that exists and for one that the run reads.
Error output_exists(const std::string& path);
Error output_is_input(const std::string& path);

}  // namespace warpmem
