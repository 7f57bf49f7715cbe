#include "command/diff/view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/screen/table.hpp"
#include "validate/kernel_name.hpp"
#include "validate/metric_map.hpp"

namespace warpmem::command {
namespace {

std::string shown(const MetricValue& value) {
  return value.known() ? number(value.value) : fmt::format("n/a ({})", value.missing);
}

std::string change(const Difference& d) {
  if (!d.before.known() || !d.after.known()) return "n/a";
  return validate::error_text(validate::relative_error(d.after.value, d.before.value));
}

std::string both(const std::string& before, const std::string& after) {
  return before == after ? before : before + " -> " + after;
}

// Programs write one kernel's parameters in several ways.
std::string kernels(const std::string& before, const std::string& after) {
  const bool one = validate::kernel_signature(before) == validate::kernel_signature(after);
  return one ? before : both(before, after);
}

std::string engine(const std::string& name) { return name.empty() ? "not named" : name; }

std::string by_whom(const std::string& name) {
  if (name == "time" || name == "counts" || name.empty())
    return fmt::format("both by the {} engine\n", engine(name));
  return fmt::format("both measured, by {}\n", name);
}

// A table for each pair of launches that differ, under the kernels' names.
std::string counters_text(const DiffResult& result, const views::Terminal& terminal) {
  std::string out;
  const auto& all = result.differences;
  for (auto from = all.begin(); from != all.end();) {
    const LaunchPair& pair = from->pair;
    const auto to = std::find_if(from, all.end(), [&](const Difference& d) {
      return d.pair.before != pair.before || d.pair.after != pair.after;
    });
    const std::string which = fmt::format(
        "launch {}: {}", both(grouped(pair.before->launch), grouped(pair.after->launch)),
        printable(kernels(pair.before->kernel, pair.after->kernel)));
    out += (out.empty() ? "" : "\n") + views::wrapped(which, terminal.width, 2);
    Table table({{"metric"},
                 {"before", Align::kRight},
                 {"after", Align::kRight},
                 {"change", Align::kRight}});
    for (; from != to; ++from)
      table.row({from->metric, shown(from->before), shown(from->after), change(*from)});
    out += table.text(terminal);
  }
  for (const LaunchMetrics* l : result.only_before)
    out += fmt::format("launch {} only before: {}\n", l->launch, printable(l->kernel));
  for (const LaunchMetrics* l : result.only_after)
    out += fmt::format("launch {} only after: {}\n", l->launch, printable(l->kernel));
  return out;
}

std::string lines_text(const DiffResult& result, const views::Terminal& terminal) {
  constexpr std::size_t kMostLines = 20;
  if (result.lines.empty()) return {};
  Table lines({{"line"},
               {"counter"},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"change", Align::kRight}});
  const auto percent = [](const LineDifference& d) {
    return validate::error_text(
        validate::relative_error(static_cast<double>(d.after), static_cast<double>(d.before)));
  };
  for (std::size_t i = 0; i < std::min(kMostLines, result.lines.size()); ++i) {
    const LineDifference& d = result.lines[i];
    lines.row({d.place, d.counter, grouped(d.before), grouped(d.after), percent(d)});
  }
  std::string out = "\n" + lines.text(terminal);
  if (result.lines.size() > kMostLines)
    out += fmt::format("and {} more lines\n", result.lines.size() - kMostLines);
  return out;
}

Json value_json(const MetricValue& value) {
  return value.known() ? Json(value.value) : Json(nullptr);
}

Json launch_json(const LaunchMetrics& launch) {
  return {{"launch", launch.launch}, {"kernel", launch.kernel}};
}

}  // namespace

std::string diff_text(const DiffResult& result, const views::Terminal& terminal) {
  std::string out;
  for (const std::string& caution : result.cautions) out += cautioned(caution, terminal);
  if (result.engine_before == result.engine_after) out += by_whom(result.engine_after);
  if (!result.conditions.empty()) {
    Table table({{"made with"}, {"before", Align::kRight}, {"after", Align::kRight}});
    for (const Condition& c : result.conditions)
      table.row({c.what, printable(c.before), printable(c.after)});
    out += table.text(terminal);
  }
  out += counters_text(result, terminal);
  out += lines_text(result, terminal);
  if (!result.rules.empty()) {
    for (const std::string& failure : result.failures)
      out += "applies: " + printable(failure) + "\n";
    if (result.failures.empty())
      out += fmt::format("no rule of --fail-on applies: {}\n",
                         printable(fmt::format("{}", fmt::join(result.rules, ", "))));
  }
  if (result.differences.empty())
    out += result.tolerance > 0
               ? fmt::format("no counter differs by more than {:.4g} %\n", 100 * result.tolerance)
               : "no counter differs\n";
  if (result.left_out > 0)
    out += fmt::format("{} counters compared; {} that one side lacks are left out\n",
                       grouped(result.compared), grouped(result.left_out));
  return out;
}

std::string diff_json(const DiffResult& result) {
  Json out{{"schema", 1},
           {"equal", result.equal()},
           {"engines", {engine(result.engine_before), engine(result.engine_after)}},
           {"tolerance", result.tolerance},
           {"compared", result.compared},
           {"left_out", result.left_out}};
  out["cautions"] = result.cautions;
  out["replayed_with"] = Json::object();
  for (const Condition& c : result.conditions)
    out["replayed_with"][c.what] = {{"before", c.before}, {"after", c.after}};
  out["differences"] = Json::array();
  for (const Difference& d : result.differences) {
    Json entry = launch_json(*d.pair.before);
    if (d.pair.after->launch != d.pair.before->launch) entry["launch_after"] = d.pair.after->launch;
    if (d.pair.after->kernel != d.pair.before->kernel) entry["kernel_after"] = d.pair.after->kernel;
    entry["metric"] = d.metric;
    entry["before"] = value_json(d.before), entry["after"] = value_json(d.after);
    out["differences"].push_back(std::move(entry));
  }
  for (const auto& [key, launches] :
       {std::pair{"only_before", &result.only_before}, {"only_after", &result.only_after}}) {
    out[key] = Json::array();
    for (const LaunchMetrics* launch : *launches) out[key].push_back(launch_json(*launch));
  }
  if (!result.lines.empty()) {
    out["lines"] = Json::array();
    for (const LineDifference& d : result.lines)
      out["lines"].push_back({{"kernel", d.kernel_before},
                              {"kernel_after", d.kernel_after},
                              {"line", d.place},
                              {"counter", d.counter},
                              {"before", d.before},
                              {"after", d.after}});
  }
  if (!result.rules.empty()) {
    out["fail_on"] = result.rules;
    out["failures"] = result.failures;
  }
  return out.text(2) + "\n";
}

std::string diff_csv(const DiffResult& result) {
  Table table({{"launch"},
               {"kernel"},
               {"metric"},
               {"before"},
               {"after"},
               {"launch after"},
               {"kernel after"},
               {"engine before"},
               {"engine after"}});
  const auto plain = [](const MetricValue& value) {
    return value.known() ? fmt::format("{}", value.value) : shown(value);
  };
  const auto row = [&](const LaunchPair& pair, const std::string& metric, const std::string& before,
                       const std::string& after) {
    const auto number_of = [](const LaunchMetrics* l) {
      return l ? std::to_string(l->launch) : "";
    };
    const auto name_of = [](const LaunchMetrics* l) { return l ? l->kernel : ""; };
    table.row({number_of(pair.before), name_of(pair.before), metric, before, after,
               number_of(pair.after), name_of(pair.after), engine(result.engine_before),
               engine(result.engine_after)});
  };
  for (const Difference& d : result.differences)
    row(d.pair, d.metric, plain(d.before), plain(d.after));
  const std::string none = "n/a (this launch is in the other result only)";
  for (const LaunchMetrics* launch : result.only_before) row({launch, nullptr}, "", "", none);
  for (const LaunchMetrics* launch : result.only_after) row({nullptr, launch}, "", none, "");
  return table.csv();
}

}  // namespace warpmem::command
