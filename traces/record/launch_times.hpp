// How long each launch took to record: a line of CSV a launch, for --times.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include "base/output_file.hpp"
#include "traces/record/launch_state.hpp"
#include "traces/record/output.hpp"

namespace warpmem::record {

class LaunchTimes {
 public:
  // `path` empty: writes nothing. A file that cannot be written is reported to `output` once.
  LaunchTimes(std::string path, bool force, Output& output)
      : path_(std::move(path)), force_(force), output_(output) {}
  LaunchTimes(const LaunchTimes&) = delete;
  LaunchTimes& operator=(const LaunchTimes&) = delete;

  // A launch whose records have just been written.
  void add(const LaunchState& launch, const std::string& kernel);
  // In a child of the recorded program: a file of its own.
  void add_suffix(const std::string& suffix) {
    if (!path_.empty()) path_ += suffix;
  }
  // The file gets its name; a program that is killed before leaves none.
  void close();

 private:
  void give_up(const Error& error);

  std::string path_;
  bool force_;
  Output& output_;
  std::mutex mutex_;
  std::optional<OutputFile> file_;
};

}  // namespace warpmem::record
