#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/printable.hpp"
#include "base/units.hpp"
#include "views/explanation.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

constexpr std::size_t kMostRows = 12;
constexpr std::size_t kPlace = 24;  // columns

std::string whole_share(std::uint64_t part, std::uint64_t whole) {
  return whole
             ? fmt::format("{:.0f} %", 100 * static_cast<double>(part) / static_cast<double>(whole))
             : "-";
}

std::string what(const SiteTraffic& t) { return place_of(t) + " " + t.op; }

// Instructions of one line that do the same in one array: an unrolled loop's, mostly.
std::vector<SiteTraffic> by_line(const LaunchExplanation& l) {
  std::vector<SiteTraffic> out;
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::size_t> known;
  for (const SiteTraffic& t : l.sites) {
    const auto [at, fresh] = known.try_emplace({place_of(t), t.op, t.space, t.array}, out.size());
    if (fresh) {
      out.push_back(t);
      continue;
    }
    SiteTraffic& sum = out[at->second];
    sum.requests += t.requests, sum.sectors += t.sectors, sum.ideal_sectors += t.ideal_sectors;
    sum.wavefronts += t.wavefronts, sum.ideal_wavefronts += t.ideal_wavefronts;
    sum.l1_hits += t.l1_hits, sum.l2_reads += t.l2_reads, sum.l2_read_hits += t.l2_read_hits;
    sum.share += t.share;
  }
  return out;
}

std::string sectors_text(const std::vector<SiteTraffic>& lines, const Terminal& terminal) {
  Table table({{"line, global and local"},
               {"requests", Align::kRight},
               {"sectors", Align::kRight},
               {"ideal", Align::kRight},
               {"L1", Align::kRight},
               {"L2", Align::kRight},
               {"time", Align::kRight}});
  std::size_t rows = 0, more = 0;
  for (const SiteTraffic& t : lines) {
    if (t.sectors == 0) continue;
    if (++rows > kMostRows) {
      ++more;
      continue;
    }
    table.row({shortened(what(t), kPlace), grouped(t.requests), grouped(t.sectors),
               grouped(t.ideal_sectors), whole_share(t.l1_hits, t.sectors),
               whole_share(t.l2_read_hits, t.l2_reads), fmt::format("{:.0f} %", 100 * t.share)});
  }
  if (table.empty()) return {};
  return "\n" + table.text(terminal) + (more ? fmt::format("and {} more lines\n", more) : "");
}

std::string passes_text(const std::vector<SiteTraffic>& lines, const Terminal& terminal) {
  Table table({{"line, shared memory"},
               {"requests", Align::kRight},
               {"passes", Align::kRight},
               {"ideal", Align::kRight},
               {"time", Align::kRight}});
  std::size_t rows = 0, more = 0;
  for (const SiteTraffic& t : lines) {
    if (t.wavefronts == 0) continue;
    if (++rows > kMostRows) {
      ++more;
      continue;
    }
    table.row({shortened(what(t), kPlace), grouped(t.requests), grouped(t.wavefronts),
               grouped(t.ideal_wavefronts), fmt::format("{:.0f} %", 100 * t.share)});
  }
  if (table.empty()) return {};
  return "\n" + table.text(terminal) + (more ? fmt::format("and {} more lines\n", more) : "");
}

std::string arrays_text(const LaunchExplanation& l, const Terminal& terminal) {
  Table table(
      {{"array"}, {"size", Align::kRight}, {"sectors", Align::kRight}, {"ideal", Align::kRight}});
  for (const ArrayTraffic& a : l.arrays)
    table.row(
        {shortened(a.name, 36), byte_size(a.bytes), grouped(a.sectors), grouped(a.ideal_sectors)});
  return table.empty() ? "" : "\n" + table.text(terminal);
}

std::string change_text(const RunCost& before, const RunCost& after) {
  std::vector<std::string> parts;
  const auto add = [&](const char* name, std::uint64_t b, std::uint64_t a) {
    if (a != b) parts.push_back(fmt::format("{} {} -> {}", name, grouped(b), grouped(a)));
  };
  if (before.cycles && after.cycles)
    parts.push_back(fmt::format(
        "{} -> {} cycles ({})", grouped(before.cycles), grouped(after.cycles),
        after.cycles <= before.cycles
            ? fmt::format("{:.2f} times as fast",
                          static_cast<double>(before.cycles) / static_cast<double>(after.cycles))
            : fmt::format("{:.2f} times as long",
                          static_cast<double>(after.cycles) / static_cast<double>(before.cycles))));
  add("sectors", before.sectors, after.sectors);
  add("passes", before.wavefronts, after.wavefronts);
  add("L2 sectors", before.l2_sectors, after.l2_sectors);
  add("DRAM sectors", before.dram_sectors, after.dram_sectors);
  if (parts.empty()) return "nothing changes";
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string cost_text(const LaunchExplanation& l, const Finding& f) {
  const auto sum = [&](std::uint64_t SiteTraffic::*what) {
    std::uint64_t all = 0;
    for (const std::size_t s : f.sites) all += l.sites[s].*what;
    return all;
  };
  if (f.excess_wavefronts > 0)
    return fmt::format("costs {} passes of shared memory that no conflicts would not need",
                       grouped(f.excess_wavefronts));
  if (f.excess_sectors > 0) {
    return fmt::format("costs {} sectors more than the {} that would do", grouped(f.excess_sectors),
                       grouped(sum(&SiteTraffic::sectors) - f.excess_sectors));
  }
  if (f.pattern == AddressPattern::kConstants)
    return fmt::format("costs {} look-ups for {} requests", grouped(sum(&SiteTraffic::addresses)),
                       grouped(sum(&SiteTraffic::requests)));
  if (f.pattern == AddressPattern::kSpill || f.pattern == AddressPattern::kLocalArray)
    return fmt::format("costs {} sectors of local memory", grouped(sum(&SiteTraffic::sectors)));
  if (f.pattern == AddressPattern::kOneWord)
    return fmt::format("{} lanes in {} requests wait for each other",
                       grouped(sum(&SiteTraffic::lanes)), grouped(sum(&SiteTraffic::requests)));
  return {};
}

std::string places_text(const LaunchExplanation& l, const Finding& f) {
  std::string out;
  std::size_t told = 0;
  std::set<std::string> known;
  for (const std::size_t s : f.sites) {
    const std::string place = what(l.sites[s]);
    if (!known.insert(place).second) continue;
    if (++told > 4) return out + ", …";
    out += (out.empty() ? "" : ", ") + place;
  }
  return out;
}

// Less than a hundredth of the time is nothing that a program would be changed for. Without cycles
// any of the traffic counts.
bool gains(const RunCost& before, const RunCost& after) {
  if (before.cycles && after.cycles)
    return static_cast<double>(after.cycles) < 0.99 * static_cast<double>(before.cycles);
  return after.sectors < before.sectors || after.wavefronts < before.wavefronts ||
         after.l2_sectors < before.l2_sectors || after.dram_sectors < before.dram_sectors;
}

std::string fix_text(const LaunchExplanation& l, const Change& c, const Terminal& terminal) {
  if (!c.after && c.not_measured.empty())  // everything was tried
    return "   " + wrapped(printable("no fix found: " + c.what), terminal.width - 3, 3);
  const bool helps = !c.after || gains(l.cost, *c.after);
  const std::string gain = c.after ? (!helps       ? "gains less than 1 %: "
                                      : c.estimate ? "estimate, without the instructions it adds: "
                                                   : "replayed: ") +
                                         change_text(l.cost, *c.after)
                                   : fmt::format("not replayed ({})", c.not_measured);
  return "   " +
         wrapped(printable((helps ? "fix: " : "no fix: ") + c.what), terminal.width - 3, 3) +
         "     " + wrapped(printable(gain), terminal.width - 5, 5);
}

std::string finding_text(const LaunchExplanation& l, const Finding& f, std::size_t number,
                         const Terminal& terminal) {
  const SiteTraffic& first = l.sites[f.sites.front()];
  std::string title = fmt::format("{}. {}: {}", number, places_text(l, f), name_of(f.pattern));
  if (!first.array.empty()) title += ", " + first.array;
  std::string out =
      "\n" + styled(wrapped(printable(title), terminal.width, 3), Style::kBold, terminal.colour);
  const auto line = [&](const std::string& text, std::size_t indent) {
    out += std::string(indent, ' ') + wrapped(printable(text), terminal.width - indent, indent);
  };
  line(f.sentence, 3);
  if (const std::string cost = cost_text(l, f); !cost.empty()) line(cost, 3);
  for (const Change& c : f.changes) out += fix_text(l, c, terminal);
  return out;
}

// "array needs 48 KiB".
std::string needs_text(const ArrayNeeds& needs, const Terminal& terminal) {
  const std::string title =
      "\n" + styled("what arrays need of an L1\n", Style::kBold, terminal.colour);
  if (!needs.missing.empty())
    return title + wrapped("  not known: " + printable(needs.missing), terminal.width, 2);
  Table table({{"array"},
               {"needs", Align::kRight},
               {"sectors hit", Align::kRight},
               {"with " + byte_size(needs.largest), Align::kRight}});
  const auto percent = [](std::uint64_t part, std::uint64_t whole) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
  };
  for (const ArrayNeed& a : needs.arrays)
    table.row({printable(a.array), a.bytes ? byte_size(a.bytes) : "none: nothing hits",
               percent(a.hits, a.sectors), percent(a.most_hits, a.sectors)});
  return title + table.text(terminal) +
         wrapped(fmt::format("of an L1 whose oldest line goes, in {} sets: the least capacity at "
                             "which within 1 % of the array's sectors hit as do with {}",
                             needs.sets, byte_size(needs.largest)),
                 terminal.width, 0);
}

}  // namespace

std::string place_of(const SiteTraffic& t) {
  if (t.op == kSpillOp) return "spilled registers:";
  if (t.line == 0) return fmt::format("pc {:#06x}", t.pc);
  return fmt::format("{}:{}", t.file.substr(t.file.rfind('/') + 1), t.line);
}

std::string explanation_text(const LaunchExplanation& l, const Terminal& terminal) {
  std::string out = styled(wrapped(fmt::format("launch {}: {}  grid {}x{}x{}  block {}x{}x{}",
                                               l.launch, printable(l.kernel), l.grid[0], l.grid[1],
                                               l.grid[2], l.block[0], l.block[1], l.block[2]),
                                   terminal.width, 2),
                           Style::kBold, terminal.colour);
  if (l.cost.cycles) out += fmt::format("{} cycles\n", grouped(l.cost.cycles));
  if (!l.limit.empty()) out += wrapped("bottleneck: " + l.limit, terminal.width, 2);
  const std::vector<SiteTraffic> lines = by_line(l);
  out += sectors_text(lines, terminal) + passes_text(lines, terminal) + arrays_text(l, terminal);
  out += wrapped(
      "ideal: the fewest that hold what the lanes ask for. L1, L2: hits. time: share of the time "
      "that accesses are under way. Other words: warpmem words.",
      terminal.width, 0);
  if (!l.has_lines)
    out += wrapped("no line is known: build with -lineinfo to see lines and not instructions",
                   terminal.width, 0);
  std::size_t number = 0;
  for (const Finding& f : l.findings) out += finding_text(l, f, ++number, terminal);
  if (l.findings.empty())
    out += l.limit_unseen ? "\nof the accesses in the trace none moves more than it has to\n"
                          : "\nno access moves more than it has to\n";
  if (!l.changes.empty())
    out += "\n" + styled("the launch as a whole\n", Style::kBold, terminal.colour);
  for (const Change& c : l.changes) out += fix_text(l, c, terminal);
  if (l.needs) out += needs_text(*l.needs, terminal);
  for (const std::string& note : l.notes)
    out += wrapped("note: " + printable(note), terminal.width, 2);
  return out;
}

std::string explanation_csv(const std::vector<LaunchExplanation>& launches,
                            const std::string& quality) {
  Table table({{"launch"},
               {"kernel"},
               {"file"},
               {"line"},
               {"pc"},
               {"instruction"},
               {"space"},
               {"op"},
               {"bytes"},
               {"array"},
               {"requests"},
               {"sectors"},
               {"ideal_sectors"},
               {"wavefronts"},
               {"ideal_wavefronts"},
               {"l1_hits"},
               {"l2_reads"},
               {"l2_read_hits"},
               {"l2_writes"},
               {"cycles_under_way"},
               {"pattern"},
               {"sentence"},
               {"quality"}});
  for (const LaunchExplanation& l : launches)
    for (const SiteTraffic& t : l.sites)
      table.row({std::to_string(l.launch),
                 l.kernel,
                 t.file,
                 t.line ? std::to_string(t.line) : "",
                 std::to_string(t.pc),
                 t.instruction,
                 t.space,
                 t.op,
                 std::to_string(t.bytes),
                 t.array,
                 std::to_string(t.requests),
                 std::to_string(t.sectors),
                 std::to_string(t.ideal_sectors),
                 std::to_string(t.wavefronts),
                 std::to_string(t.ideal_wavefronts),
                 std::to_string(t.l1_hits),
                 std::to_string(t.l2_reads),
                 std::to_string(t.l2_read_hits),
                 std::to_string(t.l2_writes),
                 std::to_string(t.cycles_under_way),
                 name_of(t.pattern),
                 t.sentence,
                 quality});
  return table.csv();
}

}  // namespace warpmem::views
