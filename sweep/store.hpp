// The results of a sweep in a file, SQLite's format. While the sweep runs, finished points are in
// FILE.partial, each put there by a transaction of its own: whatever ends the process, they stay,
// and the same sweep goes on from there. When all are there, FILE is written anew, in the order of
// the points, and takes its name as a whole: its bytes do not depend on the order in which points
// were finished, nor on how often the sweep was interrupted.
//
// Tables: identity(name, value): what was swept, which version of warpmem did it; axes(axis, key);
// traces(trace, name); metrics(metric, name, unit); points(point, left_out); point_values(point,
// axis, value); results(point, trace, metric, value, missing). A value that is not known is NULL,
// with the reason in `missing`.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "results/sweep.hpp"
#include "sweep/sqlite.hpp"

namespace warpmem::sweep {

// What makes two sweeps the same: "version", "gpu", "trace 1", … each with its value.
using Identity = std::vector<std::pair<std::string, std::string>>;

struct Plan {
  Identity identity;
  SweepResult empty;         // axes, traces, metrics
  std::uint64_t points = 0;  // how many there are when all are there
  // Points may be fewer than the space has (a search): what says that all are there is the caller.
  std::string part;  // "3/16" of a sweep that is shared out; empty: it is whole
};

class Store {
 public:
  // An empty path: nothing is kept. `replace`: a finished file of another sweep may go.
  static Result<Store> open(const std::string& path, Plan plan, bool replace);

  const std::set<std::uint64_t>& finished() const { return finished_; }
  bool whole() const { return whole_; }  // FILE was there, with all of its points
  Result<void> add(const SweepPoint& point);
  // All points so far, by number.
  Result<SweepResult> result();
  // Gives FILE its name.
  Result<void> publish();

 private:
  Store() = default;
  Result<void> resume();

  std::string path_;
  Plan plan_;
  std::optional<Database> db_;
  std::set<std::uint64_t> finished_;
  bool whole_ = false;
};

// A finished file, whatever it is of.
struct StoredSweep {
  Identity identity;
  SweepResult result;
  std::string part;
  std::uint64_t points = 0;
};
Result<StoredSweep> read_store(const std::string& path);

// The parts of one sweep into a file, which is the same as if it had not been shared out.
Result<SweepResult> merge(const std::vector<std::string>& parts, const std::string& path,
                          bool replace);

}  // namespace warpmem::sweep
