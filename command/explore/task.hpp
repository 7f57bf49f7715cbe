// A sweep as `warpmem explore` was asked for it: where its traces come from, its space, and what
// makes it the same as another one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "command/explore/options.hpp"
#include "metrics/metric.hpp"
#include "sweep/run.hpp"
#include "sweep/store.hpp"

namespace warpmem::command {

struct ExploreTask {
  sweep::Task task;
  std::unique_ptr<sweep::Space> space;
  sweep::Plan plan;
  metrics::Vocabulary words = metrics::Vocabulary::kNcu;
};

// Opens the traces and reads the ranges. What refers to the options lives as long as they do.
Result<ExploreTask> explore_task(const ExploreOptions& options);
// Decodes the traces on all threads, where all points have the same. Others are decoded when they
// are made.
Result<void> decode(const ExploreTask& task, const ExploreOptions& options);

// How long it takes to replay so many points, as measured on this machine just now.
Result<double> estimated_seconds(const ExploreTask& task, const ExploreOptions& options,
                                 double points);
// kResources, with the numbers, where a sweep is larger than anybody waits for without --yes.
Result<void> check_patience(const ExploreOptions& options, double points, double seconds);

}  // namespace warpmem::command
