// warpmem validate: the model's counters beside a profiler's, for one trace or a folder of them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>

#include "base/in_parallel.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/counters/predict.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/profile_card.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/options/threads.hpp"
#include "command/screen/output.hpp"
#include "command/screen/progress.hpp"
#include "command/screen/terminal.hpp"
#include "command/validate/accuracy_view.hpp"
#include "validate/accuracy.hpp"
#include "validate/kernel_name.hpp"
#include "validate/suite.hpp"
#include "validate/view.hpp"

namespace warpmem::command {
namespace {

constexpr int kPipeWidth = 140;  // columns when no terminal says otherwise

struct ValidateOptions {
  TraceInput trace;
  std::string ncu, suite, gpu;      // no gpu: the profile's own
  std::optional<model::Card> card;  // that `gpu` names
  bool all = false, no_deviations = false, list_metrics = false, time = false;
  bool accuracy = false, allow_unmatched = false;
  unsigned threads = 0;
  OutputOptions output;
};

// What is said of a run of the folder; of none: of a file by its name.
struct Note {
  std::string run, text;
};

// What all pairs of trace and file add up to.
struct Collected {
  std::vector<validate::LaunchComparison> launches, repeats;
  std::vector<std::string> unmatched;
  std::vector<Note> notes;
  std::vector<std::string> cautions;  // in front of everything
  std::size_t not_read = 0;           // cells and rows of them that could not be
};

void append(auto& to, auto&& from) {
  to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

// Each text once, with the runs of which it is said.
std::vector<std::string> told_once(const std::vector<Note>& notes) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::pair<std::string, std::vector<std::string>>> by_text;
  for (const Note& note : notes) {
    const auto same = [&](const auto& said) { return said.first == note.text; };
    auto at = std::ranges::find_if(by_text, same);
    if (at == by_text.end()) at = by_text.insert(at, {note.text, {}});
    if (!note.run.empty()) at->second.push_back(note.run);
  }
  std::vector<std::string> out;
  for (const auto& [text, runs] : by_text) {
    if (runs.size() < 2) {
      out.push_back(runs.empty() ? text : runs.front() + ": " + text);
      continue;
    }
    const std::size_t named = std::min(kNamed, runs.size());
    std::string which = fmt::format(
        "{}", fmt::join(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(named), ", "));
    if (runs.size() > named) which += ", …";
    out.push_back(fmt::format("{} runs ({}): {}", grouped(runs.size()), which, text));
  }
  return out;
}

// What the reader of the file left out, where it matters to the comparison.
void note_import(const validate::NcuImport& file, const std::string& place, Collected& out) {
  const auto& r = file.report;
  const auto say = [&](std::size_t n, const char* what) {
    if (n > 0) out.notes.push_back({"", fmt::format("{}: {} {}", place, grouped(n), what)});
  };
  say(r.damaged_rows, "rows do not fit the header and are left out");
  say(r.rescued_rows, "rows had the program's output on their line");
  out.not_read += r.damaged_rows + r.unread.size();
  constexpr std::size_t kListed = 20;
  for (std::size_t i = 0; i < std::min(kListed, r.unread.size()); ++i) {
    const validate::UnreadCell& cell = r.unread[i];
    out.notes.push_back(
        {"",
         fmt::format("{}, line {}: {} of {} is not read: \"{}\"; {}", place, cell.line, cell.metric,
                     validate::kernel_signature(cell.kernel), cell.text, cell.fix)});
  }
  if (r.unread.size() > kListed)
    out.notes.push_back({"", fmt::format("{}: {} more cells are not read", place,
                                         grouped(r.unread.size() - kListed))});
  for (const auto& note : r.notes) out.notes.push_back({"", place + ": " + note});
}

// The launches the profiler's file holds, checked against the card.
Result<validate::NcuImport> read_counters(const std::string& path, const model::Card& card) {
  auto file = validate::read_profile(path);
  if (!file) return file;
  if (auto same = check_same_card(*file, card, path); !same) return same.error();
  if (auto any = validate::check_has_counters(*file, path); !any) return any.error();
  return file;
}

std::set<std::string> collected_in(const validate::NcuImport& file) {
  std::set<std::string> collected;
  for (const auto& launch : file.launches)
    for (const auto& [name, value] : launch.counted.metrics) collected.insert(name);
  return collected;
}

// nvprof is asked for a few metrics at a time: the others are not missed.
void keep_collected(const validate::NcuImport& file, std::vector<LaunchMetrics>& predicted) {
  const std::set<std::string> collected = collected_in(file);
  for (LaunchMetrics& launch : predicted)
    std::erase_if(launch.metrics, [&](const auto& m) { return !collected.contains(m.first); });
}

Result<void> add_pair(const TraceInput& input, const std::string& ncu, const std::string& repeat,
                      const std::string& run, const ValidateOptions& options, Collected& out) {
  auto reader = open_wanted(input, {});
  if (!reader) return reader.error();
  // A file that cannot be read is told when it is read for good.
  const auto profile = validate::read_profile(ncu);
  const auto words = profile ? profile->words : metrics::Vocabulary::kNcu;
  auto prediction = predict(*reader, *options.card, options.time, words,
                            profile ? collected_in(*profile) : std::set<std::string>{});
  if (!prediction) return prediction.error();
  auto file = read_counters(ncu, *options.card);
  if (!file) return file.error();
  if (file->words == metrics::Vocabulary::kNvprof) keep_collected(*file, prediction->launches);
  const auto& predicted = prediction->launches;
  const std::size_t before = out.launches.size();
  const auto matching = validate::match_launches(predicted, *file);
  if (auto some = validate::check_matched(matching, predicted, *file, ncu); !some)
    return some.error();
  append(out.launches, validate::compare_launches(predicted, *file, matching, run));
  for (std::size_t i = before; i < out.launches.size(); ++i)
    out.launches[i].level = launch_level(*reader, out.launches[i].launch);
  append(out.unmatched, validate::describe_unmatched(predicted, *file, matching, run));
  if (const std::string caution = level_caution(*reader); options.time && !caution.empty())
    out.cautions.push_back(run.empty() ? caution : run + ": " + caution);
  for (const auto& note : prediction->notes) out.notes.push_back({run, note});
  note_import(*file, ncu, out);
  if (repeat.empty()) return {};
  // The second collection takes the model's place: what hardware says against itself.
  auto again = read_counters(repeat, *options.card);
  if (!again) return again.error();
  std::vector<LaunchMetrics> second;
  for (const auto& launch : again->launches) second.push_back(launch.counted);
  append(out.repeats,
         validate::compare_launches(second, *file, validate::match_launches(second, *file), run));
  return {};
}

const char* engine_name(bool time) { return time ? "time" : "counts"; }

int show(const ValidateOptions& options, const std::string& place, Collected collected,
         std::vector<std::string> heading, bool whole_reference) {
  const validate::DeviationList none;
  // Deviations are those of built-in cards.
  const auto& deviations = options.no_deviations || !options.card->built_in()
                               ? none
                               : validate::DeviationList::shipped();
  validate::Report report = validate::finish_report(options.card->name(), engine_name(options.time),
                                                    std::move(collected.launches),
                                                    std::move(collected.unmatched), deviations);
  report.not_read = collected.not_read;
  report.unmatched_allowed = options.allow_unmatched || options.trace.partial;
  if (auto some = validate::check_compared(report, place); !some) return fail(some.error());
  if (!collected.repeats.empty())
    validate::attach_repeat(
        report,
        validate::finish_report(options.card->name(), "", std::move(collected.repeats), {}, none));
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  for (const std::string& caution : collected.cautions)
    heading.insert(heading.begin(), "warning: " + caution);
  if (options.output.format == Format::kCsv)
    for (const std::string& caution : collected.cautions) warn(caution);
  const bool terminal = options.output.path.empty() && is_terminal(STDOUT_FILENO);
  const validate::ViewOptions view{output->colour(),
                                   options.all,
                                   terminal ? terminal_width(STDOUT_FILENO) : kPipeWidth,
                                   std::move(heading),
                                   told_once(collected.notes),
                                   whole_reference};
  switch (options.output.format) {
    case Format::kTable: output->write(validate::table_view(report, view)); break;
    case Format::kJson: output->write(validate::json_view(report, view)); break;
    case Format::kCsv: output->write(validate::csv_view(report)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  if (!report.ok()) return exit_status(ErrorKind::kCheckFailed);
  // What was read is fine, but something was not.
  return report.not_read == 0 || options.trace.partial ? 0 : exit_status(ErrorKind::kIncomplete);
}

// The reference of the card that ships; empty where there is none.
std::string shipped_suite(const model::Card& card) {
  return card.built_in() ? validate::shipped_suite(card.name()) : "";
}

Result<validate::Suite> find_suite(const ValidateOptions& options) {
  const std::string folder = options.suite.empty() ? shipped_suite(*options.card) : options.suite;
  if (folder.empty())
    return Error{ErrorKind::kUsage,
                 fmt::format("no reference data for card {} was found", options.card->name()), "",
                 "give a folder with --suite, or a trace and its profile: validate T --ncu F.csv"};
  return validate::open_suite(folder);
}

// The files that a comparison of the whole folder is going to read; no output may replace one.
void note_files(const validate::Suite& suite) {
  note_input(suite.folder + "/provenance.toml");
  for (const auto& entry : suite.entries)
    for (const auto& file : {entry.trace, entry.counters, entry.repeat}) note_input(file);
}

Result<Collected> collect(const validate::Suite& suite, const ValidateOptions& options) {
  note_files(suite);
  if (auto place = check_output(options.output); !place) return place.error();
  // Runs are compared on several threads, and put together in their order.
  struct Part {
    Result<void> added;
    Collected collected;
  };
  std::vector<Part> parts(suite.entries.size());
  Progress progress("validate", "runs", parts.size());
  std::atomic<std::size_t> done{0};
  in_parallel(parts.size(), threads_of(options.threads), [&] {
    return [&](std::size_t i) {
      const auto& entry = suite.entries[i];
      TraceInput input = options.trace;
      input.path = entry.trace;
      Part& part = parts[i];
      part.added =
          add_pair(input, entry.counters, entry.repeat, entry.name, options, part.collected);
      progress.update(++done);
      return part.added.ok();
    };
  });
  Collected collected;
  for (Part& part : parts) {
    if (!part.added) return part.added.error();
    append(collected.launches, std::move(part.collected.launches));
    append(collected.repeats, std::move(part.collected.repeats));
    append(collected.unmatched, std::move(part.collected.unmatched));
    append(collected.notes, std::move(part.collected.notes));
    append(collected.cautions, std::move(part.collected.cautions));
    collected.not_read += part.collected.not_read;
  }
  for (const std::string& note : suite.notes) collected.notes.push_back({"", note});
  return collected;
}

int validate_suite(const ValidateOptions& options) {
  const auto suite = find_suite(options);
  if (!suite) return fail(suite.error());
  auto collected = collect(*suite, options);
  if (!collected) return fail(collected.error());
  // Deviations are listed for what the counts engine makes of the reference that ships.
  const bool whole = !options.time && suite->folder == shipped_suite(*options.card);
  return show(options, suite->folder, std::move(*collected), suite->heading, whole);
}

// How close both engines come to what was counted: what validate/accuracy.csv holds.
int measure_accuracy(ValidateOptions options) {
  const auto suite = find_suite(options);
  if (!suite) return fail(suite.error());
  std::vector<validate::Accuracy> rows;
  for (const bool time : {false, true}) {
    options.time = time;
    auto collected = collect(*suite, options);
    if (!collected) return fail(collected.error());
    const validate::Report report = validate::finish_report(
        options.card->name(), engine_name(time), std::move(collected->launches),
        std::move(collected->unmatched), validate::DeviationList());
    if (auto some = validate::check_compared(report, suite->folder); !some)
      return fail(some.error());
    append(rows, validate::accuracy_of(report));
  }
  return emit(options.output, accuracy_view(rows, options.output));
}

// The card that is named, or the one of the GPU that the profile was counted on.
Result<std::string> card_to_judge_by(const ValidateOptions& options) {
  if (!options.gpu.empty()) return options.gpu;
  if (!options.suite.empty()) {
    // A folder that cannot be read is told when it is read for good.
    const auto suite = validate::open_suite(options.suite);
    return suite ? card_of_device(suite->gpu).value_or(kUsualCard) : kUsualCard;
  }
  if (options.trace.path.empty() || options.ncu.empty()) return std::string(kUsualCard);
  // Files that cannot be read are told later, when they are read for good.
  if (const auto profile = validate::read_profile(options.ncu)) {
    auto named = card_of_profile(*profile, options.ncu);
    if (!named || !named->empty()) return named;
  }
  const auto reader =
      trace::TraceReader::open(options.trace.path, {.allow_partial = options.trace.partial});
  if (!reader) return std::string(kUsualCard);
  const TraceCard chosen = card_of_trace(*reader);
  if (!chosen.note.empty()) note(chosen.note);
  return chosen.name;
}

// Times, rates and occupancy come from the time engine. A file of nothing else, as ncu's first page
// is, asks for it; beside counters it is the user's to ask.
void choose_engine(ValidateOptions& options, Collected& out) {
  if (options.time) return;
  const auto profile = validate::read_profile(options.ncu);
  if (!profile) return;
  bool timed = false, counters = false;
  for (const std::string& name : collected_in(*profile)) {
    const validate::MetricRule* rule = validate::find_any_rule(name);
    if (!rule) continue;
    if (rule->group == validate::Group::kTime) timed = true;
    else counters = counters || validate::find_rule(name) != nullptr;
  }
  if (!timed) return;
  options.time = !counters;
  out.notes.push_back(
      {"", options.time ? "the file has times and rates, so it is compared with the time engine"
                        : "the file has cycles or times too: --time compares them"});
}

int run_validate(ValidateOptions& options) {
  if (options.list_metrics && !options.accuracy)
    return emit(options.output, validate::metric_list() + "\n");
  const auto gpu = card_to_judge_by(options);
  if (!gpu) return fail(gpu.error());
  auto card = load_card(*gpu);
  if (!card) return fail(card.error());
  options.card = *std::move(card);
  if (options.accuracy) {
    if (options.trace.path.empty() && options.ncu.empty() && !options.time)
      return measure_accuracy(options);
    return fail(
        {ErrorKind::kUsage, "--accuracy beside a trace or --time", "",
         "it measures both engines over a folder: warpmem validate --accuracy --suite DIR"});
  }
  if (options.trace.path.empty() && options.ncu.empty()) return validate_suite(options);
  if (options.trace.path.empty() || options.ncu.empty())
    return fail({ErrorKind::kUsage,
                 options.ncu.empty() ? "a trace without the profiler's file"
                                     : "the profiler's file without a trace",
                 "", "give both: warpmem validate T --ncu F.csv"});
  if (!options.suite.empty())
    return fail({ErrorKind::kUsage, "--suite beside a trace", "",
                 "validate one trace (T --ncu F.csv) or a folder (--suite DIR)"});
  Collected collected;
  choose_engine(options, collected);
  if (auto place = check_output(options.output); !place) return fail(place.error());
  if (auto added = add_pair(options.trace, options.ncu, "", "", options, collected); !added)
    return fail(added.error());
  return show(options, options.ncu, std::move(collected), {}, false);
}

}  // namespace

Run setup_validate(CLI::App& app) {
  auto options = std::make_shared<ValidateOptions>();
  app.add_option("trace", options->trace.path, "trace whose counters to predict")
      ->type_name("TRACE");
  app.add_flag("--partial", options->trace.partial,
               "accept a trace that is known to be incomplete");
  app.add_option("--ncu,--nvprof", options->ncu,
                 "CSV of Nsight Compute or of nvprof for the same program")
      ->type_name("FILE");
  app.add_option("--suite", options->suite,
                 "folder of NAME.wmt and NAME.csv pairs (without one: the card's reference)")
      ->type_name("DIR")
      ->expected(0, 1);
  app.add_option(
         "--gpu", options->gpu,
         "GPU card (see warpmem gpus), or a card of your own: FILE.toml (the one of the GPU that "
         "the profile names; without one h200)")
      ->type_name("NAME|FILE");
  app.add_flag("--all", options->all, "every counter of every launch");
  app.add_flag("--time", options->time, "cycles too, and all counters from the time engine");
  app.add_flag("--accuracy", options->accuracy,
               "for each metric, how close both engines come to a folder's counters");
  app.add_flag("--allow-unmatched", options->allow_unmatched,
               "launches that only the trace or only the profiler's file has are no failure");
  app.add_flag("--no-deviations", options->no_deviations, "judge as if no deviation were listed");
  app.add_flag("--list-metrics", options->list_metrics,
               "print the metrics to collect, as ncu --metrics takes them");
  add_threads_option(app, options->threads, "runs of a folder predicted");
  add_output_options(app, options->output);
  return [options] { return run_validate(*options); };
}

}  // namespace warpmem::command
