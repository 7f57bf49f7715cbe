// A sweep as a Slurm job array: the script that each of its tasks runs, and what to ask sbatch for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::sweep {

struct BatchJob {
  std::string command;                 // how to call warpmem
  std::vector<std::string> arguments;  // of explore, without what says how it is run
  std::string folder;                  // of its own, seen by all machines: script, parts, logs
  std::uint64_t parts = 1;
  std::uint64_t at_once = 0;         // tasks that may run at a time; 0: as Slurm likes
  std::uint64_t cpus = 1;            // of a task
  std::string time_limit;            // as sbatch takes it; empty: the partition's
  std::vector<std::string> options;  // further ones of sbatch
};

// In single quotes, for a shell.
std::string quoted(const std::string& word);
// In the folder: a part's results, what its task printed, and the script.
std::string part_file(const BatchJob& job, std::uint64_t part);
std::string log_file(const BatchJob& job, std::uint64_t part);
std::string script_file(const BatchJob& job);
std::string script_of(const BatchJob& job);
// What every script begins with: a folder that has one is a job's.
extern const char* const kScriptHeading;
// sbatch and its arguments for some parts, by their numbers from 1.
std::vector<std::string> submission(const BatchJob& job, const std::vector<std::uint64_t>& parts);

}  // namespace warpmem::sweep
