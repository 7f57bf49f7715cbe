// One line of progress on stderr, rewritten in place: "replay 45 % 12.3 M records 8.1 M/s 1.9 s
// left". Silent when stderr is no terminal. update() is cheap enough for inner loops and may be
// called by several threads; the line is redrawn at most ten times a second.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

namespace warpmem::command {

class Progress {
 public:
  // `total` units of work, 0 when not known; `unit` is a plural: "records".
  Progress(std::string label, std::string unit, std::uint64_t total);
  ~Progress();  // clears the line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;
  void draw(std::uint64_t done, double seconds);

  std::string label_;
  std::string unit_;
  std::uint64_t total_;
  bool shown_;
  Clock::time_point start_ = Clock::now();
  std::atomic<std::int64_t> next_draw_ms_{200};  // short runs never show a line
  std::mutex drawing_;
  bool drawn_ = false;
};

}  // namespace warpmem::command
