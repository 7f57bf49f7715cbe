#include "command/replay/view.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "command/counters/counters_view.hpp"
#include "command/counters/metric_text.hpp"
#include "command/counters/metric_values.hpp"
#include "command/inputs/card_input.hpp"
#include "command/inputs/trace_card.hpp"
#include "command/inputs/trace_input.hpp"
#include "command/replay/time_view.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"
#include "sim/explain/memory_chart.hpp"
#include "validate/accuracy.hpp"
#include "validate/published.hpp"
#include "views/memory_chart.hpp"

namespace warpmem::command {

namespace {

std::string not_known(const MetricValue& value) { return fmt::format("n/a ({})", value.missing); }

// The value of a metric that must be there for a figure derived from it; nothing when unknown.
const MetricValue* known(const LaunchMetrics& launch, const char* metric) {
  const auto found = launch.metrics.find(metric);
  return found != launch.metrics.end() && found->second.known() ? &found->second : nullptr;
}

std::string count(const LaunchMetrics& launch, const char* metric) {
  const MetricValue* value = known(launch, metric);
  return value ? number(value->value) : "n/a";
}

// part / whole; "-" where there was nothing to divide by.
std::string ratio(const LaunchMetrics& launch, const char* part, const char* whole, bool percent) {
  const MetricValue* over = known(launch, part);
  const MetricValue* under = known(launch, whole);
  if (!over || !under) return "n/a";
  if (under->value == 0) return "-";
  const double quotient = over->value / under->value;
  return percent ? fmt::format("{:.1f} %", 100 * quotient) : fmt::format("{:.2f}", quotient);
}

// In 80 columns, but for the kernels' names, which take what a wider terminal has more.
Table overview(const sim::ReplayResult& result, std::size_t width) {
  Table table({{"launch", Align::kRight},
               {"kernel"},
               {"each", Align::kRight},
               {"L1 hits", Align::kRight},
               {"L2 reads", Align::kRight},
               {"L2 hits", Align::kRight},
               {"DRAM", Align::kRight},
               {"cycles", Align::kRight}});
  constexpr std::size_t kOthers = 64;  // columns of all but the names
  constexpr const char* kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
  constexpr const char* kL2Read = "lts__t_sectors_srcunit_tex_op_read.sum";
  for (const LaunchMetrics& launch : result.launches) {
    const MetricValue* read = known(launch, "dram__sectors_read.sum");
    const MetricValue* written = known(launch, "dram__sectors_write.sum");
    table.row(
        {grouped(launch.launch), views::shortened(launch.kernel, width - kOthers),
         ratio(launch, kSectors, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", false),
         ratio(launch, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum", kSectors, true),
         count(launch, kL2Read),
         ratio(launch, "lts__t_sectors_srcunit_tex_op_read_lookup_hit.sum", kL2Read, true),
         read && written ? number(read->value + written->value) : "n/a",
         count(launch, "sm__cycles_elapsed.max")});
  }
  return table;
}

// The same with the columns that people look at first in another vocabulary.
Table overview_in_words(const ReplayView& view) {
  std::vector<Column> columns{
      {"launch", Align::kRight}, {"kernel"}, {"grid", Align::kRight}, {"block", Align::kRight}};
  std::vector<std::vector<std::string>> rows;
  for (const sim::ReplayedLaunch& launch : view.result.details) {
    const LaunchMetrics& l = launch.metrics;
    auto& cells = rows.emplace_back(
        std::vector<std::string>{grouped(l.launch), l.kernel, dims(l.grid), dims(l.block)});
    for (const ShownMetric& m : metrics_of(launch, view.card, view.vocabulary)) {
      if (!m.metric->main || !metrics::definition_of(*m.metric, view.card.capability())) continue;
      if (rows.size() == 1) columns.push_back({std::string(m.metric->name), Align::kRight});
      cells.push_back(m.value.known() ? number(m.value.value) : "n/a");
    }
  }
  Table table(std::move(columns));
  for (auto& cells : rows) table.row(std::move(cells));
  return table;
}

const char* engine_name(const ReplayView& view) { return view.time ? "time" : "counts"; }

ReplayedAs replayed_as(const ReplayView& view, const sim::ReplayedLaunch& launch) {
  return {view.card.name(), launch_level(view.reader, launch.metrics.launch), engine_name(view),
          unlike_validation(view.card, view.reader, launch.complete, view.keep_caches)};
}

// By level; with `view.all`, zeros too.
std::string counters(const ReplayView& view, const sim::ReplayedLaunch& launch,
                     const views::Terminal& terminal) {
  const ReplayedAs as = replayed_as(view, launch);
  std::map<CounterGroup, std::vector<std::vector<std::string>>> groups;
  for (const ShownMetric& m : metrics_of(launch, view.card, view.vocabulary)) {
    if (m.idle && !view.all) continue;
    // A reason is long: it stands in the last column.
    groups[group_of(m.metric->name)].push_back(
        {std::string(m.metric->name), m.value.known() ? number(m.value.value) : "n/a",
         std::string(m.metric->unit),
         m.value.known() ? accuracy(as, view.card, view.vocabulary, *m.metric) : m.value.missing});
  }
  Table table({{"counter"}, {"value", Align::kRight}, {"unit"}, {"accuracy"}});
  bool first = true;
  for (auto& [group, rows] : groups) {
    if (!first) table.row({});
    first = false;
    table.styled_row({views::styled(name_of(group), views::Style::kBold, terminal.colour)});
    for (auto& row : rows) table.row(std::move(row));
  }
  return table.text(terminal);
}

// The first screen of a launch.
std::string chart(const ReplayView& view, const sim::ReplayedLaunch& launch,
                  const views::Terminal& terminal) {
  for (std::uint32_t i = 0; i < view.reader.launches().size(); ++i) {
    if (view.reader.launches()[i].launch.id != launch.metrics.launch) continue;
    const auto chart = sim::memory_chart(view.reader, i, view.card, launch);
    return chart ? views::memory_chart_text(*chart, terminal)
                 : fmt::format("n/a ({})\n", printable(chart.error().message));
  }
  return {};
}

// How far the time is off: as validation, or times that others published, say.
std::string time_accuracy(const ReplayedAs& as) {
  // Times that others published are held against traces of machine code.
  if (!as.unlike.empty() || as.level == "ptx") return "not measured";
  const std::string text = accuracy(as, "sm__cycles_elapsed.max");
  return text == "not measured" ? validate::other_cards_times_text() : text;
}

// Where the column's numbers are from, or why there are none.
std::string accuracy_note(const ReplayView& view, const sim::ReplayedLaunch& launch) {
  const ReplayedAs as = replayed_as(view, launch);
  if (!as.unlike.empty()) return fmt::format("Accuracy is not measured: {}.\n", as.unlike);
  for (const validate::Accuracy& a : validate::measured_accuracy())
    if (a.gpu == as.gpu && a.level == as.level && a.engine == as.engine)
      return fmt::format(
          "Accuracy: the errors of the {} engine over the {} reference's launches "
          "(warpmem metrics --accuracy).\n",
          as.engine, as.gpu);
  const std::string band =
      as.engine == "time" && as.level != "ptx" ? time_accuracy(as) : std::string();
  return fmt::format("Accuracy is not measured for {} with traces of level {}.{}\n", as.gpu,
                     as.level, band.empty() ? "" : " Its times: " + band + ".");
}

// The notes of all launches, each once.
std::string accuracy_notes(const ReplayView& view) {
  std::set<std::string> told;
  std::string out;
  for (const sim::ReplayedLaunch& launch : view.result.details)
    if (const std::string note = accuracy_note(view, launch); told.insert(note).second) out += note;
  return out;
}

// By level of the traces: {"sass":{"metric":{"launches":…,"equal":…,"median":…,"p90":…},…}}.
Json accuracy_json(const ReplayView& view) {
  Json levels = Json::object();
  for (const sim::ReplayedLaunch& launch : view.result.details) {
    const ReplayedAs as = replayed_as(view, launch);
    if (!as.unlike.empty() || levels.find(as.level)) continue;
    for (const validate::Accuracy& a : validate::measured_accuracy())
      if (a.gpu == as.gpu && a.level == as.level && a.engine == as.engine)
        levels[as.level][a.metric] = {
            {"launches", a.launches}, {"equal", a.equal}, {"median", a.median}, {"p90", a.p90}};
  }
  return levels;
}

// The file's name without its folder: a result does not depend on where the trace lies.
std::string notes_text(const ReplayView& view) {
  std::string out;
  if (const std::string note = vocabulary_note(view.card, view.vocabulary); !note.empty())
    out += "note: " + note + "\n";
  for (const std::string& note : view.result.notes) out += "note: " + printable(note) + "\n";
  for (const sim::ReplayedLaunch& launch : view.result.details) {
    for (const std::string& note : launch.notes) {
      out += fmt::format("note: launch {}: {}\n", launch.metrics.launch, printable(note));
    }
    if (!launch.complete) {
      out += fmt::format("note: launch {} is incomplete: its counters are a part of the truth\n",
                         launch.metrics.launch);
    }
  }
  return out;
}

}  // namespace

std::string replay_text(const ReplayView& view, const views::Terminal& terminal) {
  std::string out = fmt::format(
      "{} on {} ({}), {} engine, trace of level {}, {}\n", printable(file_name(view.reader)),
      view.card.name(), view.card.full_name(), engine_name(view),
      level_name(view.reader.origin().level), printable(quality_text(view.reader.quality())));
  for (const model::CardEntry& entry : view.card.entries()) {
    if (entry.overridden) out += fmt::format("with {} = {}\n", entry.key, entry.value);
  }
  if (!view.caution.empty()) out += cautioned(view.caution, terminal);
  const bool each = view.all || view.result.launches.size() == 1;
  if (!each) {
    if (view.vocabulary == metrics::Vocabulary::kNcu) {
      out += "\n" + overview(view.result, terminal.width).text(terminal);
      out += views::wrapped(
          "each: sectors a load request. L2 reads and DRAM, read and written, are 32-byte sectors. "
          "One launch: --launch N; all counters: --all.",
          terminal.width, 0);
    } else {
      out += "\n" + overview_in_words(view).text(terminal);
      out += "\nAll counters: --launch N, or --all.\n";
    }
    out += accuracy_notes(view);
  } else {
    for (const sim::ReplayedLaunch& detail : view.result.details) {
      const LaunchMetrics& launch = detail.metrics;
      out += "\n" + views::wrapped(fmt::format("launch {}: {}  grid {}  block {}", launch.launch,
                                               printable(launch.kernel), dims(launch.grid),
                                               dims(launch.block)),
                                   view.all ? ~std::size_t{0} : terminal.width, 2);
      if (view.all) {
        out += counters(view, detail, terminal) + accuracy_note(view, detail);
        if (detail.time) out += time_text(*detail.time, terminal);
      } else {
        std::string below = accuracy_note(view, detail);
        below +=
            "All counters, where the time went: --all. What moves too much, why: warpmem "
            "explain.\nWhat a word means: warpmem words\n";
        out += chart(view, detail, terminal) + "\n";
        if (view.counters) out += counters(view, detail, terminal) + "\n";
        out += below;
      }
    }
  }
  if (const std::string notes = notes_text(view); !notes.empty()) out += "\n" + notes;
  return out;
}

std::string replay_json(const ReplayView& view) {
  Json out{{"schema", 1},
           {"gpu", view.card.name()},
           {"engine", engine_name(view)},
           {"vocabulary", metrics::name_of(view.vocabulary)},
           {"card", card_json(view.card)}};
  out["trace"] = {{"file", file_name(view.reader)},
                  {"hash", view.reader.hash()},
                  {"level", level_name(view.reader.origin().level)},
                  {"quality", quality_json(view.reader.quality())}};
  Json changed = Json::object();
  for (const model::CardEntry& entry : view.card.entries())
    if (entry.overridden) changed[entry.key] = entry.value;
  out["settings"] = std::move(changed);
  out["keep_caches"] = view.keep_caches;
  out["accuracy"] = accuracy_json(view);
  out["caution"] = view.caution.empty() ? Json(nullptr) : Json(view.caution);
  out["notes"] = view.result.notes;
  out["kernels"] = Json::array();
  for (const sim::ReplayedLaunch& launch : view.result.details) {
    Json entry{{"launch", launch.metrics.launch}, {"name", launch.metrics.kernel},
               {"grid", launch.metrics.grid},     {"block", launch.metrics.block},
               {"complete", launch.complete},     {"notes", launch.notes}};
    Json metrics = Json::object(), missing = Json::object();
    for (const ShownMetric& m : metrics_of(launch, view.card, view.vocabulary)) {
      const std::string name(m.metric->name);
      const MetricValue& value = m.value;
      if (!value.known()) {
        metrics[name] = nullptr;
        missing[name] = value.missing;
      } else if (value.value == static_cast<double>(static_cast<std::int64_t>(value.value))) {
        metrics[name] = static_cast<std::int64_t>(value.value);  // 131072, not 131072.0
      } else {
        metrics[name] = value.value;
      }
    }
    entry["metrics"] = std::move(metrics);
    if (!missing.empty()) entry["not_available"] = std::move(missing);
    const ReplayedAs as = replayed_as(view, launch);
    entry["level"] = as.level;
    if (!as.unlike.empty()) entry["accuracy_not_measured"] = as.unlike;
    else if (!out["accuracy"].find(as.level))
      entry["accuracy_not_measured"] =
          fmt::format("nothing was validated on {} from traces of level {}", as.gpu, as.level);
    if (const auto& s = launch.spilled; s.instructions != 0)
      entry["spilled_registers"] = {{"instructions", s.instructions},
                                    {"loads", s.loads},
                                    {"stores", s.stores},
                                    {"loops_taken_once", s.loops_taken_once}};
    if (launch.time) {
      entry["time"] = time_json(*launch.time);
      entry["time"]["accuracy"] = time_accuracy(as);
      entry["time"]["loops_taken_once"] = launch.loops_taken_once;
    }
    out["kernels"].push_back(std::move(entry));
  }
  return out.text(2) + "\n";
}

std::string replay_csv(const ReplayView& view) {
  Table table({{"launch"},
               {"kernel"},
               {"metric"},
               {"unit"},
               {"value"},
               {"engine"},
               {"accuracy"},
               {"quality"}});
  for (const sim::ReplayedLaunch& replayed : view.result.details) {
    const LaunchMetrics& launch = replayed.metrics;
    const ReplayedAs as = replayed_as(view, replayed);
    for (const ShownMetric& m : metrics_of(replayed, view.card, view.vocabulary)) {
      table.row({std::to_string(launch.launch), launch.kernel, std::string(m.metric->name),
                 std::string(m.metric->unit),
                 m.value.known() ? fmt::format("{}", m.value.value) : not_known(m.value),
                 engine_name(view), accuracy(as, view.card, view.vocabulary, *m.metric),
                 as.level == "ptx" && is_of_time(*m.metric) ? kRough : ""});
    }
  }
  return table.csv();
}

}  // namespace warpmem::command
