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

// Sectors by column and channel: so many windows a column that they all fit.
using Picture = std::vector<std::vector<std::uint64_t>>;

Picture picture(const PartitionTraffic& t, std::size_t windows_a_column) {
  Picture out;
  const auto& windows = t.windows();
  for (std::size_t w = 0; w < windows.size(); ++w) {
    if (w % windows_a_column == 0) out.emplace_back(t.reads().size());
    for (std::size_t c = 0; c < out.back().size(); ++c) out.back()[c] += windows[w].sectors[c];
  }
  return out;
}

std::uint64_t busiest(const Picture& columns) {
  std::uint64_t most = 1;
  for (const auto& column : columns)
    most = std::max(most, *std::max_element(column.begin(), column.end()));
  return most;
}

std::string over_time(const Picture& columns, std::size_t channel, std::uint64_t most) {
  std::string out;
  for (const auto& column : columns) out += shade(column[channel], most);
  return out;
}

std::string launch_text(const LaunchMetrics& launch, const PartitionTraffic& t,
                        const views::Terminal& terminal) {
  constexpr std::size_t kNumbers = 46;  // columns of the numbers in front of the picture
  const std::uint64_t all = sum(t.reads()) + sum(t.writes());
  const std::size_t room = std::max<std::size_t>(16, terminal.table_width() - kNumbers);
  const std::size_t merged = std::max<std::size_t>(1, (t.windows().size() + room - 1) / room);
  const Picture columns = picture(t, merged);
  std::string out = fmt::format("\nlaunch {}: {}\n", launch.launch, launch.kernel);
  if (all == 0) return out + "  nothing came from DRAM or went there\n";
  out += fmt::format("  {} channels, {:.2f} at work at a time\n\n", t.reads().size(),
                     t.busy_channels());
  Table table(
      {{"channel", Align::kRight},
       {"sectors read", Align::kRight},
       {"written", Align::kRight},
       {"share", Align::kRight},
       {fmt::format("over time, {} cycles a column", grouped(t.window_cycles() * merged))}});
  const std::uint64_t most = busiest(columns);
  for (std::size_t c = 0; c < t.reads().size(); ++c) {
    const double share =
        100 * static_cast<double>(t.reads()[c] + t.writes()[c]) / static_cast<double>(all);
    table.row({std::to_string(c), grouped(t.reads()[c]), grouped(t.writes()[c]),
               fmt::format("{:.1f} %", share), over_time(columns, c, most)});
  }
  return out + table.text(terminal);
}

}  // namespace

std::string partitions_text(const PartitionsView& view, const views::Terminal& terminal) {
  std::string out = fmt::format("{} on {}\n", view.trace, view.card.name());
  for (const sim::ReplayedLaunch& launch : view.result.details)
    if (launch.dram_traffic) out += launch_text(launch.metrics, *launch.dram_traffic, terminal);
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
