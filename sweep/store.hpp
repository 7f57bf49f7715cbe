// The results of a sweep in a file, SQLite's format. While the sweep runs, finished points are in
// FILE.partial (sweep/point_log.hpp): whatever ends the process, they stay, and the same sweep goes
// on from there. When all are there, FILE is written anew, in the order of the points, and takes
// its name as a whole: its bytes do not depend on the order in which points were finished, nor on
// how often the sweep was interrupted.
//
// Tables: identity(name, value): what was swept, which version of warpmem did it; plan(name,
// value): how many points there are and are held, which part of a sweep it is, the hash; axes(axis,
// key); traces(trace, name); metrics(metric, name, unit); points(point, left_out);
// point_values(point, axis, value); results(point, trace, metric, value, missing). A value that is
// not known is NULL, with the reason in `missing`.
//
// A file is read only if it is what was written: these tables and nothing else, every value of its
// type, all points with all of their results, and one hash over everything that is read.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/output_file.hpp"
#include "results/sweep.hpp"
#include "sweep/plan.hpp"
#include "sweep/point_log.hpp"

namespace warpmem::sweep {

class Store {
 public:
  // An empty path: nothing is kept. `replace`: a finished file of another sweep may go.
  static Result<Store> open(const std::string& path, Plan plan, bool replace);

  const std::set<std::uint64_t>& finished() const { return finished_; }
  bool whole() const { return whole_; }  // FILE was there, with all of its points
  std::string note() const { return file_ ? file_->place().note : std::string(); }
  Result<void> add(SweepPoint point);
  // All points so far, by number.
  SweepResult result() const;
  // Gives FILE its name.
  Result<void> publish();

 private:
  Store() = default;

  Plan plan_;
  std::map<std::uint64_t, SweepPoint> points_;
  std::set<std::uint64_t> finished_;
  std::optional<OutputFile> file_;
  std::optional<PointLog> log_;
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

// The parts of one sweep into a file, which is the same as if it had not been shared out. `plan`:
// the sweep that they have to be of.
Result<StoredSweep> merge(const std::vector<std::string>& parts, OutputFile& file,
                          const Plan* plan = nullptr);

}  // namespace warpmem::sweep
