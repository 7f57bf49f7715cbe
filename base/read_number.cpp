#include "base/read_number.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "base/units.hpp"

namespace warpmem {
namespace {

Error refuse(std::string message, const std::string& fix, const std::string& place) {
  return {ErrorKind::kUsage, std::move(message), place, "write " + fix};
}

std::string shown_limit(std::uint64_t value, const WholeRange& range) {
  return range.sizes ? byte_size(value) : grouped(value);
}

// "1,234,567" without its commas, and "1,000 B"; nothing where they do not part groups of three.
std::optional<std::string> without_groups(std::string_view whole) {
  const std::size_t end = std::min(whole.find_first_not_of("0123456789,"), whole.size());
  const std::string_view text = whole.substr(0, end), unit = whole.substr(end);
  if (text.find(',') == text.npos) return std::string(whole);
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t behind = text.size() - i;
    if (text[i] != ',') digits += text[i];
    else if (i == 0 || behind % 4 != 0) return std::nullopt;
  }
  if (digits.empty() || text.size() - digits.size() != (digits.size() - 1) / 3) return std::nullopt;
  return digits + std::string(unit);
}

struct Parsed {
  enum class What { kNumber, kNegative, kTooLarge, kNone } what = What::kNone;
  std::uint64_t value = 0;
};

Parsed parse(std::string_view text, bool sizes) {
  const auto plain = without_groups(text);
  if (!plain) return {};
  const char* const begin = plain->data();
  const char* const end = begin + plain->size();
  const bool negative = !plain->empty() && *begin == '-';
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(begin + (negative ? 1 : 0), end, value);
  if (error == std::errc::invalid_argument) return {};
  if (stop == end) {
    if (negative && (value != 0 || error != std::errc{})) return {Parsed::What::kNegative};
    if (error != std::errc{}) return {Parsed::What::kTooLarge};
    return {Parsed::What::kNumber, value};
  }
  if (!sizes) return {};
  if (negative) return parse_bytes(plain->substr(1)) ? Parsed{Parsed::What::kNegative} : Parsed{};
  const auto bytes = parse_bytes(*plain);
  return bytes ? Parsed{Parsed::What::kNumber, *bytes} : Parsed{};
}

}  // namespace

std::string allowed(const WholeRange& r) {
  std::string out = "a whole number";
  if (!r.unit.empty()) out += fmt::format(" of {}", r.unit);
  out += r.most == kNoMost
             ? fmt::format(", {} or more", shown_limit(r.least, r))
             : fmt::format(" from {} to {}", shown_limit(r.least, r), shown_limit(r.most, r));
  return r.sizes ? out + ", or a size as 64KiB" : out;
}

std::string allowed(const RealRange& r) {
  if (r.least == std::numeric_limits<double>::lowest() &&
      r.most == std::numeric_limits<double>::max())
    return "a number that is not infinite";
  return r.above ? fmt::format("a number above {} and at most {}", r.least, r.most)
                 : fmt::format("a number from {} to {}", r.least, r.most);
}

Result<std::uint64_t> read_whole(std::string_view text, const WholeRange& range,
                                 const std::string& place) {
  const Parsed found = parse(text, range.sizes);
  const auto less = [&] {
    return refuse(fmt::format("'{}' is less than {}", text, shown_limit(range.least, range)),
                  allowed(range), place);
  };
  const auto more = [&] {
    return refuse(fmt::format("'{}' is more than {}", text, shown_limit(range.most, range)),
                  allowed(range), place);
  };
  switch (found.what) {
    case Parsed::What::kNone: break;
    case Parsed::What::kNegative: return less();
    case Parsed::What::kTooLarge: return more();
    case Parsed::What::kNumber:
      if (found.value < range.least) return less();
      if (found.value > range.most) return more();
      return found.value;
  }
  return refuse(fmt::format("'{}' is not a whole number", text), allowed(range), place);
}

Result<double> read_real(std::string_view text, const RealRange& range, const std::string& place) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    return refuse(fmt::format("'{}' is not a number", text), allowed(range), place);
  if (error != std::errc{}) value = std::numeric_limits<double>::infinity();
  return check_real(value, range, fmt::format("'{}'", text), place);
}

Result<CountedRange> read_counted_range(std::string_view text, std::string_view unit,
                                        const std::string& place) {
  const Error none = refuse(
      fmt::format("'{}' is not a range of {}", text, unit),
      fmt::format("A:B for {} A to B-1, A: for A and later, :B for those before B, or A for one",
                  unit),
      place);
  CountedRange out;
  const std::size_t colon = text.find(':');
  if (text.empty() || text == ":") return none;
  const auto bound = [&](std::string_view part, std::uint64_t& to) -> Result<void> {
    if (part.empty()) return {};
    auto value = read_whole(part, {0, kNoMost - 1, {}, false}, place);
    if (!value)
      return Error{none.kind, none.message + ": " + value.error().message, place, none.fix};
    to = *value;
    return {};
  };
  if (auto ok = bound(text.substr(0, colon), out.first); !ok) return ok.error();
  if (colon == std::string_view::npos) {
    out.end = out.first + 1;
    return out;
  }
  if (auto ok = bound(text.substr(colon + 1), out.end); !ok) return ok.error();
  if (out.first >= out.end)
    return Error{none.kind, none.message + ": it is empty", place, none.fix};
  return out;
}

Result<std::uint64_t> check_whole(std::int64_t value, const WholeRange& range,
                                  const std::string& shown, const std::string& place) {
  if (value < 0 || static_cast<std::uint64_t>(value) < range.least)
    return refuse(fmt::format("{} is less than {}", shown, shown_limit(range.least, range)),
                  allowed(range), place);
  if (static_cast<std::uint64_t>(value) > range.most)
    return refuse(fmt::format("{} is more than {}", shown, shown_limit(range.most, range)),
                  allowed(range), place);
  return static_cast<std::uint64_t>(value);
}

Result<double> check_real(double value, const RealRange& range, const std::string& shown,
                          const std::string& place) {
  if (!std::isfinite(value))
    return refuse(shown + " is not a number that can be counted with", allowed(range), place);
  if (range.above ? value <= range.least : value < range.least)
    return refuse(
        fmt::format("{} is not {} {}", shown, range.above ? "above" : "at least", range.least),
        allowed(range), place);
  if (value > range.most)
    return refuse(fmt::format("{} is more than {}", shown, range.most), allowed(range), place);
  return value;
}

}  // namespace warpmem
