#include "traces/record/launch_times.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace warpmem::record {
namespace {

constexpr const char* kHeader =
    "launch,kernel,records,bytes,gpu_us,returned_us,read_us,written_us\n";

using Clock = std::chrono::steady_clock;

std::string microseconds(Clock::time_point from, Clock::time_point to) {
  if (to == Clock::time_point{}) return "n/a";
  return fmt::format("{:.1f}", std::chrono::duration<double, std::micro>(to - from).count());
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

LaunchTimes::~LaunchTimes() {
  if (file_ != nullptr) std::fclose(file_);
}

void LaunchTimes::add(const LaunchState& launch, const std::string& kernel) {
  if (path_.empty()) return;
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (file_ == nullptr) {
    file_ = std::fopen(path_.c_str(), "we");
    if (file_ == nullptr) {
      output_.note_missing(
          fmt::format("the times of launches: {}: {}", path_, std::strerror(errno)));
      path_.clear();
      return;
    }
    std::fputs(kHeader, file_);
  }
  const auto gpu = launch.gpu_clock.span();
  const std::string line = fmt::format(
      "{},{},{},{},{},{},{},{}\n", launch.launch.id, quoted(kernel), launch.records.load(),
      launch.bytes.load(), gpu ? fmt::format("{:.1f}", *gpu * 1e-3) : "n/a",
      microseconds(launch.begun, launch.returned), microseconds(launch.begun, launch.read),
      microseconds(launch.begun, now));
  std::fputs(line.c_str(), file_);
  std::fflush(file_);
}

}  // namespace warpmem::record
