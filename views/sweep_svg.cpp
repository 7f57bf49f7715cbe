#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/units.hpp"
#include "views/markup.hpp"
#include "views/sweep.hpp"

namespace warpmem::views {
namespace {

constexpr double kWidth = 720, kHeight = 360, kPlotLeft = 90, kPlotTop = 40, kBottom = 70,
                 kRight = 220;

struct Line {
  std::string name;
  std::vector<std::pair<std::size_t, double>> at;  // place on the last axis, value
  std::vector<std::size_t> knees;                  // into `at`
};

// One line for each value of the axes before the last.
std::vector<Line> lines_of(const SweepTable& t, std::size_t series) {
  std::vector<Line> out;
  const std::vector<std::string>& along = t.axes.back().values;
  for (std::size_t p = 0; p < t.points.size(); ++p) {
    const SweepTable::Point& point = t.points[p];
    std::string name;
    for (std::size_t a = 0; a + 1 < t.axes.size(); ++a)
      name += fmt::format("{}{} = {}", a ? ", " : "", t.axes[a].key, point.values[a]);
    auto line = std::ranges::find(out, name, &Line::name);
    if (line == out.end()) line = out.insert(out.end(), {name, {}, {}});
    const MetricValue& v = t.series[series].values[p];
    if (!point.left_out.empty() || !v.known()) continue;
    for (const SweepKnee& k : t.knees)
      if (k.series == series && k.point == p) line->knees.push_back(line->at.size());
    const auto place = std::ranges::find(along, point.values.back()) - along.begin();
    line->at.emplace_back(static_cast<std::size_t>(place), v.value);
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" {}>{}</text>\n", x, y, more, escaped(text));
}

std::string chart(const SweepTable& t, std::size_t series, double top) {
  const std::vector<Line> lines = lines_of(t, series);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Line& l : lines)
    for (const auto& [place, value] : l.at)
      least = std::min(least, value), most = std::max(most, value);
  std::string out =
      text_at(kPlotLeft, top + 20,
              (t.series[series].trace.empty() ? "" : t.series[series].trace + ": ") +
                  t.series[series].metric +
                  (t.series[series].unit.empty() ? "" : " [" + t.series[series].unit + "]"),
              "font-weight=\"bold\"");
  if (most < least) return out + text_at(kPlotLeft, top + 60, "nothing is known");
  least = std::min(least, 0.0);
  if (most <= least) most = least + 1;
  const std::size_t count = std::max<std::size_t>(2, t.axes.back().values.size());
  const double width = kWidth - kPlotLeft - kRight, height = kHeight - kPlotTop - kBottom;
  const auto x = [&](std::size_t place) {
    return kPlotLeft + width * static_cast<double>(place) / static_cast<double>(count - 1);
  };
  const auto y = [&](double value) {
    return top + kPlotTop + height * (1 - (value - least) / (most - least));
  };
  out += fmt::format("<path d=\"M{:.1f} {:.1f}V{:.1f}H{:.1f}\" fill=\"none\" stroke=\"#444\"/>\n",
                     kPlotLeft, top + kPlotTop, top + kPlotTop + height, kPlotLeft + width);
  for (const double v : {least, (least + most) / 2, most})
    out += text_at(kPlotLeft - 6, y(v) + 4, number(v), "text-anchor=\"end\"");
  const std::size_t every = (t.axes.back().values.size() + 9) / 10;
  for (std::size_t i = 0; i < t.axes.back().values.size(); i += every)
    out += text_at(x(i), top + kPlotTop + height + 18, t.axes.back().values[i],
                   "text-anchor=\"middle\"");
  out += text_at(kPlotLeft + width / 2, top + kPlotTop + height + 40, t.axes.back().key,
                 "text-anchor=\"middle\"");
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string colour = fmt::format("hsl({},70%,40%)", i * 360 / lines.size());
    std::string points;
    for (const auto& [place, value] : lines[i].at)
      points += fmt::format("{:.1f},{:.1f} ", x(place), y(value));
    out += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n",
                       points, colour);
    for (const std::size_t k : lines[i].knees) {
      const auto& [place, value] = lines[i].at[k];
      out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"5\" fill=\"{}\"/>\n", x(place),
                         y(value), colour);
      out += text_at(x(place) + 8, y(value) - 8, "knee: " + t.axes.back().values[place]);
    }
    if (!lines[i].name.empty())
      out += text_at(kWidth - kRight + 16, top + kPlotTop + 14 + 16 * static_cast<double>(i),
                     lines[i].name, fmt::format("fill=\"{}\"", colour).c_str());
  }
  return out;
}

}  // namespace

std::string sweep_svg(const SweepTable& t) {
  const double height = kHeight * static_cast<double>(std::max<std::size_t>(1, t.series.size()));
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
      "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, height);
  if (!t.axes.empty())
    for (std::size_t s = 0; s < t.series.size(); ++s)
      out += chart(t, s, kHeight * static_cast<double>(s));
  return out + "</svg>\n";
}

}  // namespace warpmem::views
