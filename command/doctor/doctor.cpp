// `warpmem doctor`: what this machine can do, and for each thing that is missing, what that costs
// and the fix.
// Nothing here fails: a laptop without a GPU is a fine place to replay traces.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "command/command.hpp"
#include "command/doctor/machine.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"
#include "command/screen/terminal.hpp"
#include "command/version.hpp"

namespace warpmem::command {

namespace {

std::string state_name(const Check& check) { return check.ok ? "ok" : "missing"; }

std::string as_json(const std::vector<Check>& checks) {
  Json out{{"schema", 1}, {"version", kVersion}};
  out["checks"] = Json::array();
  for (const Check& check : checks) {
    Json entry{{"name", check.name}, {"for", check.purpose}};
    entry["ok"] = check.ok;
    entry["found"] = check.found;
    entry["fix"] = check.fix;
    entry["cost"] = check.cost;
    out["checks"].push_back(entry);
  }
  return out.text(2) + "\n";
}

std::string as_text(const std::vector<Check>& checks, const views::Terminal& terminal) {
  Table table({{"what"}, {"for"}, {"state"}, {"found"}});
  // What several lack costs is said once.
  std::vector<std::pair<std::string, std::vector<const Check*>>> by_cost;
  for (const Check& check : checks) {
    const Style style = check.ok ? Style::kGreen : Style::kYellow;
    table.styled_row({check.name, check.purpose, styled(state_name(check), style, terminal.colour),
                      printable(check.found)});
    if (check.ok) continue;
    auto at = std::ranges::find(by_cost, check.cost, &decltype(by_cost)::value_type::first);
    if (at == by_cost.end()) at = by_cost.insert(at, {check.cost, {}});
    at->second.push_back(&check);
  }
  std::string out = table.text(terminal);
  for (const auto& [cost, missing] : by_cost) {
    std::vector<std::string> names;
    for (const Check* check : missing) names.push_back(check->name);
    out += "\n" + views::wrapped(fmt::format("Without {}: {}.", fmt::join(names, ", "), cost),
                                 terminal.width, 2);
    for (const Check* check : missing)
      out += views::wrapped(fmt::format("  {}: {}", check->name, printable(check->fix)),
                            terminal.width, 4);
  }
  return out;
}

int doctor(const OutputOptions& options) {
  const std::vector<Check> checks = check_machine();
  auto output = Output::open(options);
  if (!output) return fail(output.error());
  switch (options.format) {
    case Format::kTable: output->write(as_text(checks, output->terminal())); break;
    case Format::kJson: output->write(as_json(checks)); break;
    case Format::kCsv: {
      Table table({{"what"}, {"for"}, {"state"}, {"found"}, {"fix"}, {"cost"}});
      for (const Check& check : checks) {
        table.row(
            {check.name, check.purpose, state_name(check), check.found, check.fix, check.cost});
      }
      output->write(table.csv());
      break;
    }
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_doctor(CLI::App& app) {
  auto options = std::make_shared<OutputOptions>();
  add_output_options(app, *options);
  return [options] { return doctor(*options); };
}

}  // namespace warpmem::command
