// Replays and explains what a report is about.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "base/in_parallel.hpp"
#include "command/counters/counters_view.hpp"
#include "command/counters/metric_values.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/options/threads.hpp"
#include "command/report/input.hpp"
#include "command/report/pairs.hpp"
#include "command/screen/progress.hpp"
#include "command/version.hpp"
#include "sim/explain/explain.hpp"
#include "sim/explain/memory_chart.hpp"
#include "validate/accuracy.hpp"

namespace warpmem::command {
namespace {

constexpr std::size_t kFew = 4;          // launches of which a report shows everything
constexpr std::size_t kManyWindows = 6;  // of time, where there are more

const char* engine_of(const ReportInput& input) { return input.counts ? "counts" : "time"; }

// A launch of a trace on a card, that is to be replayed.
struct Task {
  std::size_t run = 0, place = 0;  // where its result goes
  std::uint32_t index = 0;         // in the trace
};
struct Replayed {
  ReportLaunch shown;
  std::vector<ShownMetric> metrics;
  LaunchMetrics counted;  // in the profiler's words, to be compared
};

void put_time(const sim::TimeResult& t, ReportLaunch& out) {
  for (const sim::TimeResult::Use& u : t.uses)
    out.places.push_back(
        {model::name_of(u.place), u.share, u.most, u.element, u.count, u.bytes, u.peak});
  for (std::size_t i = 0; i < t.waits.size(); ++i)
    out.waits.emplace_back(sim::name_of(static_cast<sim::Wait>(i)), t.waits[i]);
  out.warp_cycles = t.warp_cycles, out.running = t.running, out.instructions = t.instructions;
}

// With fewer windows where there are many launches: neighbours are added up.
ReportHeat heat_of(const std::optional<model::PartitionTraffic>& traffic, std::size_t most) {
  ReportHeat out;
  if (!traffic || traffic->windows().empty()) return out;
  const auto& windows = traffic->windows();
  const std::size_t each = (windows.size() + most - 1) / most;
  out.window_cycles = traffic->window_cycles() * each;
  out.read = traffic->reads(), out.written = traffic->writes();
  out.at_work = traffic->busy_channels();
  for (std::size_t w = 0; w < windows.size(); w += each) {
    auto& sum = out.windows.emplace_back(windows[w].sectors);
    for (std::size_t k = w + 1; k < std::min(w + each, windows.size()); ++k)
      for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += windows[k].sectors[c];
  }
  return out;
}

Result<Replayed> replay_one(const trace::TraceReader& reader, std::uint32_t index,
                            const model::Card& card, const ReportInput& input,
                            std::size_t launches) {
  const bool few = launches <= kFew;
  sim::ReplayedLaunch replayed;
  sim::ExplainOptions options;
  options.time = !input.counts;
  options.gains = !input.no_gain && (few || input.findings > 0);
  options.findings = input.findings ? input.findings : 3;
  options.over_time = true;
  options.replayed = &replayed;
  auto explained = sim::explain(reader, index, card, options);
  if (!explained) return explained.error();
  auto chart = sim::memory_chart(reader, index, card, replayed);
  if (!chart) return chart.error();
  Replayed out;
  ReportLaunch& l = out.shown;
  l.explanation = std::move(*explained), l.chart = std::move(*chart);
  l.level = launch_level(reader, l.explanation.launch);
  l.complete = replayed.complete;
  if (replayed.time) put_time(*replayed.time, l);
  if (!few)
    for (SiteTraffic& t : l.explanation.sites)
      if (t.examples.size() > 1) t.examples.resize(1);
  l.dram = heat_of(replayed.dram_traffic, few ? 64 : kManyWindows);
  l.banks = heat_of(replayed.bank_traffic, few ? 64 : kManyWindows);
  const auto words = metrics::usual_vocabulary(card.capability());
  out.metrics = metrics_of(replayed, card, words);
  out.counted = std::move(replayed.metrics);
  if (words != metrics::Vocabulary::kNcu) {
    out.counted.metrics.clear();
    for (const ShownMetric& m : out.metrics)
      out.counted.metrics.emplace(std::string(m.metric->name), m.value);
  }
  return out;
}

ReportCard card_of(const model::Card& card) {
  ReportCard out{card.name(), card.full_name(), card.compute_capability(), 0, {}};
  const model::CardNumbers& n = card.numbers();
  out.issue_peak = static_cast<double>(n.sm_count * n.sm_schedulers);
  for (const model::CardEntry& e : card.entries())
    if (e.used && e.kind != model::CardEntry::Kind::kInstruction)
      out.entries.push_back({e.key, e.value, e.unit, e.source, e.meaning, e.overridden});
  return out;
}

std::vector<std::pair<std::string, std::string>> provenance_of(const trace::TraceReader& reader) {
  const trace::Origin& o = reader.origin();
  std::vector<std::pair<std::string, std::string>> out{
      {"trace", std::filesystem::path(reader.path()).filename().string()},
      {"content (XXH3)", reader.hash()},
      {"level", std::string(level_name(o.level))},
      {"quality", quality_text(reader.quality())}};
  const auto add = [&](const char* what, const std::string& text) {
    if (!text.empty()) out.emplace_back(what, text);
  };
  add("GPU", o.gpu), add("architecture", o.arch), add("driver", o.driver), add("CUDA", o.cuda);
  add("program", o.command), add("written by", o.tool), add("date", o.date);
  std::string missing;
  for (const std::string& m : o.missing) missing += (missing.empty() ? "" : ", ") + m;
  add("not in the trace", missing);
  return out;
}

// One list of metrics for all launches, each with those values in its order. What says nothing of
// any launch is left out.
void put_metrics(const std::vector<Replayed>& all, const std::vector<ReportLaunch*>& to,
                 Report& out) {
  std::map<std::string, std::size_t, std::less<>> known;
  for (const Replayed& r : all)
    for (const ShownMetric& m : r.metrics)
      if (!m.idle && known.try_emplace(std::string(m.metric->name), 0).second)
        out.metrics.push_back({std::string(m.metric->name), std::string(m.metric->unit),
                               name_of(group_of(m.metric->name)), std::string(m.metric->meaning)});
  std::ranges::stable_sort(out.metrics, {}, [](const ReportMetric& m) { return group_of(m.name); });
  for (std::size_t i = 0; i < out.metrics.size(); ++i) known[out.metrics[i].name] = i;
  for (std::size_t i = 0; i < all.size(); ++i) {
    MetricValue none;
    none.missing = "not in this card's vocabulary";
    to[i]->values.assign(out.metrics.size(), none);
    for (const ShownMetric& m : all[i].metrics)
      if (const auto at = known.find(m.metric->name); at != known.end())
        to[i]->values[at->second] = m.value;
  }
}

void put_accuracy(const std::vector<model::Card>& cards, Report& out) {
  for (const validate::Accuracy& a : validate::measured_accuracy())
    for (std::size_t c = 0; c < cards.size(); ++c) {
      if (!cards[c].built_in() || a.gpu != cards[c].name()) continue;
      const bool shown = std::ranges::any_of(out.runs, [&](const ReportRun& r) {
        return r.card == c && a.engine == r.engine &&
               std::ranges::any_of(r.launches,
                                   [&](const ReportLaunch& l) { return l.level == a.level; });
      });
      if (shown)
        out.accuracy.push_back(
            {a.level, a.engine, a.metric, c, a.launches, a.equal, a.median, a.p90});
    }
}

// What `replay` says beside each metric, for every card and level of the traces.
void put_accuracy_words(const std::vector<model::Card>& cards, Report& out) {
  std::set<std::pair<std::size_t, std::string>> shown;
  for (const ReportRun& run : out.runs)
    for (const ReportLaunch& launch : run.launches) {
      if (!launch.accuracy_not_measured.empty()) continue;
      if (!shown.emplace(run.card, launch.level).second) continue;
      const model::Card& card = cards[run.card];
      const auto words = metrics::usual_vocabulary(card.capability());
      ReportAccuracyWords said{run.card, launch.level, run.engine, {}};
      for (const ReportMetric& m : out.metrics) {
        const metrics::Metric* metric = metrics::find(words, m.name);
        said.words.push_back(
            metric ? accuracy({card.name(), launch.level, run.engine, ""}, card, words, *metric)
                   : "");
      }
      out.accuracy_words.push_back(std::move(said));
    }
}

std::string title_of(const std::vector<ReportTrace>& traces, const Report& report) {
  std::string out = traces.size() > 2 ? fmt::format("{} traces", traces.size()) : "";
  if (out.empty())
    for (const ReportTrace& t : traces)
      out += (out.empty() ? "" : " and ") + std::filesystem::path(t.path).stem().string();
  std::string on;
  for (const ReportCard& c : report.cards) on += (on.empty() ? "" : " and ") + c.name;
  return out + " on " + on;
}

// The cards, and on which of them each trace is replayed: those of --gpu, or the one of its own
// GPU.
struct Cards {
  std::vector<model::Card> all;
  std::vector<std::vector<std::size_t>> of_trace;
};

Result<Cards> cards_of(const ReportInput& input, const std::vector<trace::TraceReader>& readers) {
  Cards out;
  std::map<std::string, std::size_t> known;
  const auto add = [&](const std::string& gpu,
                       const trace::TraceReader& reader) -> Result<std::size_t> {
    if (const auto at = known.find(gpu); at != known.end()) return at->second;
    auto card = card_for(CardInput{gpu, input.settings}, reader);
    if (!card) return card.error();
    out.all.push_back(std::move(*card));
    return known[gpu] = out.all.size() - 1;
  };
  std::vector<std::size_t> named;
  for (const std::string& gpu : input.gpus) {
    auto one = add(gpu, readers.front());
    if (!one) return one.error();
    named.push_back(*one);
  }
  for (const trace::TraceReader& reader : readers) {
    out.of_trace.push_back(named);
    if (!named.empty()) continue;
    auto one = add(card_of_trace(reader).name, reader);
    if (!one) return one.error();
    out.of_trace.back() = {*one};
  }
  return out;
}

Result<std::vector<trace::TraceReader>> open_all(const ReportInput& input,
                                                 const std::vector<ReportTrace>& traces) {
  std::vector<trace::TraceReader> out;
  for (const ReportTrace& t : traces) {
    auto reader = open_wanted({t.path, input.partial}, input.launches);
    if (!reader) return reader.error();
    out.push_back(std::move(*reader));
  }
  return out;
}

}  // namespace

Result<Report> make_report(const ReportInput& input, const std::vector<ReportTrace>& traces) {
  const auto readers = open_all(input, traces);
  if (!readers) return readers.error();
  auto chosen = cards_of(input, *readers);
  if (!chosen) return chosen.error();
  const std::vector<model::Card>* const cards = &chosen->all;
  std::vector<std::size_t> trace_of_run;
  Report out;
  out.version = kVersion;
  for (const model::Card& c : *cards) out.cards.push_back(card_of(c));
  std::vector<Task> tasks;
  for (std::size_t t = 0; t < traces.size(); ++t)
    for (const std::size_t c : chosen->of_trace[t]) {
      const trace::TraceReader& reader = (*readers)[t];
      trace_of_run.push_back(t);
      ReportRun run{std::filesystem::path(traces[t].path).stem().string(),
                    c,
                    engine_of(input),
                    provenance_of(reader),
                    {},
                    {}};
      if (std::string caution = level_caution(reader, input.launches); !caution.empty())
        run.notes.push_back(std::move(caution));
      if (const TraceCard own = card_of_trace(reader);
          own.name == (*cards)[c].name() && !own.note.empty())
        run.notes.push_back(own.note);
      for (std::uint32_t i = 0; i < reader.launches().size(); ++i)
        if (input.launches.contains(reader.launches()[i].launch.id))
          tasks.push_back({out.runs.size(), run.launches.size(), i}), run.launches.emplace_back();
      out.runs.push_back(std::move(run));
    }
  const auto trace_of = [&](std::size_t run) { return trace_of_run[run]; };
  std::vector<std::optional<Result<Replayed>>> results(tasks.size());
  Progress progress("report", "launches", tasks.size());
  std::atomic<std::size_t> done{0};
  in_parallel(tasks.size(), threads_of(input.threads), [&] {
    return [&](std::size_t i) {
      const Task& task = tasks[i];
      results[i] = replay_one((*readers)[trace_of(task.run)], task.index,
                              (*cards)[out.runs[task.run].card], input, tasks.size());
      progress.update(++done);
      return results[i]->ok();
    };
  });
  std::vector<Replayed> all;
  std::vector<ReportLaunch*> to;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!results[i]) continue;  // not begun: an earlier one failed
    if (!*results[i]) return results[i]->error();
    all.push_back(std::move(**results[i]));
    ReportRun& run = out.runs[tasks[i].run];
    ReportLaunch& launch = run.launches[tasks[i].place];
    launch = std::move(all.back().shown);
    launch.accuracy_not_measured = unlike_validation(
        (*cards)[run.card], (*readers)[trace_of(tasks[i].run)], launch.complete, false);
    to.push_back(&launch);
  }
  put_metrics(all, to, out);
  put_accuracy(*cards, out);
  put_accuracy_words(*cards, out);
  out.title = title_of(traces, out);
  out.side_by_side = out.runs.size() == 2;
  std::vector<std::vector<LaunchMetrics>> counted(out.runs.size());
  for (std::size_t i = 0; i < tasks.size(); ++i)
    if (out.runs[tasks[i].run].launches[tasks[i].place].complete)
      counted[tasks[i].run].push_back(std::move(all[i].counted));
  for (std::size_t t = 0, first_run = 0; t < traces.size();
       first_run += chosen->of_trace[t++].size()) {
    if (traces[t].profile.empty()) continue;
    std::vector<model::Card> own;
    for (const std::size_t c : chosen->of_trace[t]) own.push_back((*cards)[c]);
    if (auto ok = add_pairs(traces[t].profile, own, first_run, counted, out); !ok)
      return ok.error();
  }
  return out;
}

}  // namespace warpmem::command
