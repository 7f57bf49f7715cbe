// What `warpmem explore` was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/screen/output.hpp"
#include "sweep/space.hpp"

namespace warpmem::command {

struct ExploreOptions {
  std::vector<std::string> traces;
  bool partial = false;
  CardInput card;
  LaunchRange launches;
  std::vector<std::string> vary;
  std::string make;  // a command that makes a trace for each program; empty: the traces are there
  std::vector<std::string> metrics;  // expressions; empty: the usual ones
  std::string vocabulary;            // empty: Nsight Compute's
  bool counts = false, keep_caches = false;
  unsigned threads = 0;
  OutputOptions output;
  std::string results;  // the file that keeps them; empty: none
  bool plot = false, dry_run = false, yes = false;
  std::string svg;
  sweep::Shard shard;

  std::string capacities, sizes;  // "l1" or "l2"; a range
  bool fixed_ways = false, by_replay = false;

  std::string objective, method = "ego";
  std::uint64_t budget = 0, seed = 1;

  std::string jobs;  // "slurm"
  std::uint64_t tasks = 0, at_once = 0, retries = 2;
  std::string time_limit;
  std::vector<std::string> job_options;

  std::string merged;  // explore merge OUT PART…
  std::vector<std::string> parts;
  std::string shown;  // explore show FILE
};

// The launches as --launch takes them.
std::string launches_text(const LaunchRange& launches);

// Each ends with an exit status.
int explore_sweep(const ExploreOptions& options);
int explore_search(const ExploreOptions& options);
int explore_capacities(const ExploreOptions& options);
int explore_slurm(const ExploreOptions& options);
int explore_merge(const ExploreOptions& options);
int explore_show(const ExploreOptions& options);

}  // namespace warpmem::command
