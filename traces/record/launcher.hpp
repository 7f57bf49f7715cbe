// Runs a program with the recorder library in it, and tells what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "traces/record/environment.hpp"
#include "traces/record/options.hpp"

namespace warpmem::record {

// One process that recorded something: the program itself, or a child that used CUDA.
struct RecordedProcess {
  long pid = 0;
  std::string output;  // as it lies on the disk: with .partial behind it when not sealed
  std::uint64_t bytes = 0;
  std::uint64_t launches = 0;
  std::uint64_t records = 0;
  std::uint64_t lost = 0;
  double busy_seconds = 0;  // from each recorded launch's begin to its records' end
  bool sealed = false;
  bool ended = false;  // false: it crashed, was killed, or left by _exit
};

struct RecordReport {
  int status = 0;  // the program's own exit status; 128 + signal when a signal ended it
  int signal = 0;
  double seconds = 0;      // from start to end
  bool used_cuda = false;  // the driver loaded the recorder
  std::vector<RecordedProcess> processes;
  std::string text;  // all that the processes wrote about themselves
};

// Whether the command's program can be run: kUsage when not. Before looking for a GPU, as it is the
// likelier mistake.
Result<void> check_program(const RecordOptions& options);

// The program's standard streams, exit status and signals stay its own. Fails, before it is
// started, with kUsage (not found) or kEnvironment.
Result<RecordReport> run_recorder(const RecordOptions& options, const RecorderFiles& files);

// The same with any library that writes a status file: `variables` ("NAME=value") join this
// process's environment and replace what is there, `status_variable` names the one that gets the
// file's path.
Result<RecordReport> run_watched(const std::vector<std::string>& command,
                                 const std::vector<std::string>& variables,
                                 const std::string& status_variable);

// What the recorder wrote about itself while it ran (session.cpp, write_status).
RecordReport parse_status(const std::string& text);

}  // namespace warpmem::record
