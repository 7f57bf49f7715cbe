#include "views/sampled.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

std::string dims(const Dim3& d) {
  if (d[2] > 1) return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
  return d[1] > 1 ? fmt::format("{}x{}", d[0], d[1]) : std::to_string(d[0]);
}

std::string share(double part, double whole) { return whole == 0 ? "-" : percent(part / whole); }

}  // namespace

std::string sampled_text(const SampleResult& r, const Terminal& terminal, bool all) {
  std::string out =
      fmt::format("{} of {} launches, {} of {} records ({}); {:.0f} % intervals, seed {}\n",
                  grouped(r.launches_replayed), grouped(r.launches), grouped(r.records_replayed),
                  grouped(r.records),
                  share(static_cast<double>(r.records_replayed), static_cast<double>(r.records)),
                  100 * r.confidence, r.seed);
  Table groups({{"kernel"},
                {"grid", Align::kRight},
                {"block", Align::kRight},
                {"launches", Align::kRight},
                {"replayed", Align::kRight},
                {"windows", Align::kRight},
                {"records", Align::kRight},
                {"cycles", Align::kRight}});
  constexpr std::size_t kMost = 20, kOthers = 76;
  for (std::size_t i = 0; i < r.groups.size() && i < kMost; ++i) {
    const SampledGroup& g = r.groups[i];
    groups.row(
        {shortened(g.kernel, std::max<std::size_t>(
                                 20, terminal.width > kOthers ? terminal.width - kOthers : 0)),
         dims(g.grid), dims(g.block), grouped(g.launches), grouped(g.replayed),
         g.windows ? grouped(g.windows) : "", grouped(g.records),
         g.cycles > 0 ? number(std::round(g.cycles)) : ""});
  }
  out += groups.text(terminal);
  if (r.groups.size() > kMost) out += fmt::format("and {} more groups\n", r.groups.size() - kMost);
  Table metrics({{"counter"},
                 {"estimate", Align::kRight},
                 {"±", Align::kRight},
                 {"", Align::kRight},
                 {"unit"}});
  for (const SampledMetric& m : r.metrics) {
    if (m.estimate == 0 && !all) continue;
    metrics.row({m.name, number(std::round(m.estimate)),
                 m.half_width > 0 ? number(std::ceil(m.half_width)) : "0",
                 m.half_width > 0 ? share(m.half_width, m.estimate) : "", m.unit});
  }
  out += "\n" + metrics.text(terminal);
  for (const std::string& n : r.notes) out += "note: " + printable(n) + "\n";
  return out;
}

std::string sampled_csv(const SampleResult& r) {
  std::string out = "metric,unit,estimate,half_width,confidence\n";
  for (const SampledMetric& m : r.metrics)
    out += fmt::format("{},{},{},{},{}\n", csv_cell(m.name), csv_cell(m.unit), m.estimate,
                       m.half_width, r.confidence);
  return out;
}

std::string sampled_json(const SampleResult& r) {
  Json out{{"schema", 1},
           {"confidence", r.confidence},
           {"seed", r.seed},
           {"launches", r.launches},
           {"launches_replayed", r.launches_replayed},
           {"records", r.records},
           {"records_replayed", r.records_replayed}};
  for (const SampledMetric& m : r.metrics)
    out["metrics"][m.name] = {
        {"estimate", m.estimate}, {"half_width", m.half_width}, {"unit", m.unit}};
  out["groups"] = Json::array();
  for (const SampledGroup& g : r.groups)
    out["groups"].push_back({{"kernel", g.kernel},
                             {"grid", g.grid},
                             {"block", g.block},
                             {"launches", g.launches},
                             {"replayed", g.replayed},
                             {"windows", g.windows},
                             {"records", g.records},
                             {"records_replayed", g.records_replayed},
                             {"cycles", g.cycles}});
  out["notes"] = r.notes;
  return out.text(2) + "\n";
}

}  // namespace warpmem::views
