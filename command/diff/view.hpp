// What `warpmem diff` found, and how people and programs read it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "command/diff/lines.hpp"
#include "results/launch_metrics.hpp"
#include "views/style.hpp"

namespace warpmem::command {

struct LaunchPair {
  const LaunchMetrics* before = nullptr;  // null: only the other result has it
  const LaunchMetrics* after = nullptr;
};

struct Difference {
  LaunchPair pair;
  std::string metric;
  MetricValue before, after;
};

struct Condition {
  std::string what, before, after;  // "l1.size", "256 KiB", "64 KiB"
};

struct DiffResult {
  std::string engine_before, engine_after;  // empty: the result does not name it
  double tolerance = 0;                     // share of the value before
  std::vector<Condition> conditions;        // under which the two were replayed, where they differ
  std::vector<Difference> differences;
  std::vector<const LaunchMetrics*> only_before, only_after;
  std::size_t compared = 0;           // counters
  std::size_t left_out = 0;           // … that one side has not, beside a profile
  std::vector<LineDifference> lines;  // of traces
  std::vector<std::string> rules;     // of --fail-on
  std::vector<std::string> failures;  // "l2_sectors>+5%: launch 0, …": the rules that apply
  std::vector<std::string> cautions;  // "before: level ptx: …", in front of everything
  bool equal() const { return differences.empty() && only_before.empty() && only_after.empty(); }
};

std::string diff_text(const DiffResult& result, const views::Terminal& terminal);
std::string diff_json(const DiffResult& result);
// launch, kernel and engine of each side, metric, before, after.
std::string diff_csv(const DiffResult& result);

}  // namespace warpmem::command
