#include "views/occupancy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "base/json.hpp"
#include "base/units.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

constexpr std::size_t kBar = 32;  // characters of a full SM

bool by_cta(const OccupancyResult& r) { return r.sm.capability < 20; }

std::vector<std::string> limits_of(const OccupancyResult& r) {
  std::vector<std::string> out;
  const Residency& n = r.residency;
  if (n.refusal == LaunchRefusal::kThreads) return {"threads"};
  if (n.by_warps == n.ctas) out.emplace_back("warps");
  if (n.by_ctas == n.ctas) out.emplace_back("CTAs");
  if (n.by_registers == n.ctas) out.emplace_back("registers");
  if (n.by_shared == n.ctas) out.emplace_back("shared memory");
  return out;
}

std::string shown_limit(std::uint64_t ctas) {
  return ctas == Residency::kNoLimit ? "-" : grouped(ctas);
}

std::string asked(const OccupancyResult& r) {
  std::string out = fmt::format("a CTA of {} threads", grouped(r.needs.threads));
  if (r.needs.registers > 0) out += fmt::format(", {} registers each", grouped(r.needs.registers));
  return out + fmt::format(", {} of shared memory", byte_size(r.needs.shared));
}

std::string takes_table(const OccupancyResult& r, const Terminal& terminal) {
  Table table({{""},
               {"a CTA takes", Align::kRight},
               {"an SM has", Align::kRight},
               {"CTAs", Align::kRight}});
  const Residency& n = r.residency;
  table.row({"warps", grouped(n.warps), grouped(r.sm.warps), shown_limit(n.by_warps)});
  table.row({"CTAs", "1", grouped(r.sm.ctas), shown_limit(n.by_ctas)});
  table.row({"registers", r.needs.registers > 0 ? grouped(n.registers) : "not given",
             grouped(r.sm.registers), shown_limit(n.by_registers)});
  table.row(
      {"shared memory", byte_size(n.shared), byte_size(r.sm.shared), shown_limit(n.by_shared)});
  return table.text(terminal);
}

// How registers and shared memory are given out.
std::string units_text(const OccupancyResult& r) {
  std::string out = fmt::format("registers go to {} in multiples of {}",
                                by_cta(r) ? "a CTA" : "a warp", grouped(r.sm.register_unit));
  if (!by_cta(r) && r.sm.schedulers > 1)
    out += fmt::format(", each of {} schedulers has {}", r.sm.schedulers,
                       grouped(r.sm.registers / r.sm.schedulers));
  out += fmt::format("; shared memory in multiples of {}", byte_size(r.sm.shared_unit));
  if (r.sm.shared_reserved > 0)
    out += fmt::format(", of each CTA's the driver keeps {}", byte_size(r.sm.shared_reserved));
  return out;
}

// CTAs of a wave run side by side; those of the last one leave SMs idle, for at most as long as one
// wave takes.
std::string waves_text(const OccupancyResult& r) {
  if (r.grid_ctas == 0 || r.wave_ctas() == 0) return {};
  const std::uint64_t full = r.grid_ctas / r.wave_ctas(), tail = r.tail_ctas();
  std::string out = fmt::format("{} CTA{} of the grid, {} at a time on {} SMs: {:.2f} waves",
                                grouped(r.grid_ctas), r.grid_ctas == 1 ? "" : "s",
                                grouped(r.wave_ctas()), grouped(r.sms), r.waves());
  if (tail == 0) return out + ", the last one full\n";
  const double share = static_cast<double>(tail) / static_cast<double>(r.wave_ctas());
  out += fmt::format("; the last one has {} CTA{} and fills {:.0f} % of the GPU", grouped(tail),
                     tail == 1 ? "" : "s", 100 * share);
  if (full > 0)
    out += fmt::format(", so that the tail may cost up to {:.0f} % of the time",
                       100 * (1 - share) / static_cast<double>(full + 1));
  return out + "\n";
}

std::string code_text(const OccupancyResult& r) {
  if (r.code.empty()) return {};
  std::string out = fmt::format("{}: {}\n", r.kernel, r.code);
  std::vector<std::string> parts;
  if (r.static_shared)
    parts.push_back(byte_size(*r.static_shared) + " of shared memory in the code");
  if (r.local_bytes) parts.push_back(byte_size(*r.local_bytes) + " of local memory a thread");
  if (r.spill_stores)
    parts.push_back(fmt::format("spills of {} stored and {} loaded", byte_size(*r.spill_stores),
                                byte_size(r.spill_loads.value_or(0))));
  return out + fmt::format("{}\n", fmt::join(parts, ", "));
}

std::string curve_text(const char* over, const std::vector<OccupancyStep>& steps,
                       const OccupancyResult& r, std::string (*shown)(std::uint64_t),
                       const Terminal& terminal) {
  if (steps.empty()) return {};
  Table table(
      {{over, Align::kRight}, {"CTAs", Align::kRight}, {"warps", Align::kRight}, {"occupancy"}});
  for (const OccupancyStep& s : steps) {
    const double share = static_cast<double>(s.warps) / static_cast<double>(r.sm.warps);
    const auto bar = static_cast<std::size_t>(share * kBar + 0.5);
    table.row({s.first == s.last ? shown(s.first) : shown(s.first) + " - " + shown(s.last),
               grouped(s.ctas), grouped(s.warps),
               s.ctas == 0 ? "does not run"
                           : fmt::format("{:<5} {}", fmt::format("{:.0f} %", 100 * share),
                                         std::string(bar, '#'))});
  }
  return "\n" + table.text(terminal);
}

std::string spills(const std::optional<std::uint64_t>& bytes) {
  return bytes ? byte_size(*bytes) : "-";
}

Json curve_json(const std::vector<OccupancyStep>& steps) {
  Json out = Json::array();
  for (const OccupancyStep& s : steps)
    out.push_back({{"from", s.first}, {"to", s.last}, {"ctas", s.ctas}, {"warps", s.warps}});
  return out;
}

Json limit_json(std::uint64_t ctas) {
  return ctas == Residency::kNoLimit ? Json(nullptr) : Json(ctas);
}

Json optional_json(const std::optional<std::uint64_t>& v) { return v ? Json(*v) : Json(nullptr); }

Json one_json(const OccupancyResult& r) {
  Json out{{"gpu", r.gpu}, {"full_name", r.full_name}, {"compute_capability", r.capability}};
  if (!r.kernel.empty()) out["kernel"] = r.kernel, out["code"] = r.code;
  if (!r.failure.empty()) return out["error"] = r.failure, out;
  if (r.max_registers > 0) out["maxrregcount"] = r.max_registers;
  const Residency& n = r.residency;
  out["threads"] = r.needs.threads;
  out["registers"] = r.needs.registers > 0 ? Json(r.needs.registers) : nullptr;
  out["shared_bytes"] = r.needs.shared;
  if (!r.kernel.empty())
    out["static_shared_bytes"] = optional_json(r.static_shared),
    out["local_bytes"] = optional_json(r.local_bytes),
    out["spill_store_bytes"] = optional_json(r.spill_stores),
    out["spill_load_bytes"] = optional_json(r.spill_loads);
  out["ctas"] = n.ctas, out["warps"] = r.warps(), out["max_warps"] = r.sm.warps;
  out["occupancy_pct"] = r.percent(), out["limited_by"] = limits_of(r);
  out["ctas_by"] = {{"warps", limit_json(n.by_warps)},
                    {"ctas", limit_json(n.by_ctas)},
                    {"registers", limit_json(n.by_registers)},
                    {"shared_memory", limit_json(n.by_shared)}};
  out["cta_takes"] = {{"warps", n.warps}, {"registers", n.registers}, {"shared_bytes", n.shared}};
  out["sm_has"] = {{"warps", r.sm.warps},
                   {"ctas", r.sm.ctas},
                   {"registers", r.sm.registers},
                   {"shared_bytes", r.sm.shared}};
  out["units"] = {{"registers", r.sm.register_unit},
                  {"registers_go_to", by_cta(r) ? "cta" : "warp"},
                  {"shared_bytes", r.sm.shared_unit},
                  {"reserved_shared_bytes", r.sm.shared_reserved}};
  if (r.grid_ctas > 0)
    out["launch"] = r.launch, out["grid_ctas"] = r.grid_ctas, out["sms"] = r.sms,
    out["wave_ctas"] = r.wave_ctas(), out["waves"] = r.waves(), out["tail_ctas"] = r.tail_ctas();
  if (!r.refusal.empty()) out["error"] = r.refusal;
  if (!r.by_threads.empty())
    out["curves"] = {{"threads", curve_json(r.by_threads)},
                     {"registers", curve_json(r.by_registers)},
                     {"shared_bytes", curve_json(r.by_shared)}};
  return out;
}

}  // namespace

std::string occupancy_limits(const OccupancyResult& result) {
  return fmt::format("{}", fmt::join(limits_of(result), ", "));
}

std::string occupancy_text(const OccupancyResult& r, const Terminal& terminal) {
  std::string out =
      fmt::format("{}, compute capability {}: {}\n", r.full_name, r.capability, asked(r));
  out += code_text(r);
  out +=
      styled(fmt::format("\n{} CTA{} an SM, {} of {} warps, {:.1f} %: limited by {}\n\n",
                         grouped(r.residency.ctas), r.residency.ctas == 1 ? "" : "s",
                         grouped(r.warps()), grouped(r.sm.warps), r.percent(), occupancy_limits(r)),
             Style::kBold, terminal.colour);
  if (const std::string waves = waves_text(r); !waves.empty())
    out += wrapped(waves, terminal.person ? terminal.width : 100, 0) + "\n";
  out += takes_table(r, terminal) + "\n" +
         wrapped(units_text(r), terminal.person ? terminal.width : 100, 0);
  out += curve_text("threads of a CTA", r.by_threads, r, grouped, terminal);
  out += curve_text("registers a thread", r.by_registers, r, grouped, terminal);
  out += curve_text("shared memory of a CTA", r.by_shared, r, byte_size, terminal);
  return out;
}

std::string occupancy_table(std::span<const OccupancyResult> results, const Terminal& terminal) {
  std::set<std::string> kernels;
  bool code = false, what_if = false, waves = false;
  for (const OccupancyResult& r : results) {
    waves = waves || r.grid_ctas > 0;
    kernels.insert(r.kernel);
    code = code || !r.kernel.empty();
    what_if = what_if || r.max_registers > 0;
  }
  std::vector<Column> columns{{"GPU"}, {"cc"}};
  if (code) columns.push_back({"kernel"});
  if (what_if) columns.push_back({"maxrregcount", Align::kRight});
  columns.push_back({"registers", Align::kRight}), columns.push_back({"shared", Align::kRight});
  if (what_if)
    columns.push_back({"spills stored", Align::kRight}),
        columns.push_back({"loaded", Align::kRight});
  for (const char* title : {"CTAs", "warps", "of", "occupancy"})
    columns.push_back({title, Align::kRight});
  if (waves)
    columns.push_back({"waves", Align::kRight}), columns.push_back({"in the last", Align::kRight});
  columns.push_back({"limited by"});
  Table table(columns);
  for (const OccupancyResult& r : results) {
    std::vector<std::string> row{r.gpu, r.capability};
    if (code) row.push_back(r.kernel);
    if (what_if) row.push_back(r.max_registers > 0 ? grouped(r.max_registers) : "none");
    const bool known = r.failure.empty();
    row.push_back(known && r.needs.registers > 0 ? grouped(r.needs.registers) : "-");
    row.push_back(known ? byte_size(r.needs.shared) : "-");
    if (what_if) row.push_back(spills(r.spill_stores)), row.push_back(spills(r.spill_loads));
    const bool runs = known && r.residency.ctas > 0;
    row.push_back(runs ? grouped(r.residency.ctas) : "-");
    row.push_back(runs ? grouped(r.warps()) : "-");
    row.push_back(grouped(r.sm.warps));
    row.push_back(runs ? fmt::format("{:.1f} %", r.percent()) : "-");
    if (waves) {
      row.push_back(runs && r.grid_ctas > 0 ? fmt::format("{:.2f}", r.waves()) : "-");
      row.push_back(runs && r.grid_ctas > 0
                        ? grouped(r.tail_ctas() == 0 ? r.wave_ctas() : r.tail_ctas())
                        : "-");
    }
    row.push_back(!known ? r.failure : !r.refusal.empty() ? r.refusal : occupancy_limits(r));
    table.row(std::move(row));
  }
  std::string out;
  for (const OccupancyResult& r : results)
    if (r.failure.empty()) {
      out = fmt::format("a CTA of {} threads\n\n", grouped(r.needs.threads));
      break;
    }
  return out + table.text(terminal);
}

std::string occupancy_json(std::span<const OccupancyResult> results) {
  Json out{{"schema", 1}, {"results", Json::array()}};
  for (const OccupancyResult& r : results) out["results"].push_back(one_json(r));
  return out.text(2) + "\n";
}

std::string occupancy_csv(std::span<const OccupancyResult> results) {
  std::string out =
      "gpu,compute_capability,kernel,maxrregcount,threads,registers,shared_bytes,spill_store_bytes,"
      "spill_load_bytes,ctas,warps,max_warps,occupancy_pct,limited_by,error,launch,grid_ctas,waves,"
      "tail_ctas\n";
  const auto cell = [](const std::optional<std::uint64_t>& v) {
    return v ? std::to_string(*v) : std::string("n/a");
  };
  for (const OccupancyResult& r : results) {
    const bool known = r.failure.empty();
    const auto number = [&](std::uint64_t v) {
      return known ? std::to_string(v) : std::string("n/a");
    };
    out += fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_cell(r.gpu), r.capability,
        csv_cell(r.kernel), r.max_registers > 0 ? std::to_string(r.max_registers) : "",
        number(r.needs.threads),
        known && r.needs.registers > 0 ? std::to_string(r.needs.registers) : "n/a",
        number(r.needs.shared), cell(r.spill_stores), cell(r.spill_loads), number(r.residency.ctas),
        number(r.warps()), r.sm.warps, known ? fmt::format("{:.2f}", r.percent()) : "n/a",
        csv_cell(known ? occupancy_limits(r) : ""), csv_cell(known ? r.refusal : r.failure),
        r.grid_ctas == 0
            ? std::string(",,,")
            : fmt::format("{},{},{:.4f},{}", r.launch, r.grid_ctas, r.waves(), r.tail_ctas()));
  }
  return out;
}

}  // namespace warpmem::views
