// `warpmem metrics`: every counter that a replay gives, what it counts, and what validation asks of
// it; with --accuracy, how close each was to the hardware's.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command/accuracy_view.hpp"
#include "command/command.hpp"
#include "command/metric_text.hpp"
#include "command/output.hpp"
#include "command/table.hpp"
#include "validate/metric_map.hpp"

namespace warpmem::command {

namespace {

Table as_table() {
  Table table({{"metric"}, {"level"}, {"unit"}, {"accepted"}, {"counts"}});
  for (const validate::MetricRule& rule : validate::metric_rules()) {
    table.row({std::string(rule.name), validate::group_name(rule.group), std::string(rule.unit),
               accepted(rule), std::string(rule.counts)});
  }
  return table;
}

std::string as_json() {
  nlohmann::ordered_json out{{"schema", 1}};
  out["metrics"] = nlohmann::ordered_json::array();
  for (const validate::MetricRule& rule : validate::metric_rules()) {
    out["metrics"].push_back({{"name", rule.name},
                              {"level", validate::group_name(rule.group)},
                              {"unit", rule.unit},
                              {"exact", rule.match == validate::Match::kExact},
                              {"band", rule.band},
                              {"counts", rule.counts},
                              {"source", rule.source}});
  }
  return out.dump(2) + "\n";
}

struct MetricsOptions {
  OutputOptions output;
  bool accuracy = false, main = false;
};

int metrics(const MetricsOptions& chosen) {
  const OutputOptions& options = chosen.output;
  if (chosen.accuracy) {
    const auto rows = validate::measured_accuracy();
    return emit(options, chosen.main ? accuracy_view(main_metrics(rows), options.format)
                                     : accuracy_view(rows, options.format));
  }
  auto output = Output::open(options);
  if (!output) return fail(output.error());
  switch (options.format) {
    case Format::kTable: output->write(as_table().text(output->colour())); break;
    case Format::kJson: output->write(as_json()); break;
    case Format::kCsv: output->write(as_table().csv()); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_metrics(CLI::App& app) {
  auto options = std::make_shared<MetricsOptions>();
  CLI::Option* const accuracy =
      app.add_flag("--accuracy", options->accuracy,
                   "how close each counter was to a GPU's, by card, level of the trace and engine");
  app.add_flag("--main", options->main, "only the counters that people look at first")
      ->needs(accuracy);
  add_output_options(app, options->output);
  return [options] { return metrics(*options); };
}

}  // namespace warpmem::command
