#include "traces/record/launch_times.hpp"

#include <fmt/format.h>

#include "base/printable.hpp"

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
  for (const char c : printable(text)) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

void LaunchTimes::give_up(const Error& error) {
  output_.note_missing(fmt::format("the times of launches: {}: {}", path_, error.message));
  path_.clear();
  file_.reset();
}

void LaunchTimes::add(const LaunchState& launch, const std::string& kernel) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  if (path_.empty()) return;
  if (!file_) {
    auto file = OutputFile::create(path_, {.replace = force_, .direct = true});
    if (!file) return give_up(file.error());
    file_.emplace(std::move(file).value());
    if (auto written = file_->write(kHeader); !written) return give_up(written.error());
  }
  const auto gpu = launch.gpu_clock.span();
  const std::string line = fmt::format(
      "{},{},{},{},{},{},{},{}\n", launch.launch.id, quoted(kernel), launch.records.load(),
      launch.bytes.load(), gpu ? fmt::format("{:.1f}", *gpu * 1e-3) : "n/a",
      microseconds(launch.begun, launch.returned), microseconds(launch.begun, launch.read),
      microseconds(launch.begun, now));
  if (auto written = file_->write(line); !written) give_up(written.error());
}

void LaunchTimes::close() {
  const std::lock_guard lock(mutex_);
  if (!file_) return;
  if (auto published = file_->publish(); !published) give_up(published.error());
  file_.reset();
}

}  // namespace warpmem::record
