#include "base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

namespace warpmem {

namespace {

struct Suffix {
  std::string_view name;
  double bytes;
};

constexpr std::array kSuffixes{Suffix{"", 1},         Suffix{"B", 1},        Suffix{"KiB", 1024.0},
                               Suffix{"MiB", 0x1p20}, Suffix{"GiB", 0x1p30}, Suffix{"TiB", 0x1p40},
                               Suffix{"kB", 1e3},     Suffix{"KB", 1e3},     Suffix{"MB", 1e6},
                               Suffix{"GB", 1e9},     Suffix{"TB", 1e12}};

constexpr double kExactIntegers = 9007199254740992.0;  // 2^53

}  // namespace

std::string grouped(std::uint64_t value) {
  std::string digits = fmt::format("{}", value);
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, ",");
  return digits;
}

std::string number(double value) {
  if (!std::isfinite(value)) return "n/a";
  if (value == std::floor(value) && std::abs(value) < kExactIntegers) {
    return (value < 0 ? "-" : "") + grouped(static_cast<std::uint64_t>(std::abs(value)));
  }
  if (std::abs(value) >= 1000) {
    const double rounded = std::round(std::abs(value) * 10) / 10;
    const auto whole = static_cast<std::uint64_t>(rounded);
    return fmt::format("{}{}{}", value < 0 ? "-" : "", grouped(whole),
                       fmt::format("{:.1f}", rounded - static_cast<double>(whole)).substr(1));
  }
  return fmt::format("{:.4g}", value);
}

std::string byte_size(std::uint64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (bytes < 1024) return grouped(bytes) + " B";
  double scaled = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (scaled >= 1024 && unit + 1 < kUnits.size()) {
    scaled /= 1024;
    ++unit;
  }
  const bool whole = scaled == std::floor(scaled);
  return fmt::format("{:.{}f} {}", scaled, whole ? 0 : 1, kUnits[unit]);
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
  if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::uint64_t>(seconds);
  if (whole < 3600) return fmt::format("{}m{:02}s", whole / 60, whole % 60);
  return fmt::format("{}h{:02}m", whole / 3600, whole / 60 % 60);
}

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || value < 0) return std::nullopt;
  std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
  while (!suffix.empty() && suffix.front() == ' ') suffix.remove_prefix(1);
  for (const Suffix& known : kSuffixes) {
    if (known.name != suffix) continue;
    const double bytes = value * known.bytes;
    // A fraction of a byte is a typing error, and past 2^53 the product would not be exact.
    if (bytes != std::floor(bytes) || bytes > kExactIntegers) return std::nullopt;
    return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace warpmem
