#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/units.hpp"
#include "command/gpus/view.hpp"
#include "command/screen/table.hpp"
#include "model/cache/allocate/allocate.hpp"
#include "model/cache/cached_spaces.hpp"
#include "model/cache/write/write_policy.hpp"
#include "model/card/ecc.hpp"
#include "model/card/fields/features.hpp"

namespace warpmem::command {
namespace {

using model::Card;
using model::CardNumbers;

// A step of the ladder. GB/s; below 0: there is none, or nobody knows. `effective`: what a kernel
// of loads reaches on this card when it is replayed; `reached`: what one was measured to reach.
struct Rung {
  std::string level;
  double best = -1, effective = -1, reached = -1;
  std::string how, source;
};

std::string source_of(const Card& card, std::string_view key) {
  for (const model::CardEntry& entry : card.entries())
    if (entry.key == key) return entry.source;
  return {};
}

double reached(std::uint64_t gbps) { return gbps > 0 ? static_cast<double>(gbps) : -1; }

// Whole lines that slices give in a second.
double l2_best(const Card& card) {
  const CardNumbers& n = card.numbers();
  if (n.l2_bytes == 0) return -1;
  const double slices = static_cast<double>(n.l2_slices > 0 ? n.l2_slices : n.l2_partitions);
  const double line = static_cast<double>(n.l2_read_permille + 4 * n.l2_read_sector_permille);
  return slices * 128 * static_cast<double>(n.clock_mhz * n.l2_clock_permille) / line / 1e3;
}

std::vector<Rung> ladder(const Card& card, const sim::probe::Ladder& effective) {
  const CardNumbers& n = card.numbers();
  const double per_cycle = static_cast<double>(n.sm_count * n.clock_mhz) / 1e3;  // GB/s of a byte
  const unsigned capability = card.capability();
  const double banks =
      static_cast<double>(n.shared_banks * n.shared_bank_bytes) / model::bank_cycles(capability);
  const double sector = 32 * static_cast<double>(n.clock_mhz) / 1e6;  // GB/s of one in 1,000 cycles
  std::vector<Rung> out;
  out.push_back({"registers", 12.0 * model::multiply_adds(capability) * per_cycle, -1, -1,
                 fmt::format("three operands of {} multiply-adds a cycle and SM",
                             model::multiply_adds(capability)),
                 ""});
  out.push_back(
      {"shared memory", banks * per_cycle, effective.shared, reached(n.reached_shared),
       fmt::format("{:.0f} bytes a cycle and SM (shared.banks x shared.bank_bytes)", banks),
       n.reached_shared ? source_of(card, "reached.shared") : ""});
  const double l1_bytes = std::min(banks, static_cast<double>(n.lsu_return_bytes));
  const bool l1 = static_cast<model::CachedSpaces>(n.l1_cache) != model::CachedSpaces::kNone;
  out.push_back({"L1", l1 ? l1_bytes * per_cycle : -1, effective.l1, reached(n.reached_l1),
                 l1 ? l1_bytes < banks ? "lsu.return_bytes" : "as shared memory, whose banks it has"
                    : "it keeps nothing unless asked (l1.cache)",
                 n.reached_l1 ? source_of(card, "reached.l1") : ""});
  out.push_back({"L2", l2_best(card), effective.l2, reached(n.reached_l2),
                 n.l2_bytes ? "whole lines read from all slices" : "there is none",
                 n.reached_l2 ? source_of(card, "reached.l2") : ""});
  out.push_back({"global memory",
                 static_cast<double>(n.dram_channels * n.dram_width_bits * n.dram_rate_mbps) / 8e3,
                 effective.global, static_cast<double>(model::dram_bandwidth(n)) * sector,
                 "dram.channels x dram.width_bits x dram.rate_mbps",
                 source_of(card, "dram.sectors_per_kilocycle")});
  out.push_back({"mapped host memory", -1, effective.host,
                 static_cast<double>(n.host_permille) * sector,
                 "over the link to the host, one way", source_of(card, "port.host_permille")});
  // The time of what a longer launch does more is known to some cycles only: the ends of both
  // differ. So what is less than this above the theoretical value is shown as that; more is shown
  // as it is.
  constexpr double kEnds = 1.002;
  for (Rung& r : out)
    if (r.best > 0 && r.effective < kEnds * r.best) r.effective = std::min(r.effective, r.best);
  return out;
}

std::string shown(double gbps) {
  return gbps < 0 ? "-" : grouped(static_cast<std::uint64_t>(gbps + 0.5));
}

Table as_table(const std::vector<Rung>& rungs) {
  Table table({{"level"},
               {"theoretical, GB/s", Align::kRight},
               {"effective, GB/s", Align::kRight},
               {"reached, GB/s", Align::kRight},
               {"theoretical by"},
               {"reached"}});
  for (const Rung& r : rungs)
    table.row({r.level, shown(r.best), shown(r.effective), shown(r.reached), r.how,
               r.reached < 0 ? "not measured" : r.source});
  return table;
}

std::string as_csv(const std::vector<Rung>& rungs) {
  Table table({{"level"},
               {"theoretical_gbps"},
               {"effective_gbps"},
               {"reached_gbps"},
               {"theoretical_by"},
               {"source"}});
  const auto cell = [](double gbps) { return gbps < 0 ? "n/a" : fmt::format("{:.1f}", gbps); };
  for (const Rung& r : rungs)
    table.row({r.level, cell(r.best), cell(r.effective), cell(r.reached), r.how, r.source});
  return table.csv();
}

std::string as_json(const Card& card, const std::vector<Rung>& rungs) {
  Json out{{"schema", 1}, {"name", card.name()}};
  out["ladder"] = Json::array();
  const auto number = [](double gbps) { return gbps < 0 ? Json(nullptr) : Json(gbps); };
  for (const Rung& r : rungs)
    out["ladder"].push_back({{"level", r.level},
                             {"theoretical_gbps", number(r.best)},
                             {"effective_gbps", number(r.effective)},
                             {"reached_gbps", number(r.reached)},
                             {"theoretical_by", r.how},
                             {"source", r.source}});
  return out.text(2) + "\n";
}

}  // namespace

std::string ladder_view(const Card& card, const sim::probe::Ladder& effective, Format format,
                        const views::Terminal& terminal) {
  const std::vector<Rung> rungs = ladder(card, effective);
  switch (format) {
    case Format::kTable:
      return fmt::format("{}: bytes a second, from near to far\n\n", card.full_name()) +
             as_table(rungs).text(terminal);
    case Format::kJson: return as_json(card, rungs);
    case Format::kCsv: return as_csv(rungs);
  }
  return {};
}

}  // namespace warpmem::command
