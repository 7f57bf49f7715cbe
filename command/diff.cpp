// `warpmem diff A B`: which counters differ between two results of `replay --format json`, say
// before and after a --set or a change to the kernel. Ends 1 when any does.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "command/command.hpp"
#include "command/output.hpp"
#include "command/result_file.hpp"
#include "command/table.hpp"

namespace warpmem::command {

namespace {

struct DiffOptions {
  std::string before, after;
  OutputOptions output;
};

struct Difference {
  std::uint64_t launch = 0;
  std::string kernel;
  std::string metric;
  MetricValue before, after;
};

MetricValue value_of(const LaunchMetrics& launch, const std::string& metric) {
  const auto found = launch.metrics.find(metric);
  if (found != launch.metrics.end()) return found->second;
  MetricValue none;
  none.missing = "not in this result";
  return none;
}

bool same(const MetricValue& a, const MetricValue& b) {
  return a.known() == b.known() && (!a.known() || a.value == b.value);
}

// Launches go together by position: the same program launches in the same order.
std::vector<Difference> differences(const ResultFile& before, const ResultFile& after) {
  std::vector<Difference> out;
  for (std::size_t i = 0; i < before.launches.size(); ++i) {
    const LaunchMetrics& a = before.launches[i];
    const LaunchMetrics& b = after.launches[i];
    std::set<std::string> names;
    for (const auto& [name, value] : a.metrics) names.insert(name);
    for (const auto& [name, value] : b.metrics) names.insert(name);
    for (const std::string& name : names) {
      Difference difference{a.launch, b.kernel, name, value_of(a, name), value_of(b, name)};
      if (!same(difference.before, difference.after)) out.push_back(std::move(difference));
    }
  }
  return out;
}

std::string shown(const MetricValue& value) {
  return value.known() ? number(value.value) : fmt::format("n/a ({})", value.missing);
}

std::string change(const Difference& d) {
  if (!d.before.known() || !d.after.known()) return "n/a";
  if (d.before.value == 0) return "from 0";
  return fmt::format("{:+.1f} %", 100 * (d.after.value - d.before.value) / d.before.value);
}

Table as_table(const std::vector<Difference>& found) {
  Table table({{"launch", Align::kRight},
               {"kernel"},
               {"metric"},
               {"before", Align::kRight},
               {"after", Align::kRight},
               {"change", Align::kRight}});
  for (const Difference& d : found) {
    table.row({grouped(d.launch), d.kernel, d.metric, shown(d.before), shown(d.after), change(d)});
  }
  return table;
}

std::string as_csv(const std::vector<Difference>& found) {
  Table table({{"launch"}, {"kernel"}, {"metric"}, {"before"}, {"after"}});
  const auto plain = [](const MetricValue& value) {
    return value.known() ? fmt::format("{}", value.value) : shown(value);
  };
  for (const Difference& d : found) {
    table.row({std::to_string(d.launch), d.kernel, d.metric, plain(d.before), plain(d.after)});
  }
  return table.csv();
}

std::string as_json(const std::vector<Difference>& found) {
  nlohmann::ordered_json out{{"schema", 1}, {"equal", found.empty()}};
  out["differences"] = nlohmann::ordered_json::array();
  for (const Difference& d : found) {
    nlohmann::ordered_json entry{{"launch", d.launch}, {"kernel", d.kernel}, {"metric", d.metric}};
    entry["before"] = d.before.known() ? nlohmann::ordered_json(d.before.value) : nullptr;
    entry["after"] = d.after.known() ? nlohmann::ordered_json(d.after.value) : nullptr;
    out["differences"].push_back(std::move(entry));
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int diff(const DiffOptions& options) {
  const auto before = read_result(options.before);
  if (!before) return fail(before.error());
  const auto after = read_result(options.after);
  if (!after) return fail(after.error());
  if (before->launches.size() != after->launches.size()) {
    return fail({ErrorKind::kUsage,
                 fmt::format("the results hold {} and {} launches", before->launches.size(),
                             after->launches.size()),
                 "", "replay the same launches of both traces (--launch)"});
  }
  const std::vector<Difference> found = differences(*before, *after);
  auto output = Output::open(options.output, {options.before, options.after});
  if (!output) return fail(output.error());
  switch (options.output.format) {
    case Format::kTable:
      output->write(found.empty() ? "no counter differs\n"
                                  : as_table(found).text(output->colour()));
      break;
    case Format::kJson: output->write(as_json(found)); break;
    case Format::kCsv: output->write(as_csv(found)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return found.empty() ? 0 : exit_status(ErrorKind::kCheckFailed);
}

}  // namespace

Run setup_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("before", options->before, "a result of replay --format json")
      ->required()
      ->type_name("A");
  app.add_option("after", options->after, "another one")->required()->type_name("B");
  add_output_options(app, options->output);
  return [options] { return diff(*options); };
}

}  // namespace warpmem::command
