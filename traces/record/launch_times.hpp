// How long each launch took to record: a line of CSV a launch, for --times.
#pragma once

#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>

#include "traces/record/launch_state.hpp"
#include "traces/record/output.hpp"

namespace warpmem::record {

class LaunchTimes {
 public:
  // `path` empty: writes nothing. A file that cannot be written is reported to `output` once.
  LaunchTimes(std::string path, Output& output) : path_(std::move(path)), output_(output) {}
  ~LaunchTimes();
  LaunchTimes(const LaunchTimes&) = delete;
  LaunchTimes& operator=(const LaunchTimes&) = delete;

  // A launch whose records have just been written.
  void add(const LaunchState& launch, const std::string& kernel);

 private:
  std::string path_;
  Output& output_;
  std::mutex mutex_;
  std::FILE* file_ = nullptr;
};

}  // namespace warpmem::record
