#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "views/sweep.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

std::string title_of(const SweepSeries& s) {
  std::string out = s.metric;
  if (!s.unit.empty()) out += " [" + s.unit + "]";
  return s.trace.empty() ? out : s.trace + ": " + out;
}

std::string cell(const MetricValue& v) { return v.known() ? number(v.value) : "n/a"; }

bool has_knee(const SweepTable& t, std::size_t series, std::size_t point) {
  return std::ranges::any_of(
      t.knees, [&](const SweepKnee& k) { return k.series == series && k.point == point; });
}

// Rows: the first axis; columns: the second.
std::string matrix(const SweepTable& t, const Terminal& terminal) {
  std::vector<Column> columns{{t.axes[0].key + " \\ " + t.axes[1].key}};
  for (const std::string& v : t.axes[1].values) columns.push_back({v, Align::kRight});
  Table table(std::move(columns));
  std::map<std::pair<std::string, std::string>, std::size_t> at;
  for (std::size_t p = 0; p < t.points.size(); ++p)
    at[{t.points[p].values[0], t.points[p].values[1]}] = p;
  for (const std::string& row : t.axes[0].values) {
    std::vector<std::string> cells{row};
    for (const std::string& column : t.axes[1].values) {
      const auto found = at.find({row, column});
      if (found == at.end()) cells.emplace_back("");
      else if (!t.points[found->second].left_out.empty()) cells.emplace_back("-");
      else
        cells.push_back(cell(t.series[0].values[found->second]) +
                        (has_knee(t, 0, found->second) ? " *" : ""));
    }
    table.row(std::move(cells));
  }
  return title_of(t.series[0]) + "\n" + table.text(terminal);
}

std::string rows(const SweepTable& t, const Terminal& terminal) {
  std::vector<Column> columns;
  for (const SweepAxis& a : t.axes) columns.push_back({a.key, Align::kRight});
  for (const SweepSeries& s : t.series) columns.push_back({title_of(s), Align::kRight});
  columns.push_back({""});
  Table table(std::move(columns));
  for (std::size_t p = 0; p < t.points.size(); ++p) {
    std::vector<std::string> cells = t.points[p].values;
    std::string remark;
    for (std::size_t s = 0; s < t.series.size(); ++s) {
      cells.push_back(t.points[p].left_out.empty() ? cell(t.series[s].values[p]) : "-");
      if (has_knee(t, s, p)) remark += (remark.empty() ? "knee of " : ", ") + t.series[s].metric;
    }
    if (t.best == p) remark = "best";
    cells.push_back(remark);
    table.row(std::move(cells));
  }
  return table.text(terminal);
}

}  // namespace

std::string sweep_text(const SweepTable& t, const Terminal& terminal) {
  const bool two = t.axes.size() == 2 && t.series.size() == 1 && !t.best;
  std::string out = two ? matrix(t, terminal) : rows(t, terminal);
  if (two && !t.knees.empty()) out += "*: the knee of its row\n";
  // Reasons that are alike are told once.
  std::vector<std::pair<std::string, std::string>> reasons;  // reason, the first such point
  std::map<std::string, std::size_t> count;
  for (const SweepTable::Point& p : t.points) {
    if (p.left_out.empty() || count[p.left_out]++ > 0) continue;
    reasons.emplace_back(p.left_out, fmt::format("{}", fmt::join(p.values, ", ")));
  }
  for (const auto& [reason, first] : reasons)
    out += count[reason] == 1
               ? fmt::format("left out: {}: {}\n", printable(first), printable(reason))
               : fmt::format("left out: {} and {} more: {}\n", printable(first), count[reason] - 1,
                             printable(reason));
  for (const SweepSeries& s : t.series)
    for (std::size_t p = 0; p < s.values.size(); ++p)
      if (t.points[p].left_out.empty() && !s.values[p].known()) {
        out += fmt::format("n/a: {}: {}\n", printable(s.metric), printable(s.values[p].missing));
        break;
      }
  for (const std::string& n : t.notes) out += "note: " + printable(n) + "\n";
  return out;
}

std::string sweep_csv(const SweepTable& t) {
  std::string out = "point";
  for (const SweepAxis& a : t.axes) out += "," + csv_cell(a.key);
  out += ",trace,metric,unit,value,missing\n";
  for (std::size_t p = 0; p < t.points.size(); ++p)
    for (const SweepSeries& s : t.series) {
      const SweepTable::Point& point = t.points[p];
      out += std::to_string(point.number);
      for (const std::string& v : point.values) out += "," + csv_cell(v);
      out += "," + csv_cell(s.trace) + "," + csv_cell(s.metric) + "," + csv_cell(s.unit) + ",";
      if (!point.left_out.empty()) out += "," + csv_cell("left out: " + point.left_out);
      else if (!s.values[p].known()) out += "," + csv_cell(s.values[p].missing);
      else out += fmt::format("{},", s.values[p].value);
      out += "\n";
    }
  return out;
}

std::string sweep_json(const SweepTable& t) {
  Json out;
  out["schema"] = 1;
  out["axes"] = Json::array();
  for (const SweepAxis& a : t.axes) out["axes"].push_back({{"key", a.key}, {"values", a.values}});
  out["points"] = Json::array();
  for (std::size_t p = 0; p < t.points.size(); ++p) {
    Json point;
    point["point"] = t.points[p].number;
    for (std::size_t a = 0; a < t.axes.size(); ++a)
      point["values"][t.axes[a].key] = t.points[p].values[a];
    if (!t.points[p].left_out.empty()) point["left_out"] = t.points[p].left_out;
    else
      for (const SweepSeries& s : t.series) {
        Json value{{"metric", s.metric}, {"unit", s.unit}};
        if (!s.trace.empty()) value["trace"] = s.trace;
        if (s.values[p].known()) value["value"] = s.values[p].value;
        else value["missing"] = s.values[p].missing;
        point["metrics"].push_back(std::move(value));
      }
    if (t.best == p) point["best"] = true;
    out["points"].push_back(std::move(point));
  }
  out["knees"] = Json::array();
  for (const SweepKnee& k : t.knees)
    out["knees"].push_back({{"metric", t.series[k.series].metric},
                            {"trace", t.series[k.series].trace},
                            {"point", t.points[k.point].number}});
  out["notes"] = t.notes;
  return out.text(2) + "\n";
}

std::string sweep_plot(const SweepTable& t, const Terminal& terminal) {
  std::string out;
  std::size_t label = 0;
  for (const SweepTable::Point& p : t.points)
    label = std::max(label, display_width(p.values.empty() ? "" : p.values.back()));
  const std::size_t room =
      terminal.width > label + 34 ? terminal.width - label - 26 : std::size_t{10};
  for (std::size_t s = 0; s < t.series.size(); ++s) {
    double most = 0;
    for (const MetricValue& v : t.series[s].values)
      if (v.known()) most = std::max(most, std::abs(v.value));
    out += styled(title_of(t.series[s]), Style::kBold, terminal.colour) + "\n";
    std::vector<std::string> group;
    for (std::size_t p = 0; p < t.points.size(); ++p) {
      const SweepTable::Point& point = t.points[p];
      const std::vector<std::string> of(point.values.begin(),
                                        point.values.end() - (point.values.empty() ? 0 : 1));
      if (of != group) {
        group = of;
        for (std::size_t a = 0; a < of.size(); ++a)
          out += fmt::format("{}{} = {}", a ? ", " : "", t.axes[a].key, printable(of[a]));
        out += "\n";
      }
      const std::string name = point.values.empty() ? "" : printable(point.values.back());
      out += std::string(label - std::min(label, display_width(name)), ' ') + name + " ";
      if (!point.left_out.empty()) {
        out += "- left out\n";
        continue;
      }
      const MetricValue& v = t.series[s].values[p];
      if (!v.known()) {
        out += "n/a\n";
        continue;
      }
      const auto bars = static_cast<std::size_t>(
          most > 0 ? std::lround(std::abs(v.value) / most * static_cast<double>(room)) : 0);
      for (std::size_t i = 0; i < bars; ++i) out += "█";
      out += " " + number(v.value) + (has_knee(t, s, p) ? "  ◄ knee" : "") + "\n";
    }
  }
  return out;
}

}  // namespace warpmem::views
