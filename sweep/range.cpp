#include "sweep/range.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/read_number.hpp"
#include "base/units.hpp"

namespace warpmem::sweep {
namespace {

Error wrong(const std::string& place, const std::string& what) {
  return {ErrorKind::kUsage, what, place,
          "write a list a,b,c or a range a:b (twice each time), a:b:step or a:b:*factor, "
          "for example 32KiB:256KiB"};
}

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

// At `separator`, but not within brackets.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (const char c : text) {
    depth += (c == '[') - (c == ']');
    if (c == separator && depth == 0) out.emplace_back();
    else out.back() += c;
  }
  for (std::string& part : out) part = trimmed(part);
  return out;
}

bool has_unit(const std::string& text) {
  return text.find_first_not_of("0123456789. ") != std::string::npos;
}

struct Number {
  std::uint64_t value = 0;
  bool size = false;
};

std::optional<Number> number_of(const std::string& text) {
  if (text.empty()) return {};
  const auto bytes = parse_bytes(text);
  if (!bytes) return {};
  return Number{*bytes, has_unit(text)};
}

Result<std::vector<std::string>> list(const std::string& text, const std::string& place) {
  std::vector<std::string> out = split(text, ',');
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].empty()) return wrong(place, fmt::format("'{}' has an empty value", text));
    for (std::size_t k = 0; k < i; ++k)
      if (out[k] == out[i]) return wrong(place, fmt::format("'{}' has {} twice", text, out[i]));
  }
  return out;
}

// How a range goes on.
struct Step {
  std::uint64_t add = 0;
  double times = 2;
  bool size = false;
};

Result<Step> read_step(const std::string& text, const std::string& range,
                       const std::string& place) {
  if (text.starts_with('*')) {
    const auto factor = read_real(text.substr(1), {1, 1e9, true}, place);
    if (!factor) return factor.error();
    return Step{0, *factor};
  }
  const auto step = number_of(text);
  if (!step || step->value == 0)
    return wrong(place, fmt::format("'{}' in '{}' is no step", text, range));
  return Step{step->value, 0, step->size};
}

}  // namespace

std::string size_text(std::uint64_t bytes) {
  constexpr std::uint64_t kKi = 1 << 10, kMi = 1 << 20;
  if (bytes >= kMi && bytes % kMi == 0) return fmt::format("{}MiB", bytes / kMi);
  if (bytes >= kKi && bytes % kKi == 0) return fmt::format("{}KiB", bytes / kKi);
  return fmt::format("{}", bytes);
}

Result<std::vector<std::string>> read_range(const std::string& text, const std::string& place) {
  if (trimmed(text).empty()) return wrong(place, "the range is empty");
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() == 1) return list(text, place);
  if (parts.size() > 3) return wrong(place, fmt::format("'{}' is no range", text));
  const auto first = number_of(parts[0]), last = number_of(parts[1]);
  if (!first || !last)
    return wrong(place, fmt::format("'{}' is no whole number", first ? parts[1] : parts[0]));
  if (first->value > last->value)
    return wrong(place, fmt::format("the range '{}' is empty: {} is more than {}", text, parts[0],
                                    parts[1]));
  Step step;
  if (parts.size() == 3) {
    const auto read = read_step(parts[2], text, place);
    if (!read) return read.error();
    step = *read;
  }
  if (step.add == 0 && first->value == 0)
    return wrong(place, fmt::format("'{}' begins with 0, of which every multiple is 0", text));
  const bool sizes = first->size || last->size || step.size;
  std::vector<std::string> out;
  double exact = static_cast<double>(first->value);
  for (std::uint64_t at = first->value; at <= last->value;) {
    if (out.size() == kMostValues)
      return wrong(
          place, fmt::format("the range '{}' has more than {} values", text, grouped(kMostValues)));
    out.push_back(sizes ? size_text(at) : std::to_string(at));
    if (step.add) {
      if (at > last->value - std::min(last->value, step.add)) break;
      at += step.add;
    } else {
      const std::uint64_t before = at;
      while (at == before) {
        exact *= step.times;
        if (exact > static_cast<double>(last->value) * 1.0000001) return out;
        at = static_cast<std::uint64_t>(std::llround(exact));
      }
    }
  }
  return out;
}

}  // namespace warpmem::sweep
