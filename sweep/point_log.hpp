// The points of a sweep that is not finished, in FILE.partial: a heading that says whose it is, the
// plan, then each point as it was finished. Every piece has its length and its hash before it, so
// that a piece that was cut short, by a kill or by the power, is known and left out; what came
// before it stays. One process writes at a time (a lock).
//
// The name is FILE's with ".partial", so that the same command finds it again; a file of that name
// that is no such log is never touched.
#pragma once

#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/run_files.hpp"
#include "sweep/plan.hpp"

namespace warpmem::sweep {

class PointLog {
 public:
  // Creates the log, or goes on with that of the same plan; `before` takes the points that it has.
  // `replace`: one of another plan may go.
  static Result<PointLog> open(const std::string& path, const Plan& plan, bool replace,
                               std::vector<SweepPoint>& before);
  // Removes the log of a plan whose file is there.
  static void forget(const std::string& path, const Plan& plan);
  ~PointLog();
  PointLog(PointLog&& other) noexcept;
  PointLog& operator=(PointLog&&) = delete;

  // It stays, whatever ends the process; a power failure may cost the points of the last second.
  Result<void> add(const SweepPoint& point);
  // The file is there under its own name.
  void remove();

 private:
  PointLog(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

  std::string path_;
  int fd_ = -1;
  std::int64_t size_ = 0;    // up to the end of the last whole point
  std::int64_t synced_ = 0;  // when it was made durable, in seconds
  OutputClaim claim_;
};

// What differs between two plans, as an error of kind kUsage: nothing where they are one.
Result<void> require_same(const std::string& path, const Plan& there, const Plan& here);

}  // namespace warpmem::sweep
