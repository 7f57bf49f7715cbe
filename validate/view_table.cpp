// The table view: one entry a kernel (model above, hardware below), then each metric over all
// launches, then what is missing or known, then one line that says how it went.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "validate/accuracy.hpp"
#include "validate/text_table.hpp"
#include "validate/view.hpp"

namespace warpmem::validate {
namespace {

// The counters of the compact table, the least needed last: a narrow terminal drops from the end.
struct Shown {
  std::string_view title, metric;
};
constexpr std::array kShown{
    Shown{"L1 load hits", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum"},
    Shown{"L2 reads", "lts__t_sectors_srcunit_tex_op_read.sum"},
    Shown{"DRAM reads", "dram__sectors_read.sum"},
    Shown{"L2 writes", "lts__t_sectors_srcunit_tex_op_write.sum"},
    Shown{"DRAM writes", "dram__sectors_write.sum"}};

std::size_t columns(const ViewOptions& options) { return static_cast<std::size_t>(options.width); }

std::string count(double value) {
  if (value < 0 || value != std::floor(value) || value > 9e15) return number(value);
  return grouped(static_cast<std::uint64_t>(value));
}

std::string count(const MetricValue& v) { return v.known() ? count(v.value) : "n/a"; }

Tone tone_of(Verdict v) {
  switch (v) {
    case Verdict::kEqual:
    case Verdict::kWithinSpread:
    case Verdict::kWithinBand: return Tone::kGood;
    case Verdict::kKnownDeviation:
    case Verdict::kArtefact: return Tone::kWarn;
    case Verdict::kOff: return Tone::kBad;
    case Verdict::kNotRead: return Tone::kDim;
  }
  return Tone::kPlain;
}

// All launches of one kernel and shape in one run: one entry of the compact table.
struct Entry {
  const LaunchComparison* first = nullptr;
  std::vector<const LaunchComparison*> launches;
};

std::vector<Entry> entries(const Report& report) {
  std::vector<Entry> out;
  for (const auto& l : report.launches) {
    const auto same = std::find_if(out.begin(), out.end(), [&](const Entry& e) {
      return e.first->run == l.run && e.first->kernel == l.kernel && e.first->grid == l.grid &&
             e.first->block == l.block;
    });
    if (same == out.end()) out.push_back({&l, {&l}});
    else same->launches.push_back(&l);
  }
  return out;
}

// The worse, the more.
int rank(Verdict v) {
  switch (v) {
    case Verdict::kOff: return 6;
    case Verdict::kArtefact: return 5;
    case Verdict::kKnownDeviation: return 4;
    case Verdict::kWithinBand: return 3;
    case Verdict::kWithinSpread: return 2;
    case Verdict::kEqual: return 1;
    case Verdict::kNotRead: return 0;
  }
  return 0;
}

// One metric over the launches of an entry: the sums, and the worst verdict.
struct TwoNumbers {
  double predicted = 0, measured = 0;
  bool known = false;
  Verdict verdict = Verdict::kEqual;
  double error = 0;
};

TwoNumbers cell_of(const Entry& entry, std::string_view metric) {
  TwoNumbers cell;
  for (const auto* launch : entry.launches) {
    for (const auto& c : launch->metrics) {
      if (c.rule->name != metric || c.verdict == Verdict::kNotRead) continue;
      cell.known = true;
      cell.predicted += c.predicted.value;
      cell.measured += c.measured.value;
      if (rank(c.verdict) > rank(cell.verdict)) cell.verdict = c.verdict;
    }
  }
  cell.error = relative_error(cell.predicted, cell.measured);
  return cell;
}

TextCell exact_cell(const Entry& entry) {
  std::size_t equal = 0, differ = 0, known = 0;
  for (const auto* launch : entry.launches)
    for (const auto& c : launch->metrics) {
      if (c.rule->match != Match::kExact) continue;
      equal += c.verdict == Verdict::kEqual;
      differ += c.verdict == Verdict::kOff;
      known += c.verdict == Verdict::kKnownDeviation;
    }
  if (differ > 0) return {fmt::format("{} differ", differ), Tone::kBad};
  if (known > 0) return {fmt::format("{} known", known), Tone::kWarn};
  if (equal == 0) return {"n/a", Tone::kDim};
  return {"all equal", Tone::kGood};
}

// The same for approximate metrics, below it.
TextCell band_cell(const Entry& entry) {
  std::size_t within = 0, outside = 0;
  for (const auto* launch : entry.launches)
    for (const auto& c : launch->metrics) {
      if (c.rule->match != Match::kApproximate || c.verdict == Verdict::kNotRead) continue;
      ++(c.verdict == Verdict::kOff ? outside : within);
    }
  if (outside > 0) return {fmt::format("{} outside", outside), Tone::kBad};
  if (within == 0) return {"n/a", Tone::kDim};
  return {"in band", Tone::kGood};
}

std::string entry_name(const Entry& entry) {
  const auto& l = *entry.first;
  std::string name = l.run.empty() ? l.kernel : l.run;
  if (entry.launches.size() > 1) name += fmt::format(" ×{}", entry.launches.size());
  return name;
}

std::string compact_table(const Report& report, const ViewOptions& options) {
  const std::string hardware = report.gpu.empty() ? "GPU" : report.gpu;
  // Name, side and exact take about 50 columns; a counter and its error about 20.
  const auto fit = static_cast<std::size_t>(std::max(1, (options.width - 50) / 20));
  const std::size_t shown = std::min(kShown.size(), fit);
  std::vector<std::string> titles{"kernel", "", "counters"};
  for (std::size_t i = 0; i < shown; ++i) {
    titles.push_back(">" + std::string(kShown[i].title));
    titles.push_back(">error");
  }
  TextTable table(titles);
  for (const auto& entry : entries(report)) {
    std::vector<TextCell> model{
        {shortened(entry_name(entry), 28)}, {"model", Tone::kDim}, exact_cell(entry)};
    // The run names the entry; its kernel stands on the second line.
    std::vector<TextCell> counted{
        {entry.first->run.empty() ? "" : "  " + shortened(entry.first->kernel, 26), Tone::kDim},
        {hardware, Tone::kDim},
        band_cell(entry)};
    for (std::size_t i = 0; i < shown; ++i) {
      const TwoNumbers cell = cell_of(entry, kShown[i].metric);
      model.push_back({cell.known ? count(cell.predicted) : "n/a", Tone::kPlain});
      model.push_back({cell.known ? error_text(cell.error) : "",
                       cell.known ? tone_of(cell.verdict) : Tone::kDim});
      counted.push_back({cell.known ? count(cell.measured) : "", Tone::kPlain});
      counted.push_back({});
    }
    table.row(std::move(model));
    table.row(std::move(counted));
  }
  return table.text(options.colour, columns(options));
}

// One launch: what is off first. What is 0 on both sides says nothing, and what was not read is
// told below.
std::string launch_table(const Report& report, const ViewOptions& options) {
  const LaunchComparison& l = report.launches.front();
  std::vector<const Comparison*> shown;
  for (const Comparison& c : l.metrics)
    if (c.verdict != Verdict::kNotRead && (c.predicted.value != 0 || c.measured.value != 0))
      shown.push_back(&c);
  std::stable_sort(shown.begin(), shown.end(), [](const Comparison* a, const Comparison* b) {
    const auto key = [](const Comparison* c) {
      return std::pair(rank(c->verdict), std::abs(c->judged));
    };
    return key(a) > key(b);
  });
  TextTable table(
      {"metric", ">model", ">" + (report.gpu.empty() ? "GPU" : report.gpu), ">error", "verdict"});
  for (const Comparison* c : shown) {
    std::string verdict = verdict_name(c->verdict);
    if (c->artefact) verdict += fmt::format(" ({})", text_of(*c->artefact).name);
    table.row({{std::string(c->rule->name)},
               {count(c->predicted)},
               {count(c->measured)},
               {error_text(c->error)},
               {verdict, tone_of(c->verdict)}});
  }
  return fmt::format("launch {}: {} grid ({},{},{}) block ({},{},{})\n", l.launch,
                     printable(l.kernel), l.grid[0], l.grid[1], l.grid[2], l.block[0], l.block[1],
                     l.block[2]) +
         table.text(options.colour, columns(options));
}

std::string full_table(const Report& report, const ViewOptions& options) {
  std::string out;
  for (const auto& l : report.launches) {
    out += toned(fmt::format("{}launch {}: {} grid ({},{},{}) block ({},{},{})",
                             l.run.empty() ? "" : printable(l.run) + " ", l.launch,
                             printable(l.kernel), l.grid[0], l.grid[1], l.grid[2], l.block[0],
                             l.block[1], l.block[2]),
                 Tone::kBold, options.colour) +
           "\n";
    TextTable table(
        {"metric", ">model", ">" + (report.gpu.empty() ? "GPU" : report.gpu), ">error", "verdict"});
    for (const auto& c : l.metrics) {
      std::string verdict = verdict_name(c.verdict);
      if (!c.reason.empty()) verdict += " (" + c.reason + ")";
      table.row({{std::string(c.rule->name)},
                 {count(c.predicted)},
                 {count(c.measured)},
                 {c.verdict == Verdict::kNotRead ? "" : error_text(c.error)},
                 {verdict, tone_of(c.verdict)}});
    }
    out += table.text(options.colour, columns(options)) + "\n";
  }
  return out;
}

std::string left_out(const MetricSummary& s) {
  std::string out;
  for (const auto& [reason, n] : s.excluded)
    out += fmt::format("{}{} {}", out.empty() ? "" : ", ", n, reason);
  return out;
}

std::string exact_summary(const Report& report, const ViewOptions& options) {
  TextTable table({"exact metric", ">launches", ">equal", ">differ", ">known", "left out"});
  for (const auto& s : report.summary) {
    if (s.rule->match != Match::kExact) continue;
    if (s.n == 0 && s.failed == 0) continue;
    table.row({{std::string(s.rule->name)},
               {grouped(s.n)},
               {grouped(s.equal), s.equal == s.n ? Tone::kGood : Tone::kPlain},
               {s.failed ? grouped(s.failed) : "–", s.failed ? Tone::kBad : Tone::kDim},
               {s.known ? grouped(s.known) : "–", s.known ? Tone::kWarn : Tone::kDim},
               {left_out(s), Tone::kDim}});
  }
  return table.text(options.colour, columns(options));
}

std::string band_summary(const Report& report, const ViewOptions& options) {
  const bool repeated = std::any_of(report.summary.begin(), report.summary.end(),
                                    [](const MetricSummary& s) { return s.hardware.n > 0; });
  const bool narrow = options.width < 100;  // then what is least needed is left out
  std::vector<std::string> titles{"approximate metric", ">launches", ">median", ">p90", ">worst"};
  if (!narrow) titles.insert(titles.end(), {">bias", ">band"});
  if (repeated && !narrow) titles.insert(titles.end(), {">again", ">again p90"});
  titles.insert(titles.end(), {">outside", ">known", "left out"});
  TextTable table(titles);
  for (const auto& s : report.summary) {
    if (s.rule->match != Match::kApproximate || (s.n == 0 && s.failed == 0)) continue;
    std::vector<TextCell> row{{std::string(s.rule->name)}, {grouped(s.n)}};
    const auto error = [&](double e) {
      row.push_back({s.n ? percent(e) : "–", e > s.rule->band ? Tone::kBad : Tone::kPlain});
    };
    error(s.median);
    error(s.p90);
    error(s.worst);
    if (!narrow) {
      row.push_back({s.n ? error_text(s.bias) : "–"});
      row.push_back({percent(s.rule->band), Tone::kDim});
    }
    if (repeated && !narrow) {
      row.push_back({s.hardware.n ? percent(s.hardware.median) : "–", Tone::kDim});
      row.push_back({s.hardware.n ? percent(s.hardware.p90) : "–", Tone::kDim});
    }
    row.push_back({s.failed ? grouped(s.failed) : "–", s.failed ? Tone::kBad : Tone::kDim});
    row.push_back({s.known ? grouped(s.known) : "–", s.known ? Tone::kWarn : Tone::kDim});
    row.push_back({left_out(s), Tone::kDim});
    table.row(std::move(row));
  }
  return table.text(options.colour, columns(options));
}

std::vector<std::string> told(const Report& report, Verdict verdict) {
  std::vector<std::string> out;
  for (const auto& l : report.launches)
    for (const auto& c : l.metrics)
      if (c.verdict == verdict)
        out.push_back(fmt::format("{}launch {} {}: {} model {}, GPU {} ({}, {}){}",
                                  l.run.empty() ? "" : printable(l.run) + " ", l.launch,
                                  printable(l.kernel), c.rule->name, count(c.predicted),
                                  count(c.measured), error_text(c.error), verdict_name(c.verdict),
                                  c.reason.empty() ? "" : ", " + c.reason));
  return out;
}

// By reason, what one side has no value for; counters that nobody asked the profiler for are told
// apart.
std::vector<std::string> not_read(const Report& report) {
  std::map<std::string, std::pair<std::size_t, std::string>> by_reason;
  for (const auto& l : report.launches)
    for (const auto& c : l.metrics) {
      if (c.verdict != Verdict::kNotRead || c.reason == "not collected" ||
          c.reason == "not predicted")
        continue;
      auto& [n, first] = by_reason[c.reason];
      if (n++ == 0) first = c.rule->name;
    }
  std::vector<std::string> out;
  for (const auto& [reason, of] : by_reason)
    out.push_back(of.first == 1 ? fmt::format("{}: {}", of.second, reason)
                                : fmt::format("{} and {} more: {}", of.second,
                                              grouped(of.first - 1), reason));
  return out;
}

std::string never_seen(const Report& report) {
  std::string out;
  for (const auto& s : report.summary)
    if (s.n == 0 && s.failed == 0) out += fmt::format("  {}: {}\n", s.rule->name, left_out(s));
  return out;
}

std::string conclusion(const Report& report, bool colour) {
  std::array<std::size_t, kVerdicts> n{};
  for (const auto& l : report.launches)
    for (const auto& c : l.metrics) ++n[static_cast<std::size_t>(c.verdict)];
  const auto of = [&](Verdict v) { return grouped(n[static_cast<std::size_t>(v)]); };
  const std::vector<std::string_view> left = not_collected(report);
  std::string out;
  if (!left.empty()) {
    const std::size_t all =
        left.size() +
        static_cast<std::size_t>(std::ranges::count_if(report.summary, [&](const MetricSummary& s) {
          return std::ranges::find(left, s.rule->name) == left.end();
        }));
    out = toned(fmt::format(
                    "The file lacks {} of the {} counters that warpmem can compare, {}{}: collect "
                    "them with --metrics \"$(warpmem validate --list-metrics)\"",
                    grouped(left.size()), grouped(all), left.front(),
                    left.size() > 1 ? " among them" : ""),
                Tone::kWarn, colour) +
          "\n";
  }
  if (!report.unmatched.empty() && !report.unmatched_allowed)
    out += toned(fmt::format(
                     "{} launch{} no counterpart, so nothing was said of {}: that fails, unless "
                     "--allow-unmatched says that it is meant",
                     grouped(report.unmatched.size()),
                     report.unmatched.size() == 1 ? " has" : "es have",
                     report.unmatched.size() == 1 ? "it" : "them"),
                 Tone::kBad, colour) +
           "\n";
  std::size_t all = 0;
  for (const std::size_t one : n) all += one;
  const std::string verdicts = fmt::format(
      "{} launch{}, {} counters: {} equal, {} within the GPU's own spread, {} within their band, "
      "{} known deviations, {} "
      "artefacts of the profiler, {} where the model is off, {} not read",
      grouped(report.launches.size()), report.launches.size() == 1 ? "" : "es", grouped(all),
      of(Verdict::kEqual), of(Verdict::kWithinSpread), of(Verdict::kWithinBand),
      of(Verdict::kKnownDeviation), of(Verdict::kArtefact), of(Verdict::kOff),
      of(Verdict::kNotRead));
  const Tone tone = !report.ok() ? Tone::kBad : left.empty() ? Tone::kGood : Tone::kWarn;
  return out + toned(verdicts, tone, colour) + "\n";
}

// Which engine, and from what.
std::string predicted_by(const Report& report) {
  std::set<std::string> levels;
  for (const auto& l : report.launches) levels.insert(l.level);
  std::string of;
  for (const auto& level : levels) of += (of.empty() ? "" : ", ") + level;
  return fmt::format("Predicted for {} by the {} engine from traces of level {}", report.gpu,
                     report.engine, of);
}

}  // namespace

std::string table_view(const Report& report, const ViewOptions& options) {
  std::string out;
  for (const auto& line : options.heading) out += printable(line) + "\n";
  out += predicted_by(report) + "\n\n";
  out += options.all                   ? full_table(report, options)
         : report.launches.size() == 1 ? launch_table(report, options) + "\n"
                                       : compact_table(report, options) + "\n";
  const bool several = options.all || report.launches.size() != 1;
  if (several) out += exact_summary(report, options);
  if (const std::string bands = several ? band_summary(report, options) : ""; !bands.empty())
    out += "\n" + bands;
  if (options.all)
    if (const std::string rest = never_seen(report); !rest.empty())
      out += "\nMetrics with nothing to compare\n" + rest;
  const auto list = [&](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    const std::size_t most = options.all ? lines.size() : 10;
    out += fmt::format("\n{}\n", title);
    for (std::size_t i = 0; i < std::min(most, lines.size()); ++i)
      out += "  " + printable(lines[i]) + "\n";
    if (lines.size() > most) out += fmt::format("  … {} more (--all)\n", lines.size() - most);
  };
  list("Where the model is off", told(report, Verdict::kOff));
  list("Artefacts of the profiler, which say nothing of the kernel",
       told(report, Verdict::kArtefact));
  list("Not read: the profiler's file has a cell for it, the model no number, or the other way",
       not_read(report));
  list("Launches without a counterpart", report.unmatched);
  std::vector<std::string> known, gone;
  for (const auto& d : report.deviations) {
    if (d.needed == 0 && !options.whole_reference) continue;  // other launches may need it
    if (d.gone())
      gone.push_back(d.id + ": nothing here needs it; take it out of validate/deviations.toml");
    else
      known.push_back(fmt::format("{}: {} ({} counters, {}{}{})", d.id, d.reason, grouped(d.needed),
                                  d.below > 0 ? "-" + percent(d.below) : "",
                                  d.below > 0 && d.above > 0 ? " to " : "",
                                  d.above > 0 ? "+" + percent(d.above) : ""));
  }
  list("Known deviations (validate/DEVIATIONS.md)", known);
  list("Deviations that no longer occur", gone);
  list("Notes", options.notes);
  out +=
      "\nerror = (model - GPU) / GPU; = means equal. Bands and medians take a metric's floor for "
      "the GPU's count where that "
      "is smaller\n";
  if (several)
    out += "left out = launches in which both sides are zero or too small for a relative error\n";
  if (options.width >= 100 && std::any_of(report.summary.begin(), report.summary.end(),
                                          [](const MetricSummary& s) { return s.hardware.n > 0; }))
    out += "again = the median error of the GPU against itself, counted a second time\n";
  return out + conclusion(report, options.colour);
}

}  // namespace warpmem::validate
