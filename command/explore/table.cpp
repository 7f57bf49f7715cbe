#include "command/explore/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include "base/nearest.hpp"
#include "base/units.hpp"
#include "metrics/formula.hpp"
#include "sweep/knee.hpp"
#include "views/sweep.hpp"

namespace warpmem::command {
namespace {

struct ShortMetric {
  const char *name, *formula, *unit;
};
constexpr ShortMetric kShorts[] = {
    {"cycles", "sm__cycles_elapsed.max", "cycles"},
    {"time", "gpu__time_duration.sum / 1000", "us"},
    {"load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "sectors"},
    {"store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "sectors"},
    {"wavefronts", "memory_l1_wavefronts_shared", "wavefronts"},
    {"l2_reads", "lts__t_sectors_srcunit_tex_op_read.sum", "sectors"},
    {"l2_sectors",
     "lts__t_sectors_srcunit_tex_op_read.sum + lts__t_sectors_srcunit_tex_op_write.sum + "
     "lts__t_sectors_srcunit_tex_op_atom.sum + lts__t_sectors_srcunit_tex_op_red.sum",
     "sectors"},
    {"dram_sectors", "dram__sectors_read.sum + dram__sectors_write.sum", "sectors"},
    {"l1_hit_rate",
     "100 * l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum / "
     "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "%"},
    {"l2_hit_rate",
     "100 * lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum / "
     "lts__t_sectors_srcunit_tex_op_read.sum",
     "%"}};

const ShortMetric* find_short(std::string_view name) {
  const auto at =
      std::ranges::find_if(kShorts, [&](const ShortMetric& s) { return name == s.name; });
  return at == std::end(kShorts) ? nullptr : &*at;
}

std::string unit_of(const std::string& expression, const std::vector<SweepMetric>& metrics) {
  if (const ShortMetric* s = find_short(expression)) return s->unit;
  const auto at = std::ranges::find(metrics, expression, &SweepMetric::name);
  return at == metrics.end() ? "" : at->unit;
}

// Numbers along an axis: sizes are numbers too.
std::optional<std::vector<double>> numbers_of(const SweepAxis& axis) {
  std::vector<double> out;
  for (const std::string& v : axis.values) {
    const auto n = parse_bytes(v);
    if (!n) return {};
    out.push_back(static_cast<double>(*n));
    if (out.size() > 1 && out.back() <= out[out.size() - 2]) return {};
  }
  return out;
}

// Values that grow by factors are looked at by their logarithms.
void by_factors(std::vector<double>& x) {
  const std::size_t n = x.size();
  if (n < 3 || x[0] <= 0 || (x[n - 1] - x[n - 2]) < 1.5 * (x[1] - x[0])) return;
  for (double& v : x) v = std::log2(v);
}

// Along the last axis, for each value of the others.
void find_knees(SweepTable& t) {
  if (t.axes.empty()) return;
  const auto all = numbers_of(t.axes.back());
  if (!all) return;
  for (std::size_t s = 0; s < t.series.size(); ++s) {
    std::map<std::vector<std::string>, std::vector<std::size_t>> groups;
    for (std::size_t p = 0; p < t.points.size(); ++p)
      if (t.points[p].left_out.empty() && t.series[s].values[p].known())
        groups[{t.points[p].values.begin(), t.points[p].values.end() - 1}].push_back(p);
    for (const auto& [of, points] : groups) {
      std::vector<double> x, y;
      for (const std::size_t p : points) {
        const auto at = std::ranges::find(t.axes.back().values, t.points[p].values.back());
        x.push_back((*all)[static_cast<std::size_t>(at - t.axes.back().values.begin())]);
        y.push_back(t.series[s].values[p].value);
      }
      by_factors(x);
      if (const auto found = sweep::knee(x, y)) t.knees.push_back({s, points[*found]});
    }
  }
}

}  // namespace

Result<void> check_expressions(const std::vector<std::string>& expressions,
                               const SweepResult& sweep, const std::string& place) {
  std::vector<std::string> known;
  for (const ShortMetric& s : kShorts) known.emplace_back(s.name);
  for (const SweepMetric& m : sweep.metrics) known.push_back(m.name);
  for (const SweepAxis& a : sweep.axes) known.push_back(a.key);
  for (const std::string& e : expressions) {
    for (const std::string& name : metrics::names_in(e)) {
      if (std::ranges::find(known, name) != known.end()) continue;
      const std::string near = nearest(name, known);
      return Error{ErrorKind::kUsage, fmt::format("no metric is called '{}'", name), place,
                   near.empty()
                       ? "see their names with: warpmem metrics; short ones are cycles, time, "
                         "l1_hit_rate, l2_hit_rate, l2_reads, l2_sectors, dram_sectors, "
                         "load_sectors, store_sectors, wavefronts"
                       : fmt::format("did you mean '{}'?", near)};
    }
    const auto tried = metrics::evaluate(e, [](std::string_view) { return metrics::Value{1, {}}; });
    if (!tried.known() && tried.missing.starts_with("the formula"))
      return Error{ErrorKind::kUsage, fmt::format("'{}' cannot be read", e), place,
                   "write names and numbers with + - * / and parentheses: dram_sectors / cycles"};
  }
  return {};
}

MetricValue value_of(const std::string& expression, const SweepResult& sweep,
                     const SweepPoint& point, std::size_t trace) {
  const std::function<metrics::Value(std::string_view)> named = [&](std::string_view name) {
    if (const ShortMetric* s = find_short(name)) return metrics::evaluate(s->formula, named);
    for (std::size_t a = 0; a < sweep.axes.size(); ++a) {
      if (sweep.axes[a].key != name) continue;
      const auto n = parse_bytes(point.values[a]);
      if (!n) return metrics::Value{0, fmt::format("{} is no number", point.values[a])};
      return metrics::Value{static_cast<double>(*n), {}};
    }
    const auto at = std::ranges::find(sweep.metrics, name, &SweepMetric::name);
    if (at == sweep.metrics.end()) return metrics::Value{0, fmt::format("{} is not there", name)};
    const MetricValue& v =
        point.metrics[trace][static_cast<std::size_t>(at - sweep.metrics.begin())];
    return metrics::Value{v.value, v.missing};
  };
  const metrics::Value v = metrics::evaluate(expression, named);
  return {v.known() ? v.value : 0, v.missing};
}

SweepTable sweep_table(const SweepResult& result, std::vector<std::string> expressions,
                       bool counts) {
  // Cycles of GPUs with other clocks are no measure of each other.
  const bool clocks = std::ranges::any_of(result.axes, [](const SweepAxis& axis) {
    return axis.key == "gpu" || axis.key == "sm.clock_mhz";
  });
  if (expressions.empty())
    expressions = counts ? std::vector<std::string>{"l1_hit_rate", "l2_reads", "dram_sectors"}
                         : std::vector<std::string>{clocks ? "time" : "cycles", "l1_hit_rate",
                                                    "dram_sectors"};
  SweepTable out;
  out.axes = result.axes;
  for (const SweepPoint& p : result.points) out.points.push_back({p.number, p.values, p.left_out});
  for (std::size_t t = 0; t < result.traces.size(); ++t)
    for (const std::string& e : expressions) {
      SweepSeries& s = out.series.emplace_back();
      s.trace = result.traces.size() > 1 ? result.traces[t] : "";
      s.metric = e;
      s.unit = unit_of(e, result.metrics);
      for (const SweepPoint& p : result.points)
        s.values.push_back(p.left_out.empty() ? value_of(e, result, p, t)
                                              : MetricValue{0, "left out"});
    }
  find_knees(out);
  return out;
}

Result<ExploreOutputs> open_outputs(const ExploreOptions& options) {
  auto output = Output::open(options.output);
  if (!output) return output.error();
  ExploreOutputs out{std::move(output).value(), std::nullopt};
  if (options.svg.empty()) return out;
  auto svg = create_output(options.svg, options.output.force);
  if (!svg) return svg.error();
  out.svg.emplace(std::move(svg).value());
  return out;
}

Result<OutputFile> create_results(const std::string& path, bool force) {
  auto file = OutputFile::create(path, {.replace = force});
  if (file && !file->place().note.empty()) note(file->place().note);
  return file;
}

int show_sweep(const ExploreOptions& options, const SweepTable& table, ExploreOutputs& outputs) {
  if (outputs.svg) {
    if (auto ok = outputs.svg->write(views::sweep_svg(table)); !ok) return fail(ok.error());
    if (auto ok = outputs.svg->publish(); !ok) return fail(ok.error());
  }
  Output& output = outputs.output;
  return emit(
      output, options.output.format,
      [&] {
        std::string out = views::sweep_text(table, output.terminal());
        if (options.plot) out += "\n" + views::sweep_plot(table, output.terminal());
        return out;
      },
      [&] { return views::sweep_json(table); }, [&] { return views::sweep_csv(table); });
}

}  // namespace warpmem::command
