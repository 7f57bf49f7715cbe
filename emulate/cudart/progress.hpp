// How far a long kernel is, on one line of the terminal. Silent when stderr is none.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace warpmem::cudart {

class Progress {
 public:
  explicit Progress(std::string kernel) : kernel_(std::move(kernel)) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void update(std::uint64_t ctas, std::uint64_t total);
  void clear();

 private:
  using Clock = std::chrono::steady_clock;
  std::string kernel_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ =
      start_ + std::chrono::milliseconds(500);  // short kernels never show a line
  bool drawn_ = false;
};

}  // namespace warpmem::cudart
