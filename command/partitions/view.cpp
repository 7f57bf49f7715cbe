#include "command/partitions/view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/json.hpp"
#include "base/units.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"

namespace warpmem::command {
namespace {

using model::PartitionTraffic;

std::uint64_t sum(const std::vector<std::uint64_t>& v) {
  return std::accumulate(v.begin(), v.end(), std::uint64_t{0});
}

// A window's sectors of a channel against what the busiest channel moved in any: ' ' nothing, then
// '.' to '#'.
char shade(std::uint64_t sectors, std::uint64_t most) {
  constexpr std::string_view kShades = ".:-=+*#";
  if (sectors == 0) return ' ';
  return kShades[std::min<std::uint64_t>(kShades.size() - 1, sectors * kShades.size() / most)];
}

std::uint64_t busiest_window(const PartitionTraffic& t) {
  std::uint64_t most = 1;
  for (const PartitionTraffic::Window& w : t.windows())
    most = std::max(most, *std::max_element(w.sectors.begin(), w.sectors.end()));
  return most;
}

std::string over_time(const PartitionTraffic& t, std::size_t channel, std::uint64_t most) {
  std::string out;
  for (const PartitionTraffic::Window& w : t.windows()) out += shade(w.sectors[channel], most);
  return out;
}

std::string launch_text(const LaunchMetrics& launch, const PartitionTraffic& t) {
  const std::uint64_t all = sum(t.reads()) + sum(t.writes());
  std::string out = fmt::format("\nlaunch {}: {}\n", launch.launch, launch.kernel);
  if (all == 0) return out + "  nothing came from DRAM or went there\n";
  out += fmt::format("  {} channels, {:.2f} at work at a time\n\n", t.reads().size(),
                     t.busy_channels());
  Table table({{"channel", Align::kRight},
               {"sectors read", Align::kRight},
               {"written", Align::kRight},
               {"share", Align::kRight},
               {fmt::format("over time, {} cycles a column", grouped(t.window_cycles()))}});
  const std::uint64_t most = busiest_window(t);
  for (std::size_t c = 0; c < t.reads().size(); ++c) {
    const double share =
        100 * static_cast<double>(t.reads()[c] + t.writes()[c]) / static_cast<double>(all);
    table.row({std::to_string(c), grouped(t.reads()[c]), grouped(t.writes()[c]),
               fmt::format("{:.1f} %", share), over_time(t, c, most)});
  }
  return out + table.text(false);
}

}  // namespace

std::string partitions_text(const PartitionsView& view) {
  std::string out = fmt::format("{} on {}\n", view.trace, view.card.name());
  for (const sim::ReplayedLaunch& launch : view.result.details)
    if (launch.dram_traffic) out += launch_text(launch.metrics, *launch.dram_traffic);
  return out;
}

std::string partitions_json(const PartitionsView& view) {
  Json out{{"schema", 1}, {"gpu", view.card.name()}, {"trace", view.trace}};
  out["kernels"] = Json::array();
  for (const sim::ReplayedLaunch& launch : view.result.details) {
    if (!launch.dram_traffic) continue;
    const PartitionTraffic& t = *launch.dram_traffic;
    Json windows = Json::array();
    for (const PartitionTraffic::Window& w : t.windows()) windows.push_back(w.sectors);
    out["kernels"].push_back({{"launch", launch.metrics.launch},
                              {"name", launch.metrics.kernel},
                              {"read_sectors", t.reads()},
                              {"written_sectors", t.writes()},
                              {"busy_channels", t.busy_channels()},
                              {"window_cycles", t.window_cycles()},
                              {"windows", std::move(windows)}});
  }
  return out.text() + "\n";
}

std::string partitions_csv(const PartitionsView& view) {
  std::string out = "launch,kernel,channel,window,first_cycle,sectors\n";
  for (const sim::ReplayedLaunch& launch : view.result.details) {
    if (!launch.dram_traffic) continue;
    const PartitionTraffic& t = *launch.dram_traffic;
    for (std::size_t w = 0; w < t.windows().size(); ++w)
      for (std::size_t c = 0; c < t.reads().size(); ++c)
        out += fmt::format("{},{},{},{},{},{}\n", launch.metrics.launch,
                           csv_cell(launch.metrics.kernel), c, w, w * t.window_cycles(),
                           t.windows()[w].sectors[c]);
  }
  return out;
}

}  // namespace warpmem::command
