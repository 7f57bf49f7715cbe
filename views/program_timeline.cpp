#include "views/program_timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

std::string step_time(double ns) { return duration(ns * 1e-9); }
std::string step_rate(std::uint64_t bytes, double ns) {
  return bytes == 0 || ns <= 0 ? "" : fmt::format("{:.1f} GB/s", static_cast<double>(bytes) / ns);
}

// How much of each column's time a row is busy: ' ' not at all, then '.' to '#'.
class BusyLane {
 public:
  BusyLane(std::size_t columns, double whole)
      : busy_(columns), step_(whole / static_cast<double>(columns)) {}
  void add(double begin, double end) {
    if (step_ <= 0) return;
    auto column = static_cast<std::size_t>(std::max(0.0, begin / step_));
    for (; column < busy_.size() && static_cast<double>(column) * step_ < end; ++column) {
      const double from = std::max(begin, static_cast<double>(column) * step_);
      const double to = std::min(end, static_cast<double>(column + 1) * step_);
      busy_[column] += std::max(0.0, to - from);
    }
  }
  std::string text() const {
    constexpr std::string_view kShades = ".:-=+*#";
    std::string out;
    for (const double b : busy_) {
      const double share = b / step_;
      out += share <= 0 ? ' '
                        : kShades[std::min(kShades.size() - 1,
                                           static_cast<std::size_t>(share * kShades.size()))];
    }
    return out;
  }

 private:
  std::vector<double> busy_;
  double step_;
};

std::string program_lanes(const ProgramTimeline& p, const Terminal& terminal) {
  using Key = std::pair<std::size_t, std::uint64_t>;  // engine, stream
  std::map<Key, std::string> names;
  const auto key = [&](const ProgramStep& s) {
    const auto at = std::find_if(p.engines.begin(), p.engines.end(),
                                 [&](const auto& e) { return e.name == s.engine; });
    return Key{static_cast<std::size_t>(at - p.engines.begin()), s.stream};
  };
  std::size_t width = 0;
  for (const ProgramStep& s : p.steps) {
    if (s.engine.empty()) continue;
    std::string& name = names[key(s)];
    name = fmt::format("{}, stream {}", s.engine, s.stream);
    width = std::max(width, name.size());
  }
  constexpr std::size_t kMostRows = 64;
  const std::size_t columns =
      std::max<std::size_t>(16, terminal.width - std::min(terminal.width, width + 6));
  std::map<Key, BusyLane> lanes;
  for (const ProgramStep& s : p.steps)
    if (!s.engine.empty())
      lanes.try_emplace(key(s), columns, p.ns).first->second.add(s.begin, s.end);
  std::string out;
  std::size_t rows = 0;
  for (const auto& [k, lane] : lanes) {
    if (++rows > kMostRows) {
      out += fmt::format("  … and {} more rows\n", lanes.size() - kMostRows);
      break;
    }
    out += fmt::format("  {:{}} |{}|\n", names[k], width, lane.text());
  }
  return out;
}

// What the program waits for most, in a sentence.
std::string program_bottleneck(const ProgramTimeline& p) {
  const std::pair<double, const char*> parts[] = {
      {p.copies_alone, "copies over the link, with no kernel beside them"},
      {p.kernels_alone, "kernels"},
      {p.both, "copies and kernels at once"},
      {p.neither, "gaps: nothing runs on the GPU, it waits for the host"}};
  const auto& most = *std::max_element(std::begin(parts), std::end(parts));
  return p.ns <= 0 ? ""
                   : fmt::format("{:.0f} % of the time goes into {}.", 100 * most.first / p.ns,
                                 most.second);
}

}  // namespace

std::string program_timeline_text(const ProgramTimeline& p, const Terminal& terminal) {
  std::string out = fmt::format("the program on {}: {}\n", p.full_name, step_time(p.ns));
  if (p.steps.empty())
    return out + "the trace does not say what the program asked for beside its launches\n";
  out += "\n" + program_lanes(p, terminal) + "\n";
  Table engines({{"engine"},
                 {"steps", Align::kRight},
                 {"busy", Align::kRight},
                 {"share", Align::kRight},
                 {"bytes", Align::kRight},
                 {"while busy", Align::kRight}});
  for (const auto& e : p.engines)
    engines.row({e.name, grouped(e.steps), step_time(e.busy), percent(p.ns > 0 ? e.busy / p.ns : 0),
                 e.bytes > 0 ? byte_size(e.bytes) : "", step_rate(e.bytes, e.busy)});
  out += engines.text(terminal.colour, terminal.table_width()) + "\n";
  out += program_bottleneck(p) + "\n";
  Table changes({{"if"}, {"time", Align::kRight}, {"as fast", Align::kRight}});
  for (const auto& w : p.what_ifs)
    changes.row({w.what, step_time(w.ns), fmt::format("{:.2f} times", w.ns > 0 ? p.ns / w.ns : 1)});
  changes.row({"all engines worked at once, whatever follows what (streams: at best)",
               step_time(p.limit_ns),
               fmt::format("{:.2f} times", p.limit_ns > 0 ? p.ns / p.limit_ns : 1)});
  out += "\n" + changes.text(terminal.colour, terminal.table_width());
  for (const std::string& note : p.notes) out += "note: " + note + "\n";
  return out;
}

std::string program_summary(const ProgramTimeline& p) {
  std::string out = "the program: " + program_bottleneck(p);
  const auto best = std::min_element(p.what_ifs.begin(), p.what_ifs.end(),
                                     [](const auto& a, const auto& b) { return a.ns < b.ns; });
  if (best != p.what_ifs.end() && best->ns > 0 && best->ns < 0.98 * p.ns)
    out += fmt::format(" It would be {:.2f} times as fast if {}.", p.ns / best->ns, best->what);
  return out;
}

std::string program_timeline_csv(const ProgramTimeline& p) {
  std::string out =
      "step,kind,name,engine,stream,bytes,issued_ns,ready_ns,begin_ns,end_ns,estimated\n";
  std::size_t number = 0;
  for (const ProgramStep& s : p.steps)
    out += fmt::format("{},{},{},{},{},{},{:.1f},{:.1f},{:.1f},{:.1f},{}\n", number++,
                       csv_cell(s.kind), csv_cell(s.name), csv_cell(s.engine), s.stream, s.bytes,
                       s.issued, s.ready, s.begin, s.end, s.estimated ? 1 : 0);
  return out;
}

std::string program_timeline_json(const ProgramTimeline& p) {
  Json out{{"schema", 1}, {"gpu", p.gpu}, {"ns", p.ns}, {"limit_ns", p.limit_ns}};
  out["split_ns"] = Json{{"copies", p.copies_alone},
                         {"kernels", p.kernels_alone},
                         {"both", p.both},
                         {"neither", p.neither}};
  out["engines"] = Json::array();
  for (const auto& e : p.engines)
    out["engines"].push_back(
        Json{{"name", e.name}, {"steps", e.steps}, {"busy_ns", e.busy}, {"bytes", e.bytes}});
  out["what_ifs"] = Json::array();
  for (const auto& w : p.what_ifs) out["what_ifs"].push_back(Json{{"what", w.what}, {"ns", w.ns}});
  out["steps"] = Json::array();
  for (const ProgramStep& s : p.steps)
    out["steps"].push_back(Json{{"kind", s.kind},
                                {"name", s.name},
                                {"engine", s.engine},
                                {"stream", s.stream},
                                {"bytes", s.bytes},
                                {"issued_ns", s.issued},
                                {"ready_ns", s.ready},
                                {"begin_ns", s.begin},
                                {"end_ns", s.end},
                                {"estimated", s.estimated}});
  out["notes"] = p.notes;
  return out.text() + "\n";
}

std::string program_timeline_events(const ProgramTimeline& p, int first_process) {
  std::string out;
  std::map<std::string, int> processes;
  const auto add = [&](const Json& event) {
    if (!out.empty()) out += ",\n";
    out += event.text();
  };
  const auto process = [&](const std::string& engine) {
    const auto [at, added] =
        processes.try_emplace(engine, first_process + static_cast<int>(processes.size()));
    if (added)
      add(Json{{"ph", "M"},
               {"name", "process_name"},
               {"pid", at->second},
               {"args", Json{{"name", engine}}}});
    return at->second;
  };
  for (const ProgramStep& s : p.steps) {
    const bool wait = s.kind == "wait";
    if (s.engine.empty() && !wait) continue;
    add(Json{{"ph", "X"},
             {"name", s.name.empty() ? s.kind : s.name},
             {"cat", s.kind},
             {"pid", process(wait ? "host" : s.engine)},
             {"tid", s.stream},
             {"ts", s.begin / 1000},
             {"dur", (s.end - s.begin) / 1000},
             {"args", Json{{"bytes", s.bytes}}}});
  }
  return out;
}

}  // namespace warpmem::views
