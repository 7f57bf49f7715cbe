#include "sweep/batch_job.hpp"

#include <fmt/format.h>

namespace warpmem::sweep {

std::string quoted(const std::string& word) {
  std::string out = "'";
  for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

namespace {

// In the name of a log, where Slurm has meanings for %a and the like.
std::string escaped(const std::string& path) {
  std::string out;
  for (const char c : path) out += c == '%' ? std::string("%%") : std::string(1, c);
  return out;
}

}  // namespace

const char* const kScriptHeading =
    "#!/bin/sh\n# One part of a sweep: the number of the task says which.\n";

std::string part_file(const BatchJob& job, std::uint64_t part) {
  return fmt::format("{}/part-{}-of-{}", job.folder, part, job.parts);
}

std::string log_file(const BatchJob& job, std::uint64_t part) {
  return fmt::format("{}/log-{}", job.folder, part);
}

std::string script_file(const BatchJob& job) { return job.folder + "/run.sh"; }

// A task that is put back into the queue, or sent again, goes on where it stopped.
std::string script_of(const BatchJob& job) {
  std::string out = std::string(kScriptHeading) + "exec " + quoted(job.command) + " explore";
  for (const std::string& a : job.arguments) out += " " + quoted(a);
  out += fmt::format(
      " --shard \"$SLURM_ARRAY_TASK_ID\"/{} --threads {} --results "
      "{}/part-\"$SLURM_ARRAY_TASK_ID\"-of-{} --yes\n",
      job.parts, job.cpus, quoted(job.folder), job.parts);
  return out;
}

std::vector<std::string> submission(const BatchJob& job, const std::vector<std::uint64_t>& parts) {
  // Runs of numbers are written as such.
  std::string array;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::size_t last = i;
    while (last + 1 < parts.size() && parts[last + 1] == parts[last] + 1) ++last;
    array += (array.empty() ? "" : ",") + std::to_string(parts[i]);
    if (last > i) array += "-" + std::to_string(parts[last]);
    i = last;
  }
  if (job.at_once > 0) array += "%" + std::to_string(job.at_once);
  std::vector<std::string> out{"sbatch",
                               "--parsable",
                               "--wait",
                               "--requeue",
                               "--job-name=warpmem-explore",
                               "--array=" + array,
                               fmt::format("--cpus-per-task={}", job.cpus),
                               fmt::format("--output={}/log-%a", escaped(job.folder)),
                               "--open-mode=append"};
  if (!job.time_limit.empty()) out.push_back("--time=" + job.time_limit);
  out.insert(out.end(), job.options.begin(), job.options.end());
  out.push_back(script_file(job));
  return out;
}

}  // namespace warpmem::sweep
