// `warpmem diff A B`: which counters differ between two traces, results or profiles, say before and
// after a --set or a change to the kernel, or predicted and measured. Ends 1 when any does.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"
#include "base/read_number.hpp"
#include "command/command.hpp"
#include "command/diff/sides.hpp"
#include "command/diff/view.hpp"
#include "command/gpus/view.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/screen/output.hpp"
#include "command/screen/result_file.hpp"
#include "validate/rules.hpp"

namespace warpmem::command {

namespace {

struct DiffOptions {
  DiffInput input;
  std::string tolerance = "0%", fail_on;
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

// `common`: only what both sides have; a profiler counts what it was asked for.
void compare(const LaunchPair& pair, double tolerance, bool common, DiffResult& out) {
  if (!pair.before || !pair.after) {
    (pair.before ? out.only_before : out.only_after)
        .push_back(pair.before ? pair.before : pair.after);
    return;
  }
  std::set<std::string> names;
  for (const LaunchMetrics* launch : {pair.before, pair.after})
    for (const auto& [name, value] : launch->metrics) names.insert(name);
  for (const std::string& name : names) {
    if (common && !(value_of(*pair.before, name).known() && value_of(*pair.after, name).known())) {
      ++out.left_out;
      continue;
    }
    Difference difference{pair, name, value_of(*pair.before, name), value_of(*pair.after, name)};
    ++out.compared;
    if (!same(difference.before, difference.after, tolerance))
      out.differences.push_back(std::move(difference));
  }
}

// How the two were replayed, where that differs.
std::vector<Condition> conditions(const DiffSides& sides) {
  const ResultFile &before = sides.before.result, &after = sides.after.result;
  std::vector<Condition> out;
  const auto add = [&](const std::string& what, std::string a, std::string b) {
    if (a != b) out.push_back({what, std::move(a), std::move(b)});
  };
  const auto engine = [](const ResultFile& r) { return r.engine.empty() ? "not named" : r.engine; };
  if (!before.gpu.empty() && !after.gpu.empty()) add("card", before.gpu, after.gpu);
  add("engine", engine(before), engine(after));
  // What a profile does not say.
  if (sides.before.profile || sides.after.profile) return out;
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
Result<void> require_counters(const std::vector<validate::ChangeRule>& rules,
                              const ResultFile& before, const ResultFile& after) {
  for (const validate::ChangeRule& rule : rules) {
    bool known = false;
    std::vector<std::string> names = validate::short_counters();
    for (const ResultFile* file : {&before, &after})
      for (const LaunchMetrics& launch : file->launches) {
        known = known || validate::counter_of(launch, rule.counter).known();
        for (const auto& [name, value] : launch.metrics) names.push_back(name);
      }
    if (known) continue;
    const std::string guess = nearest(rule.counter, names);
    return Error{ErrorKind::kUsage, fmt::format("neither result has a counter '{}'", rule.counter),
                 "--fail-on",
                 guess.empty() ? fmt::format("use a metric's name, or {}",
                                             fmt::join(validate::short_counters(), ", "))
                               : fmt::format("did you mean '{}'?", guess)};
  }
  return {};
}

Result<std::vector<validate::ChangeRule>> rules_of(const DiffOptions& options) {
  if (options.fail_on.empty()) return std::vector<validate::ChangeRule>{};
  return validate::read_rules(options.fail_on);
}

Result<DiffResult> compare(const DiffSides& sides, const DiffOptions& options) {
  const auto tolerance = read_tolerance(options.tolerance);
  if (!tolerance) return tolerance.error();
  const auto rules = rules_of(options);
  if (!rules) return rules.error();
  const ResultFile &before = sides.before.result, &after = sides.after.result;
  if (auto known = require_counters(*rules, before, after); !known) return known.error();
  const auto pairs =
      pairs_of(sides, sides.after.profile ? options.input.after : options.input.before);
  if (!pairs) return pairs.error();
  const bool profile = sides.before.profile || sides.after.profile;
  DiffResult out;
  out.engine_before = before.engine, out.engine_after = after.engine;
  out.tolerance = *tolerance;
  out.conditions = conditions(sides);
  out.lines = sides.lines;
  if (!sides.before.caution.empty()) out.cautions.push_back("before: " + sides.before.caution);
  if (!sides.after.caution.empty()) out.cautions.push_back("after: " + sides.after.caution);
  for (const LaunchPair& pair : *pairs) compare(pair, *tolerance, profile, out);
  if (profile && out.compared == 0)
    return Error{ErrorKind::kUsage, "the two sides have no counter in common", options.input.after,
                 "collect metrics that warpmem predicts (warpmem metrics), or give the trace in "
                 "place of a result: "
                 "it is replayed in the profiler's own words"};
  for (const validate::ChangeRule& rule : *rules) {
    out.rules.push_back(rule.text);
    for (const LaunchPair& pair : *pairs) {
      if (!pair.before || !pair.after) continue;
      if (const std::string failure = validate::failure_of(rule, *pair.before, *pair.after);
          !failure.empty())
        out.failures.push_back(rule.text + ": " + failure);
    }
  }
  return out;
}

// Two cards: what `gpus diff` shows.
int diff_cards(const DiffOptions& options) {
  if (!options.fail_on.empty())
    return fail({ErrorKind::kUsage, "cards have no counters", "--fail-on",
                 "give traces or results, or leave it out"});
  const auto a = load_card(options.input.before), b = load_card(options.input.after);
  if (!a) return fail(a.error());
  if (!b) return fail(b.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  output->write(card_diff_view(*a, *b, options.output.format, output->terminal()));
  if (auto done = output->finish(); !done) return fail(done.error());
  return a->entries().size() == b->entries().size() &&
                 std::ranges::equal(a->entries(), b->entries(),
                                    [](const auto& x, const auto& y) {
                                      return x.key == y.key && x.value == y.value;
                                    })
             ? 0
             : exit_status(ErrorKind::kCheckFailed);
}

int diff(const DiffOptions& options) {
  const DiffInput& input = options.input;
  if (are_cards(input.before, input.after)) return diff_cards(options);
  const auto sides = read_sides(input);
  if (!sides) return fail(sides.error());
  const auto result = compare(*sides, options);
  if (!result) return fail(result.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  if (options.output.format != Format::kTable || output->file())
    for (const std::string& caution : result->cautions) warn(caution);
  switch (options.output.format) {
    case Format::kTable: output->write(diff_text(*result, output->terminal())); break;
    case Format::kJson: output->write(diff_json(*result)); break;
    case Format::kCsv: output->write(diff_csv(*result)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  const bool fine = result->rules.empty() ? result->equal() : result->failures.empty();
  return fine ? 0 : exit_status(ErrorKind::kCheckFailed);
}

}  // namespace

Run setup_diff(CLI::App& app) {
  auto options = std::make_shared<DiffOptions>();
  app.add_option("before", options->input.before,
                 "a trace to replay, a result of replay --format json, a profile of Nsight Compute "
                 "or nvprof (CSV), or a "
                 "card")
      ->required()
      ->type_name("A");
  app.add_option("after", options->input.after, "another one, for a card a card")
      ->required()
      ->type_name("B");
  app.add_option("--tolerance", options->tolerance,
                 "differences up to this share of the value before are none: 1%, or 0.01")
      ->type_name("SHARE")
      ->capture_default_str();
  app.add_option("--fail-on", options->fail_on,
                 "end 1 when one of these applies, and 0 otherwise: 'l2_sectors>+5%,cycles>20000'; "
                 "counters: cycles, "
                 "sectors, load_sectors, store_sectors, wavefronts, l2_sectors, dram_sectors, or a "
                 "metric's name")
      ->type_name("RULES");
  add_trace_card_options(app, options->input.card);
  app.add_flag("--counts", options->input.counts, "replay traces with the counts engine");
  add_output_options(app, options->output);
  const CLI::Option* gpu = option_named(app, "--gpu");
  return [options, gpu] {
    options->input.card_named = gpu->count() > 0;
    return diff(*options);
  };
}

}  // namespace warpmem::command
