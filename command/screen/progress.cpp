#include "command/screen/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

#include "base/units.hpp"
#include "command/screen/terminal.hpp"

namespace warpmem::command {

namespace {

constexpr std::int64_t kDrawEveryMs = 100;

// 12345678 -> "12.3 M": a moving number is read by its size, not by its digits.
std::string short_count(double value) {
  if (value >= 1e9) return fmt::format("{:.1f} G", value / 1e9);
  if (value >= 1e6) return fmt::format("{:.1f} M", value / 1e6);
  if (value >= 1e3) return fmt::format("{:.1f} K", value / 1e3);
  return fmt::format("{:.0f}", value);
}

}  // namespace

Progress::Progress(std::string label, std::string unit, std::uint64_t total)
    : label_(std::move(label)),
      unit_(std::move(unit)),
      total_(total),
      shown_(is_terminal(STDERR_FILENO)) {}

Progress::~Progress() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

void Progress::update(std::uint64_t done) {
  if (!shown_) return;
  const std::chrono::duration<double> elapsed = Clock::now() - start_;
  const auto now_ms = static_cast<std::int64_t>(elapsed.count() * 1e3);
  std::int64_t due = next_draw_ms_.load(std::memory_order_relaxed);
  if (now_ms < due) return;
  // One thread wins the right to draw; the others go on working.
  if (!next_draw_ms_.compare_exchange_strong(due, now_ms + kDrawEveryMs)) return;
  const std::lock_guard lock(drawing_);
  draw(done, elapsed.count());
}

void Progress::draw(std::uint64_t done, double seconds) {
  const double rate = seconds > 0 ? static_cast<double>(done) / seconds : 0;
  std::string line = label_;
  if (total_ > 0) {
    line +=
        fmt::format(" {:.0f} %", 100.0 * static_cast<double>(done) / static_cast<double>(total_));
  }
  line += fmt::format("  {} {}  {}/s", short_count(static_cast<double>(done)), unit_,
                      short_count(rate));
  if (total_ > done && rate > 0) {
    line += fmt::format("  {} left", duration(static_cast<double>(total_ - done) / rate));
  }
  const auto width = static_cast<std::size_t>(terminal_width(STDERR_FILENO));
  if (line.size() >= width) line.resize(width - 1);
  std::fputs(("\r" + line + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace warpmem::command
