// `warpmem explore … --jobs slurm`: a sweep as a job array, gathered when it has ended.
#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/explore/table.hpp"
#include "command/explore/task.hpp"
#include "command/options/threads.hpp"
#include "sweep/batch_job.hpp"

namespace warpmem::command {
namespace {

constexpr std::uint64_t kUsualTasks = 16;

// A card's file has to be found from another folder.
std::string card_of(const std::string& gpu) {
  const bool file = gpu.ends_with(".toml") || gpu.find('/') != std::string::npos;
  return file ? std::filesystem::absolute(gpu).string() : gpu;
}

// The options that say what is swept, for another run of the command.
std::vector<std::string> arguments_of(const ExploreOptions& o) {
  std::vector<std::string> out;
  for (const std::string& t : o.traces) out.push_back(std::filesystem::absolute(t).string());
  if (o.partial) out.emplace_back("--partial");
  out.insert(out.end(), {"--gpu", card_of(o.card.gpu)});
  for (const std::string& s : o.card.settings) out.insert(out.end(), {"--set", s});
  for (const std::string& v : o.vary) {
    std::string text = v;
    if (v.starts_with("gpu=")) {
      text.clear();
      std::stringstream cards(v.substr(4));
      for (std::string card; std::getline(cards, card, ',');)
        text += (text.empty() ? "gpu=" : ",") + card_of(card);
    }
    out.insert(out.end(), {"--vary", text});
  }
  if (!o.make.empty()) out.insert(out.end(), {"--make", o.make});
  if (!o.launches.all()) out.insert(out.end(), {"--launch", launches_text(o.launches)});
  if (o.counts) out.emplace_back("--counts");
  if (o.keep_caches) out.emplace_back("--keep-caches");
  if (!o.vocabulary.empty()) out.insert(out.end(), {"--metrics", o.vocabulary});
  return out;
}

bool is_there(const std::string& program) {
  const char* const path = std::getenv("PATH");
  std::string all = path ? path : "";
  for (std::size_t at = 0; at <= all.size();) {
    const std::size_t end = std::min(all.find(':', at), all.size());
    std::error_code none;
    if (std::filesystem::exists(all.substr(at, end - at) + "/" + program, none)) return true;
    at = end + 1;
  }
  return false;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& w : words) out += (out.empty() ? "" : " ") + sweep::quoted(w);
  return out;
}

// Parts whose results are not there.
std::vector<std::uint64_t> missing_parts(const sweep::BatchJob& job) {
  std::vector<std::uint64_t> out;
  std::error_code none;
  for (std::uint64_t p = 1; p <= job.parts; ++p)
    if (!std::filesystem::exists(sweep::part_file(job, p), none)) out.push_back(p);
  return out;
}

// A folder that a run was interrupted in has a script, or nothing yet.
bool is_ours(const sweep::BatchJob& job) {
  std::error_code none;
  if (std::filesystem::is_empty(job.folder, none)) return true;
  std::ifstream in(sweep::script_file(job), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return text.starts_with(sweep::kScriptHeading);
}

Result<void> make_folder(const sweep::BatchJob& job) {
  std::error_code failed;
  const bool made = std::filesystem::create_directory(job.folder, failed);
  if (!made && (!std::filesystem::is_directory(job.folder, failed) || !is_ours(job)))
    return Error{ErrorKind::kUsage,
                 "the parts of a sweep go to a folder of this name, and this is none", job.folder,
                 "move it, or give another name to --results"};
  auto file = OutputFile::create(sweep::script_file(job), {.replace = true});
  if (!file) return file.error();
  if (auto ok = file->write(sweep::script_of(job)); !ok) return ok;
  return file->publish();
}

Result<void> run_job(const ExploreOptions& options, const sweep::BatchJob& job) {
  if (!is_there("sbatch"))
    return Error{
        ErrorKind::kEnvironment, "there is no Slurm here: sbatch is not in PATH", "--jobs slurm",
        "leave out --jobs to run it on this machine, or share it out by hand with --shard"};
  for (std::uint64_t attempt = 0; attempt <= options.retries; ++attempt) {
    const auto parts = missing_parts(job);
    if (parts.empty()) return {};
    note(fmt::format("{} of {} parts go to Slurm{}", parts.size(), job.parts,
                     attempt > 0 ? fmt::format(" (attempt {})", attempt + 1) : ""));
    // sbatch waits until the whole array has ended; its number is no result of this command's.
    const int status = std::system((shell_line(sweep::submission(job, parts)) + " >&2").c_str());
    if (WIFSIGNALED(status))
      return Error{ErrorKind::kInterrupted, "waiting for Slurm was interrupted", "--jobs slurm",
                   "the same command goes on with what has been finished by then"};
  }
  const auto parts = missing_parts(job);
  if (parts.empty()) return {};
  return Error{ErrorKind::kResources,
               fmt::format("{} of {} parts were not finished in {} attempts, the first is part {}",
                           parts.size(), job.parts, options.retries + 1, parts.front()),
               sweep::log_file(job, parts.front()),
               "read what it says, then give the same command again: finished points are kept"};
}

// What the job has made, and the folder if nothing else is in it.
void clean_up(const sweep::BatchJob& job) {
  std::error_code none;
  for (std::uint64_t p = 1; p <= job.parts; ++p) {
    std::filesystem::remove(sweep::part_file(job, p), none);
    std::filesystem::remove(sweep::log_file(job, p), none);
  }
  std::filesystem::remove(sweep::script_file(job), none);
  std::filesystem::remove(job.folder, none);
}

}  // namespace

int explore_slurm(const ExploreOptions& options) {
  if (options.results.empty())
    return fail({ErrorKind::kUsage, "tasks on several machines leave their results in files",
                 "--jobs slurm", "give --results FILE in a folder that all of them see"});
  if (!options.objective.empty() || !options.shard.whole() || !options.capacities.empty())
    return fail({ErrorKind::kUsage, "a job array runs the points of a sweep", "--jobs slurm",
                 "leave out --objective, --shard and --capacities"});
  auto task = explore_task(options);
  if (!task) return fail(task.error());
  if (auto ok = check_expressions(options.metrics, task->plan.empty, "--metric"); !ok)
    return fail(ok.error());
  const auto seconds = estimated_seconds(*task, options, static_cast<double>(task->plan.points));
  if (!seconds) return fail(seconds.error());
  sweep::BatchJob job;
  std::error_code none;
  job.command = std::filesystem::read_symlink("/proc/self/exe", none).string();
  job.arguments = arguments_of(options);
  job.folder = std::filesystem::absolute(options.results).string() + ".jobs";
  job.parts = std::min(task->plan.points, options.tasks ? options.tasks : kUsualTasks);
  job.at_once = options.at_once;
  job.cpus = options.threads ? options.threads : 1;
  job.time_limit = options.time_limit;
  job.options = options.job_options;
  if (options.dry_run) {
    std::vector<std::uint64_t> all;
    for (std::uint64_t p = 1; p <= job.parts; ++p) all.push_back(p);
    return emit(options.output,
                fmt::format("{} points in {} tasks, about {} of one core in all\n\n{}\n\n{}:\n{}",
                            grouped(task->plan.points), job.parts,
                            duration(*seconds * static_cast<double>(threads_of(options.threads))),
                            shell_line(sweep::submission(job, all)), sweep::script_file(job),
                            sweep::script_of(job)));
  }
  auto outputs = open_outputs(options);
  if (!outputs) return fail(outputs.error());
  if (std::filesystem::exists(options.results, none) && !options.output.force) {
    auto ready = sweep::Store::open(options.results, task->plan, false);
    if (!ready) return fail(ready.error());
    return show_sweep(options, sweep_table(ready->result(), options.metrics, options.counts),
                      *outputs);
  }
  auto file = create_results(options.results, options.output.force);
  if (!file) return fail(file.error());
  const auto folder = OutputClaim::of(job.folder);
  if (!folder) return fail(folder.error());
  if (auto ok = make_folder(job); !ok) return fail(ok.error());
  if (auto ok = run_job(options, job); !ok) return fail(ok.error());
  std::vector<std::string> parts;
  for (std::uint64_t p = 1; p <= job.parts; ++p) parts.push_back(sweep::part_file(job, p));
  const auto merged = sweep::merge(parts, *file, &task->plan);
  if (!merged) {
    Error error = merged.error();
    if (error.kind == ErrorKind::kUsage)
      error.fix = "remove the folder of the parts, and give the same command again";
    return fail(error);
  }
  clean_up(job);
  return show_sweep(options, sweep_table(merged->result, options.metrics, options.counts),
                    *outputs);
}

}  // namespace warpmem::command
