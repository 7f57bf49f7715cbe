// The files of one run of the command: what it reads, and what it writes. There is one list, and
// nobody hands it on: readers open files here, OutputFile (base/output_file.hpp) and the writer of
// traces ask here, before they begin and again before a file gets its name. So no option that comes
// later can forget to say what it reads; tests/e2e/test_nothing_lost.py finds a reader that opens
// files in another way.
//
// A process without a RunFiles (a library in somebody else's program) reads and writes as it likes.
#pragma once

#include <fstream>
#include <string>

#include "base/error.hpp"

namespace warpmem {

class RunFiles {
 public:
  RunFiles();  // from now on this process is a run
  ~RunFiles();
  RunFiles(const RunFiles&) = delete;
  RunFiles& operator=(const RunFiles&) = delete;
};

// A file that the run reads; nothing where there is none. May be told again, and from any thread.
void note_input(const std::string& path);
// A folder of which the run may read any file, but those whose names end in `except`.
void note_input_folder(const std::string& path, const std::string& except);
// Opens a file, in bytes, and notes it.
std::ifstream open_to_read(const std::string& path);
// Whether the run reads the file of this name, under whatever name.
bool is_input(const std::string& path);

// A name that the run writes to, for as long as the run lasts: nothing else of it gets the name.
// Without kept() the name is free again when the claim goes.
class OutputClaim {
 public:
  OutputClaim() = default;
  // `path`: where the file will be (find_output_place). kUsage: another output has the name.
  static Result<OutputClaim> of(const std::string& path);
  ~OutputClaim();
  OutputClaim(OutputClaim&& other) noexcept;
  OutputClaim& operator=(OutputClaim&& other) noexcept;
  void kept() { name_.clear(); }  // it has been written

 private:
  std::string name_;
};

}  // namespace warpmem
