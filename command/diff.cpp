// `warpmem diff A B`: which counters differ between two results of `replay --format json`, say
// before and after a --set or a change to the kernel. Ends 1 when any does.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "base/read_number.hpp"
#include "command/command.hpp"
#include "command/card_input.hpp"
#include "command/diff_lines.hpp"
#include "command/diff_rules.hpp"
#include "command/diff_view.hpp"
#include "command/output.hpp"
#include "command/result_file.hpp"

namespace warpmem::command {

namespace {

struct DiffOptions {
  std::string before, after, tolerance = "0%", fail_on;
  CardInput card;
  bool counts = false;
  OutputOptions output;
};

MetricValue value_of(const LaunchMetrics& launch, const std::string& metric) {
  const auto found = launch.metrics.find(metric);
  if (found != launch.metrics.end()) return found->second;
  MetricValue none;
  none.missing = "not in this result";
  return none;
}

bool same(const MetricValue& a, const MetricValue& b, double tolerance) {
  if (!a.known() || !b.known()) return a.known() == b.known();
  return std::abs(b.value - a.value) <= tolerance * std::abs(a.value);
}

// "1%" or "0.01".
Result<double> read_tolerance(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  const RealRange range{0, percent ? 100.0 : 1.0};
  const auto value = read_real(text, range, "--tolerance");
  if (!value) return value.error();
  return percent ? *value / 100 : *value;
}

// The n-th launch of a kernel goes with its n-th in the other result. Two results of one launch each
// are compared whatever their kernels are called, and both names are shown.
std::vector<LaunchPair> pairs(const ResultFile& before, const ResultFile& after) {
  if (before.launches.size() == 1 && after.launches.size() == 1)
    return {{&before.launches[0], &after.launches[0]}};
  std::vector<LaunchPair> out;
  std::map<std::string_view, std::deque<const LaunchMetrics*>> free;
  for (const LaunchMetrics& b : after.launches) free[b.kernel].push_back(&b);
  for (const LaunchMetrics& a : before.launches) {
    std::deque<const LaunchMetrics*>& same_kernel = free[a.kernel];
    out.push_back({&a, same_kernel.empty() ? nullptr : same_kernel.front()});
    if (!same_kernel.empty()) same_kernel.pop_front();
  }
  for (const LaunchMetrics& b : after.launches)
    if (const auto& left = free[b.kernel]; std::ranges::find(left, &b) != left.end())
      out.push_back({nullptr, &b});
  return out;
}

void compare(const LaunchPair& pair, double tolerance, DiffResult& out) {
  if (!pair.before || !pair.after) {
    (pair.before ? out.only_before : out.only_after).push_back(pair.before ? pair.before : pair.after);
    return;
  }
  std::set<std::string> names;
  for (const LaunchMetrics* launch : {pair.before, pair.after})
    for (const auto& [name, value] : launch->metrics) names.insert(name);
  for (const std::string& name : names) {
    Difference difference{pair, name, value_of(*pair.before, name), value_of(*pair.after, name)};
    ++out.compared;
    if (!same(difference.before, difference.after, tolerance))
      out.differences.push_back(std::move(difference));
  }
}

// How the two were replayed, where that differs.
std::vector<Condition> conditions(const ResultFile& before, const ResultFile& after) {
  std::vector<Condition> out;
  const auto add = [&](const std::string& what, std::string a, std::string b) {
    if (a != b) out.push_back({what, std::move(a), std::move(b)});
  };
  const auto engine = [](const ResultFile& r) { return r.engine.empty() ? "not named" : r.engine; };
  add("card", before.gpu, after.gpu);
  add("engine", engine(before), engine(after));
  add("trace level", before.level, after.level);
  add("caches", before.keep_caches ? "kept" : "flushed", after.keep_caches ? "kept" : "flushed");
  if (before.gpu != after.gpu) return out;  // nearly every number differs
  std::set<std::string> keys;
  for (const auto* card : {&before.card, &after.card})
    for (const auto& [key, value] : *card) keys.insert(key);
  const auto shown = [](const ResultFile& r, const std::string& key) {
    const auto at = r.card.find(key);
    return at == r.card.end() ? std::string("not there") : at->second;
  };
  for (const std::string& key : keys) add(key, shown(before, key), shown(after, key));
  return out;
}

// A rule about a counter that neither result has would hold for ever.
Result<void> require_counters(const std::vector<DiffRule>& rules, const ResultFile& before, const ResultFile& after) {
  for (const DiffRule& rule : rules) {
    bool known = false;
    std::vector<std::string> names = short_counters();
    for (const ResultFile* file : {&before, &after})
      for (const LaunchMetrics& launch : file->launches) {
        known = known || counter_of(launch, rule.counter).known();
        for (const auto& [name, value] : launch.metrics) names.push_back(name);
      }
    if (known) continue;
    const std::string guess = nearest(rule.counter, names);
    return Error{ErrorKind::kUsage, fmt::format("neither result has a counter '{}'", rule.counter), "--fail-on",
                 guess.empty() ? fmt::format("use a metric's name, or {}", fmt::join(short_counters(), ", "))
                               : fmt::format("did you mean '{}'?", guess)};
  }
  return {};
}

int diff(const DiffOptions& options) {
  const auto tolerance = read_tolerance(options.tolerance);
  if (!tolerance) return fail(tolerance.error());
  std::vector<DiffRule> rules;
  if (!options.fail_on.empty()) {
    auto read = read_rules(options.fail_on);
    if (!read) return fail(read.error());
    rules = std::move(*read);
  }
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  const auto side = [&](const std::string& path) {
    return is_trace(path) ? replay_as_result(path, *card, !options.counts) : read_result(path);
  };
  const auto before = side(options.before);
  if (!before) return fail(before.error());
  const auto after = side(options.after);
  if (!after) return fail(after.error());
  if (auto known = require_counters(rules, *before, *after); !known) return fail(known.error());
  DiffResult result;
  result.engine_before = before->engine, result.engine_after = after->engine;
  result.tolerance = *tolerance;
  result.conditions = conditions(*before, *after);
  for (const LaunchPair& pair : pairs(*before, *after)) compare(pair, *tolerance, result);
  if (is_trace(options.before) && is_trace(options.after)) {
    auto lines = line_differences(options.before, options.after, *card);
    if (!lines) return fail(lines.error());
    result.lines = std::move(*lines);
  }
  for (const DiffRule& rule : rules) {
    result.rules.push_back(rule.text);
    for (const LaunchPair& pair : pairs(*before, *after)) {
      if (!pair.before || !pair.after) continue;
      if (const std::string failure = failure_of(rule, *pair.before, *pair.after); !failure.empty())
        result.failures.push_back(rule.text + ": " + failure);
    }
  }
  auto output = Output::open(options.output, {options.before, options.after});
  if (!output) return fail(output.error());
  switch (options.output.format) {
    case Format::kTable: output->write(diff_text(result, output->colour())); break;
    case Format::kJson: output->write(diff_json(result)); break;
    case Format::kCsv: output->write(diff_csv(result)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  const bool fine = rules.empty() ? result.equal() : result.failures.empty();
  return fine ? 0 : exit_status(ErrorKind::kCheckFailed);
}

}  // namespace

Run setup_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("before", options->before, "a result of replay --format json, or a trace to replay")
      ->required()
      ->type_name("A");
  app.add_option("after", options->after, "another one")->required()->type_name("B");
  app.add_option("--tolerance", options->tolerance,
                 "differences up to this share of the value before are none: 1%, or 0.01")
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--fail-on", options->fail_on,
                 "end 1 when one of these holds, and 0 otherwise: 'l2_sectors>+5%,cycles>20000'; counters: cycles, "
                 "sectors, load_sectors, store_sectors, wavefronts, l2_sectors, dram_sectors, or a metric's name")
      ->type_name("RULES");
  add_card_options(app, options->card);
  app.add_flag("--counts", options->counts, "replay traces with the counts engine");
  add_output_options(app, options->output);
  return [options] { return diff(*options); };
}

}  // namespace warpmem::command
