#include "validate/units.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace warpmem::validate {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trim(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

struct Prefix {
  std::string_view text;
  double factor;
};
constexpr std::array kLarge{Prefix{"Ki", 1024.0},       Prefix{"Mi", 1048576.0},
                            Prefix{"Gi", 1073741824.0}, Prefix{"Ti", 1099511627776.0},
                            Prefix{"K", 1e3},           Prefix{"k", 1e3},
                            Prefix{"M", 1e6},           Prefix{"G", 1e9},
                            Prefix{"T", 1e12},          Prefix{"P", 1e15}};
constexpr std::array kSmall{Prefix{"n", 1.0}, Prefix{"u", 1e3}, Prefix{"m", 1e6}};  // to ns

constexpr std::array<std::string_view, 20> kCounted{
    "byte",  "bytes",    "sector", "inst",      "cycle",       "request", "warp",     "thread",
    "block", "register", "bit",    "wavefront", "transaction", "tag",     "conflict", "hz",
    "Hz",    "%",        "SM",     "B"};

// nanoseconds in one "ns", "usecond", "s", …
std::optional<double> nanoseconds(std::string_view s) {
  const auto is_second = [](std::string_view t) {
    return t == "s" || t == "sec" || t == "second" || t == "seconds";
  };
  if (is_second(s)) return 1e9;
  for (const auto& p : kSmall)
    if (s.size() > 1 && s.starts_with(p.text) && is_second(s.substr(1))) return p.factor;
  return std::nullopt;
}

// A noun that is counted, with an optional prefix: "sector", "Mbyte", "Ghz".
std::optional<UnitScale> counted(std::string_view s) {
  const auto noun = [](std::string_view t) -> std::optional<std::string> {
    if (std::find(kCounted.begin(), kCounted.end(), t) == kCounted.end()) return std::nullopt;
    if (t == "bytes" || t == "B") return "byte";
    if (t == "Hz") return "hz";
    return std::string(t);
  };
  if (auto n = noun(s)) return UnitScale{1, *n, true};
  for (const auto& p : kLarge)
    if (s.starts_with(p.text))
      if (auto n = noun(s.substr(p.text.size()))) return UnitScale{p.factor, *n, true};
  return std::nullopt;
}

// Characters some locales put between groups of three: ' and the spaces.
std::string without_group_marks(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s.substr(i).starts_with("\xC2\xA0")) {
      i += 1;
      continue;
    }  // no-break space
    if (s.substr(i).starts_with("\xE2\x80\xAF")) {
      i += 2;
      continue;
    }  // narrow no-break space
    if (s.substr(i).starts_with("\xE2\x80\x99")) {
      i += 2;
      continue;
    }  // the typographic apostrophe
    if (s[i] == '\'' || s[i] == ' ') continue;
    out += s[i];
  }
  return out;
}

// "1,31,072", as in India: a last group of three behind groups of two. Of at least two marks, so
// that it is no other way of writing.
bool grouped_by_two(std::string_view digits) {
  if (std::count(digits.begin(), digits.end(), ',') < 2) return false;
  std::size_t run = 0, group = 0;
  for (std::size_t i = digits.size(); i-- > 0;) {
    const std::size_t full = group == 0 ? 3 : 2;
    if (is_digit(digits[i])) {
      if (++run > full) return false;
      continue;
    }
    if (digits[i] != ',' || run != full) return false;
    ++group, run = 0;
  }
  return run > 0;
}

// "1,234,567": groups of three after the first, which has one to three digits.
bool groups_of_three(std::string_view digits, char mark) {
  if (mark == ',' && grouped_by_two(digits)) return true;
  std::size_t run = 0;
  bool first = true;
  for (char c : digits) {
    if (is_digit(c)) {
      ++run;
      continue;
    }
    if (c != mark || run == 0 || run > 3 || (!first && run != 3)) return false;
    first = false;
    run = 0;
  }
  return first ? run > 0 : run == 3;
}

}  // namespace

UnitScale unit_scale(std::string_view printed) {
  const std::string_view s = trim(printed);
  if (s.empty() || s == "1") return {1, "", true};
  if (const auto ns = nanoseconds(s)) return {*ns, "ns", true};
  if (auto c = counted(s)) return *c;
  if (const auto slash = s.find('/'); slash != std::string_view::npos) {
    const auto top = counted(trim(s.substr(0, slash)));
    const auto below = trim(s.substr(slash + 1));
    if (top) {
      if (const auto ns = nanoseconds(below)) {
        const double per_second = top->factor / *ns * 1e9;
        return {per_second, top->base == "cycle" ? "hz" : top->base + "/s", true};
      }
      if (auto c = counted(below))
        return {top->factor / c->factor, top->base + "/" + c->base, true};
      return {top->factor, top->base + "/" + std::string(below), true};
    }
  }
  return {1, std::string(s), false};
}

std::optional<NumberStyle> style_evidence(std::string_view text) {
  const std::string s = without_group_marks(trim(text));
  const auto comma = s.rfind(','), point = s.rfind('.');
  const auto npos = std::string::npos;
  for (char c : s)
    if (!is_digit(c) && c != ',' && c != '.' && c != '-') return std::nullopt;
  if (comma == npos && point == npos) return std::nullopt;
  // Both marks: the last one is the decimal.
  if (comma != npos && point != npos)
    return comma > point ? NumberStyle::kComma : NumberStyle::kPoint;
  const char mark = comma != npos ? ',' : '.';
  const NumberStyle as_group = mark == ',' ? NumberStyle::kPoint : NumberStyle::kComma;
  const NumberStyle as_decimal = mark == ',' ? NumberStyle::kComma : NumberStyle::kPoint;
  if (std::count(s.begin(), s.end(), mark) > 1) {  // a version number is no evidence
    if (!groups_of_three(s.front() == '-' ? std::string_view(s).substr(1) : s, mark))
      return std::nullopt;
    return as_group;
  }
  const auto at = s.find(mark);
  const std::size_t start = s.front() == '-' ? 1 : 0;
  // One mark: three digits after it and one to three before may be either.
  if (s.size() - at - 1 == 3 && at - start >= 1 && at - start <= 3 && s[start] != '0')
    return std::nullopt;
  return as_decimal;
}

ParsedNumber parse_number(std::string_view text, NumberStyle style) {
  std::string_view s = trim(text);
  if (s.starts_with("(!)")) s = trim(s.substr(3));
  if (s.empty()) return {std::nullopt, "empty cell", false};
  // "131072 (65536; 65536)": the total, then its instances.
  if (s.back() == ')' && s.front() != '(')
    if (const auto open = s.find(" ("); open != std::string_view::npos) s = trim(s.substr(0, open));
  std::string lower(s);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  for (std::string_view none : {"n/a", "na", "nan", "-nan", "inf", "-inf", "no data", "none", "-"})
    if (lower == none)
      return {std::nullopt, fmt::format("the profiler printed {}", s), false,
              none.find("nan") != none.npos || none.find("inf") != none.npos};

  std::string t = without_group_marks(s);
  const char group = style == NumberStyle::kPoint ? ',' : '.';
  const char decimal = style == NumberStyle::kPoint ? '.' : ',';
  std::size_t end = 0;
  while (end < t.size() && (is_digit(t[end]) || t[end] == group || (end == 0 && t[end] == '-')))
    ++end;
  const std::size_t start = !t.empty() && t[0] == '-' ? 1 : 0;
  const std::string_view whole = std::string_view(t).substr(start, end - start);
  if (whole.find(group) != std::string_view::npos && !groups_of_three(whole, group))
    return {std::nullopt, fmt::format("not a number: \"{}\"", s), true};
  std::string plain;
  for (char c : t) {
    if (c == group) continue;
    plain += c == decimal ? '.' : c;
  }
  double value = 0;
  const auto [stop, error] = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  if (error != std::errc{} || stop != plain.data() + plain.size() || !std::isfinite(value))
    return {std::nullopt, fmt::format("not a number: \"{}\"", s.substr(0, 40)), true};
  return {value, "", false};
}

}  // namespace warpmem::validate
