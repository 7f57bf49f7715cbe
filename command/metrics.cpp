// `warpmem metrics`: every counter that a replay gives, what it counts, and how closely it is held
// to the hardware's.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "command/command.hpp"
#include "command/metric_text.hpp"
#include "command/output.hpp"
#include "command/table.hpp"
#include "validate/metric_map.hpp"

namespace warpmem::command {

namespace {

Table as_table() {
  Table table({{"metric"}, {"level"}, {"unit"}, {"held to"}, {"counts"}});
  for (const validate::MetricRule& rule : validate::metric_rules()) {
    table.row({std::string(rule.name), validate::group_name(rule.group), std::string(rule.unit),
               accuracy(&rule), std::string(rule.counts)});
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

int metrics(const OutputOptions& options) {
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
  auto options = std::make_shared<OutputOptions>();
  add_output_options(app, *options);
  return [options] { return metrics(*options); };
}

}  // namespace warpmem::command
