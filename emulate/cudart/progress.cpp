#include "emulate/cudart/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "base/printable.hpp"
#include "base/units.hpp"

namespace warpmem::cudart {

void Progress::update(std::uint64_t ctas, std::uint64_t total) {
  static const bool terminal = isatty(STDERR_FILENO) == 1;
  if (!terminal) return;
  const auto now = Clock::now();
  if (now < next_) return;
  next_ = now + std::chrono::milliseconds(100);
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double rate = static_cast<double>(ctas) / seconds;
  std::string line =
      fmt::format("emulate {}  {:.0f} %  {:.3g} CTAs/s", printable(kernel_).substr(0, 40),
                  100.0 * static_cast<double>(ctas) / static_cast<double>(total), rate);
  if (rate > 0)
    line += fmt::format("  {} left", duration(static_cast<double>(total - ctas) / rate));
  std::fputs(("\r" + line.substr(0, 79) + "\x1b[K").c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::clear() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
  drawn_ = false;
}

}  // namespace warpmem::cudart
