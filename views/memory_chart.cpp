#include "views/memory_chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/printable.hpp"
#include "base/units.hpp"

namespace warpmem::views {
namespace {

// As wide as a box of the chart at most: "0.15 warps", "12.3 warps".
std::string warps_text(double warps) {
  return warps < 1 ? fmt::format("{:.2f} warps", warps) : fmt::format("{:.3g} warps", warps);
}

constexpr std::size_t kBox = 12, kArrow = 10;  // columns, borders included

std::string centred(const std::string& text, std::size_t width) {
  const std::size_t used = std::min(width, display_width(text));
  const std::size_t left = (width - used) / 2;
  return std::string(left, ' ') + text + std::string(width - used - left, ' ');
}

std::string repeated(const char* what, std::size_t n) {
  std::string out;
  for (std::size_t i = 0; i < n; ++i) out += what;
  return out;
}

std::string hits(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} % hit", 100 * *share) : "";
}
std::string busy(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f} % busy", 100 * *share) : "";
}

// "12.5 MiB", in nine columns at most.
std::string amount(std::uint64_t bytes) {
  const auto b = static_cast<double>(bytes);
  if (bytes < 10'000) return fmt::format("{} B", grouped(bytes));
  for (const auto& [unit, size] : {std::pair{"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}})
    if (b < 1000 * size) return fmt::format("{:.3g} {}", b / size, unit);
  return fmt::format("{:.4g} TiB", b / 0x1p40);
}

struct Box {
  std::array<std::string, 3> lines;
};
struct Arrow {
  std::uint64_t in = 0, out = 0;  // bytes: to the SMs, from them
};

// Boxes from left to right, and what goes between them.
std::string boxes_text(const std::vector<Box>& boxes, const std::vector<Arrow>& arrows,
                       const Terminal& terminal) {
  std::array<std::string, 6> rows;
  const std::string bar = repeated("─", kBox - 2);
  for (std::size_t b = 0; b < boxes.size(); ++b) {
    rows[0] += "┌" + bar + "┐";
    for (std::size_t i = 0; i < 3; ++i)
      rows[i + 1] += "│" +
                     styled(centred(boxes[b].lines[i], kBox - 2),
                            i == 0 ? Style::kBold : Style::kDim, terminal.colour) +
                     "│";
    rows[4] += "└" + bar + "┘";
    if (b + 1 == boxes.size()) break;
    const Arrow& a = arrows[b];
    const std::string line = repeated("─", kArrow - 3);
    rows[0] += centred(amount(a.in), kArrow);
    rows[1] += " ◄" + line + " ";
    rows[2] += std::string(kArrow, ' ');
    rows[3] += " " + line + "► ";
    rows[4] += centred(amount(a.out), kArrow);
  }
  std::string out;
  for (std::size_t i = 0; i < 5; ++i) out += rows[i] + "\n";
  return out;
}

// How many times the passes that would do: "banks x16", as wide as a box at most.
std::string passes_text(const MemoryChart& c) {
  if (c.shared_wavefronts == 0) return {};
  const double times = static_cast<double>(c.shared_wavefronts) /
                       static_cast<double>(std::max<std::uint64_t>(1, c.shared_ideal));
  return times < 10 ? fmt::format("banks x{:.2g}", times) : fmt::format("banks x{:.0f}", times);
}

// Below the L2: "└── host link: ◄ 512 KiB, ► 0 B, 89 % busy". Nothing where it is not used.
std::string link_text(const MemoryChart& c) {
  if (c.host_read + c.host_written == 0) return {};
  const std::size_t left = (c.has_l1 ? 2 : 1) * (kBox + kArrow) + kBox / 2;
  const std::string busy_text = busy(c.link_busy);
  return std::string(c.has_l2 ? left : kBox + kArrow + kBox / 2, ' ') +
         fmt::format("└─ host: ◄ {}, ► {}{}\n", amount(c.host_read), amount(c.host_written),
                     busy_text.empty() ? "" : ", " + busy_text);
}

// The levels that the card has, and what goes between them.
std::string levels_text(const MemoryChart& c, const Terminal& terminal) {
  std::vector<Box> boxes{{{fmt::format("{} SMs", grouped(c.sms)),
                           c.average_warps ? warps_text(*c.average_warps) : "", passes_text(c)}}};
  std::vector<Arrow> arrows;
  if (c.has_l1) {
    boxes.push_back({{"L1", hits(c.l1_hits), busy(c.l1_busy)}});
    arrows.push_back({c.load.lane_bytes + c.other_read,
                      c.store.lane_bytes + c.atomic.lane_bytes + c.other_written});
  }
  if (c.has_l2) {
    boxes.push_back({{"L2", hits(c.l2_hits), busy(c.l2_busy)}});
    arrows.push_back({c.l1_read, c.l1_written});
  }
  boxes.push_back({{"DRAM", "", busy(c.dram_busy)}});
  arrows.push_back({c.dram_read, c.dram_written});
  return boxes_text(boxes, arrows, terminal) + link_text(c);
}

// `used`: how much of its sectors lanes asked for says something.
std::string kind_text(const char* name, const MemoryChart::Kind& k, bool used = true) {
  if (k.requests == 0) return {};
  const double sectors = static_cast<double>(k.sectors) / static_cast<double>(k.requests);
  std::string out =
      fmt::format("  {:<8}{} requests, {:.2f} sectors each", name, grouped(k.requests), sectors);
  if (k.sectors == 0 || !used) return out + "\n";
  const double bytes = static_cast<double>(k.lane_bytes) / static_cast<double>(k.sectors);
  return out + (bytes <= 32 ? fmt::format(", {:.1f} of a sector's 32 bytes used\n", bytes)
                            : fmt::format(", a sector's bytes used {:.1f} times\n", bytes / 32));
}

std::string time_text(const MemoryChart& c) {
  if (c.cycles == 0) return "  time    n/a (the counts engine keeps no time; leave --counts out)\n";
  std::string out = "  time    ";
  if (c.microseconds > 0) out += fmt::format("{:.4g} us, ", c.microseconds);
  out += fmt::format("{} cycles", grouped(c.cycles));
  if (c.clock_mhz) out += fmt::format(" at {} MHz", grouped(c.clock_mhz));
  out += "\n";
  if (c.microseconds <= 0) return out;
  const double moved = static_cast<double>(c.dram_read + c.dram_written) / c.microseconds / 1000;
  out += fmt::format("  DRAM    {:.4g} GB/s", moved);
  if (c.dram_peak > 0)
    out += fmt::format(" of {:.4g} GB/s", c.dram_peak * static_cast<double>(c.clock_mhz) / 1000);
  const double asked =
      static_cast<double>(c.load.lane_bytes + c.store.lane_bytes) / c.microseconds / 1000;
  return out + fmt::format("; the lanes asked for {:.4g} GB/s\n", asked);
}

std::string occupancy_text(const MemoryChart& c) {
  std::string out = fmt::format("  warps   {} of {} an SM can be resident", c.warps, c.most_warps);
  if (c.warps < c.most_warps && !c.occupancy_limit.empty())
    out += fmt::format(" (limit: {})", c.occupancy_limit);
  if (c.average_warps) out += fmt::format("; {:.3g} were on average", *c.average_warps);
  out += "\n";
  return out;
}

}  // namespace

std::string memory_chart_text(const MemoryChart& c, const Terminal& terminal) {
  std::string out;
  if (!c.limit.empty())
    out +=
        styled(wrapped("bottleneck: " + c.limit, terminal.width, 2), Style::kBold, terminal.colour);
  out += "\n" + levels_text(c, terminal) + "\n";
  out += time_text(c) + occupancy_text(c);
  out += kind_text("loads", c.load) + kind_text("stores", c.store) +
         kind_text("atomics", c.atomic, false) + kind_text("local", c.local, false) +
         kind_text("texture", c.texture, false) + kind_text("copies", c.copy);
  if (c.shared_wavefronts > 0)
    out += fmt::format("  shared  {} wavefronts, {} without bank conflicts\n",
                       grouped(c.shared_wavefronts), grouped(c.shared_ideal));
  if (c.worst.empty()) return out;
  out += fmt::format("\nworst lines{}\n", c.sampled ? ", by a part of the records" : "");
  for (const MemoryChart::Line& line : c.worst)
    out +=
        "  " + wrapped(printable(line.place) + "  " + printable(line.text), terminal.width - 2, 4);
  return out;
}

}  // namespace warpmem::views
