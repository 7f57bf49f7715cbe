// A sweep as a Slurm job array: the script that each of its tasks runs, and what to ask sbatch for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace warpmem::sweep {

struct BatchJob {
  std::string command;                 // how to call warpmem
  std::vector<std::string> arguments;  // of explore, without what says how it is run
  std::string results;                 // the file that all parts become
  std::uint64_t parts = 1;
  std::uint64_t at_once = 0;         // tasks that may run at a time; 0: as Slurm likes
  std::uint64_t cpus = 1;            // of a task
  std::string time_limit;            // as sbatch takes it; empty: the partition's
  std::vector<std::string> options;  // further ones of sbatch
};

// In single quotes, for a shell.
std::string quoted(const std::string& word);
// Where a part's results lie.
std::string part_file(const std::string& results, std::uint64_t part, std::uint64_t of);
std::string script_of(const BatchJob& job);
// sbatch and its arguments for some parts, by their numbers from 1.
std::vector<std::string> submission(const BatchJob& job, const std::string& script,
                                    const std::vector<std::uint64_t>& parts);

}  // namespace warpmem::sweep
