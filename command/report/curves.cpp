// The curves that a report draws: CSV files, and results of sweeps.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>

#include "base/printable.hpp"
#include "base/read_number.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"
#include "command/explore/table.hpp"
#include "command/report/input.hpp"
#include "sweep/store.hpp"

namespace warpmem::command {
namespace {

bool is_sweep(const std::string& path) {
  constexpr std::string_view kMagic = "SQLite format 3";  // of every SQLite file
  std::string begin(kMagic.size(), '\0');
  std::ifstream in = open_to_read(path);
  return in.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == kMagic;
}

// The last axis of which all values are numbers: the one that a chart goes along.
std::optional<std::size_t> axis_of_numbers(const SweepTable& t) {
  for (std::size_t a = t.axes.size(); a-- > 0;) {
    bool numbers = true;
    for (const std::string& v : t.axes[a].values)
      numbers = numbers && (parse_bytes(v) || read_real(v, {-1e300, 1e300}, "axis"));
    if (numbers) return a;
  }
  return std::nullopt;
}

double number_of(const std::string& v) {
  if (const auto bytes = parse_bytes(v)) return static_cast<double>(*bytes);
  return *read_real(v, {-1e300, 1e300}, "axis");
}

// A chart for each figure; a line for each trace and each choice of the other axes.
Result<std::vector<ReportCurves>> curves_of(const SweepTable& t, const std::string& path) {
  const auto x = axis_of_numbers(t);
  if (!x)
    return Error{ErrorKind::kUsage, "no axis of this sweep has numbers to draw along",
                 printable(path), "vary a number of the card: explore T --vary l2.size=8MiB:64MiB"};
  std::vector<ReportCurves> out;
  for (const SweepSeries& s : t.series) {
    auto chart = std::ranges::find_if(
        out, [&](const ReportCurves& c) { return c.title.ends_with(": " + s.metric); });
    if (chart == out.end())
      chart = out.insert(out.end(), {file_name(path) + ": " + s.metric, t.axes[*x].key, true, {}});
    std::map<std::string, ReportCurves::Series> lines;
    for (std::size_t p = 0; p < t.points.size(); ++p) {
      if (!t.points[p].left_out.empty() || !s.values[p].known()) continue;
      std::string name = s.trace;
      for (std::size_t a = 0; a < t.axes.size(); ++a)
        if (a != *x)
          name += fmt::format("{}{}={}", name.empty() ? "" : ", ", t.axes[a].key,
                              t.points[p].values[a]);
      ReportCurves::Series& line = lines[name];
      line.name = name.empty() ? s.metric : name;
      line.points.emplace_back(number_of(t.points[p].values[*x]), s.values[p].value);
    }
    for (auto& [name, line] : lines) chart->series.push_back(std::move(line));
  }
  return out;
}

Result<std::vector<ReportCurves>> read_sweep(const std::string& path) {
  const auto stored = sweep::read_store(path);
  if (!stored) return stored.error();
  const auto engine =
      std::ranges::find(stored->identity, "engine", &std::pair<std::string, std::string>::first);
  const bool counts = engine != stored->identity.end() && engine->second == "counts";
  return curves_of(sweep_table(stored->result, {}, counts), path);
}

Error bad_curves(const std::string& path, std::size_t line, const std::string& message) {
  return {ErrorKind::kMalformed, message, fmt::format("{}, line {}", printable(path), line),
          "give a CSV file: a heading such as l1.size,cycles, then a row of numbers a point; or "
          "what explore --results wrote"};
}

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

Result<ReportCurves> read_curves(const std::string& path) {
  auto text = read_report_text(path, "--curves");
  if (!text) return text.error();
  const std::vector<std::string> lines = report_lines(*text);
  ReportCurves out;
  out.title = file_name(path);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].empty() || lines[i].front() == '#') continue;
    const std::vector<std::string> cells = cells_of(lines[i]);
    if (out.x.empty()) {
      if (cells.size() < 2) return bad_curves(path, i + 1, "the heading has less than two names");
      out.x = cells.front();
      for (std::size_t c = 1; c < cells.size(); ++c) out.series.push_back({cells[c], {}});
      continue;
    }
    if (cells.size() > out.series.size() + 1)
      return bad_curves(path, i + 1, "the row has more cells than the heading");
    double x = 0;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0 && cells[c].empty()) continue;  // no such point
      const auto v = read_real(cells[c], {-1e300, 1e300}, "cell");
      if (!v) return bad_curves(path, i + 1, fmt::format("'{}' is no number", cells[c]));
      if (c == 0) x = *v;
      else out.series[c - 1].points.emplace_back(x, *v);
    }
  }
  if (out.x.empty() || out.series.front().points.empty())
    return bad_curves(path, lines.size(), "the file holds no point");
  return out;
}

}  // namespace

Result<void> add_curves(const std::vector<std::string>& files, Report& report) {
  for (const std::string& path : files) {
    if (is_sweep(path)) {
      auto charts = read_sweep(path);
      if (!charts) return charts.error();
      for (ReportCurves& c : *charts) report.curves.push_back(std::move(c));
      continue;
    }
    auto curves = read_curves(path);
    if (!curves) return curves.error();
    report.curves.push_back(std::move(*curves));
  }
  return {};
}

}  // namespace warpmem::command
