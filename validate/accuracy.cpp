#include "validate/accuracy.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/units.hpp"
#include "validate/accuracy_csv.hpp"

namespace warpmem::validate {

std::string percent(double share) {
  const double p = 100 * share;
  return std::abs(p) < 9.95 ? fmt::format("{:.1f} %", p) : fmt::format("{:.0f} %", p);
}

namespace {

constexpr std::string_view kAccuracyHeading = "gpu,level,engine,metric,launches,equal,median,p90";

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0;;) {
    const std::size_t end = std::min(text.find(by, at), text.size());
    out.push_back(text.substr(at, end - at));
    if (end == text.size()) return out;
    at = end + 1;
  }
}

template <class T>
bool read(std::string_view text, T& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::vector<Accuracy> accuracy_of(const Report& report) {
  std::set<std::string> levels;
  for (const auto& launch : report.launches) levels.insert(launch.level);
  std::vector<Accuracy> out;
  for (const auto& level : levels) {
    std::vector<LaunchComparison> launches;
    for (const auto& launch : report.launches)
      if (launch.level == level) launches.push_back(launch);
    for (const auto& rule : all_rules()) {
      const MetricSummary s = summarise(rule, launches);
      if (s.n == 0) continue;
      out.push_back({report.gpu, level, report.engine, std::string(rule.name), s.n, s.equal,
                     s.median, s.p90});
    }
  }
  return out;
}

std::string accuracy_csv(std::span<const Accuracy> rows) {
  std::string out = std::string(kAccuracyHeading) + "\n";
  for (const Accuracy& a : rows)
    out += fmt::format("{},{},{},{},{},{},{:.4g},{:.4g}\n", a.gpu, a.level, a.engine, a.metric,
                       a.launches, a.equal, a.median, a.p90);
  return out;
}

Result<std::vector<Accuracy>> parse_accuracy(std::string_view text, const std::string& place) {
  std::vector<Accuracy> out;
  const auto lines = split(text, '\n');
  const auto wrong = [&](std::size_t line, const std::string& what) {
    return Error{ErrorKind::kMalformed, what, fmt::format("{}, line {}", place, line + 1),
                 "write the file again with `warpmem validate --accuracy --format csv`"};
  };
  if (lines.front() != kAccuracyHeading)
    return wrong(0, fmt::format("the heading is not '{}'", kAccuracyHeading));
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (lines[i].empty()) continue;
    const auto cells = split(lines[i], ',');
    if (cells.size() != 8) return wrong(i, fmt::format("{} cells, not 8", cells.size()));
    Accuracy a{std::string(cells[0]),
               std::string(cells[1]),
               std::string(cells[2]),
               std::string(cells[3]),
               0,
               0,
               0,
               0};
    if (!read(cells[4], a.launches) || !read(cells[5], a.equal) || !read(cells[6], a.median) ||
        !read(cells[7], a.p90) || a.launches == 0 || a.equal > a.launches)
      return wrong(i, "its numbers are no accuracy");
    if (!find_rule(a.metric)) return wrong(i, fmt::format("no metric is called '{}'", a.metric));
    out.push_back(std::move(a));
  }
  return out;
}

std::span<const Accuracy> measured_accuracy() {
  static const std::vector<Accuracy> rows = [] {
    auto parsed = parse_accuracy(kAccuracyCsv, "validate/accuracy.csv");
    return parsed ? std::move(*parsed) : std::vector<Accuracy>();  // a test reads the file
  }();
  return rows;
}

const Accuracy* measured_accuracy(std::string_view gpu, std::string_view level,
                                  std::string_view engine, std::string_view metric) {
  for (const Accuracy& a : measured_accuracy())
    if (a.metric == metric && a.gpu == gpu && a.level == level && a.engine == engine) return &a;
  return nullptr;
}

std::string accuracy_text(const Accuracy& a) {
  if (a.equal == a.launches)
    return a.launches == 1 ? "equal in the one launch"
                           : fmt::format("equal in all {}", grouped(a.launches));
  return fmt::format("median {}, 90th percentile {}", percent(a.median), percent(a.p90));
}

}  // namespace warpmem::validate
