// `warpmem metrics`: what each metric counts, in the words of each profiler; `warpmem metrics
// NAME`: all about one; with --accuracy, how close each was to the hardware's.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

#include "base/nearest.hpp"
#include "base/printable.hpp"
#include "command/command.hpp"
#include "command/metrics/view.hpp"
#include "command/options/vocabulary.hpp"
#include "command/screen/output.hpp"
#include "command/validate/accuracy_view.hpp"

namespace warpmem::command {

namespace {

struct MetricsOptions {
  OutputOptions output;
  std::string name, vocabulary;
  bool accuracy = false, main = false;
};

Error unknown(const std::string& name, std::optional<metrics::Vocabulary> only) {
  std::vector<std::string> known;
  for (const metrics::Vocabulary v : metrics::kVocabularies)
    if (!only || *only == v)
      for (const metrics::Metric& m : metrics::metrics_of(v)) known.emplace_back(m.name);
  const std::string near = nearest(name, known);
  return {ErrorKind::kUsage, fmt::format("there is no metric '{}'", printable(name)),
          only ? fmt::format("--vocabulary {}", metrics::name_of(*only)) : "",
          near.empty() ? "see all of them with: warpmem metrics"
                       : fmt::format("did you mean '{}'?", near)};
}

int run_metrics(const MetricsOptions& chosen) {
  const OutputOptions& options = chosen.output;
  if (chosen.accuracy) {
    const auto rows = validate::measured_accuracy();
    return emit(options, chosen.main ? accuracy_view(main_metrics(rows), options)
                                     : accuracy_view(rows, options));
  }
  const auto only = metrics::vocabulary_named(chosen.vocabulary);
  if (chosen.name.empty()) {
    auto output = Output::open(options);
    if (!output) return fail(output.error());
    output->write(metric_list_view(only, options.format, output->terminal()));
    if (auto done = output->finish(); !done) return fail(done.error());
    return 0;
  }
  std::vector<FoundMetric> found;
  for (const metrics::Vocabulary v : metrics::kVocabularies)
    if (!only || *only == v)
      if (const metrics::Metric* const m = metrics::find(v, chosen.name)) found.push_back({v, m});
  if (found.empty()) return fail(unknown(chosen.name, only));
  return emit(options, metric_view(found, options.format));
}

}  // namespace

Run setup_metrics(CLI::App& app) {
  auto options = std::make_shared<MetricsOptions>();
  CLI::Option* const name =
      app.add_option("name", options->name, "all about this one")->type_name("NAME");
  add_vocabulary_option(app, "--vocabulary", options->vocabulary,
                        "those of one profiler only: ncu, nvprof, visual-profiler");
  CLI::Option* const accuracy =
      app.add_flag("--accuracy", options->accuracy,
                   "how close each counter was to a GPU's, by card, level of the trace and engine")
          ->excludes(name);
  app.add_flag("--main", options->main, "only the counters that people look at first")
      ->needs(accuracy);
  add_output_options(app, options->output);
  return [options] { return run_metrics(*options); };
}

}  // namespace warpmem::command
