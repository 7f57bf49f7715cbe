// `warpmem doctor`: what this machine can do, and for each thing that is missing, the fix.
// Nothing here fails: a laptop without a GPU is a fine place to replay traces.
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/printable.hpp"
#include "command/command.hpp"
#include "command/machine.hpp"
#include "command/output.hpp"
#include "command/table.hpp"
#include "command/terminal.hpp"
#include "command/version.hpp"

namespace warpmem::command {

namespace {

std::string state_name(const Check& check) { return check.ok ? "ok" : "missing"; }

std::string as_json(const std::vector<Check>& checks) {
  nlohmann::ordered_json out{{"schema", 1}, {"version", kVersion}};
  out["checks"] = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    nlohmann::ordered_json entry{{"name", check.name}, {"for", check.purpose}};
    entry["ok"] = check.ok;
    entry["found"] = check.found;
    entry["fix"] = check.fix;
    out["checks"].push_back(entry);
  }
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string as_text(const std::vector<Check>& checks, bool colour) {
  Table table({{"what"}, {"for"}, {"state"}, {"found"}});
  std::string fixes;
  for (const Check& check : checks) {
    const Style style = check.ok ? Style::kGreen : Style::kYellow;
    table.styled_row({check.name, check.purpose, styled(state_name(check), style, colour),
                      printable(check.found)});
    if (!check.ok) fixes += fmt::format("  {}: {}\n", check.name, printable(check.fix));
  }
  std::string out = table.text(colour);
  if (!fixes.empty()) out += "\nTo get what is missing:\n" + fixes;
  return out;
}

int doctor(const OutputOptions& options) {
  const std::vector<Check> checks = check_machine();
  auto output = Output::open(options);
  if (!output) return fail(output.error());
  switch (options.format) {
    case Format::kTable: output->write(as_text(checks, output->colour())); break;
    case Format::kJson: output->write(as_json(checks)); break;
    case Format::kCsv: {
      Table table({{"what"}, {"for"}, {"state"}, {"found"}, {"fix"}});
      for (const Check& check : checks) {
        table.row({check.name, check.purpose, state_name(check), check.found, check.fix});
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
