#include "views/lanes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "base/units.hpp"

namespace warpmem::views {
namespace {

constexpr std::size_t kRows = 16;

char letter(std::uint32_t lanes) {
  if (lanes & (lanes - 1)) return '*';
  const int lane = std::countr_zero(lanes);
  return static_cast<char>(lane < 10 ? '0' + lane : 'a' + lane - 10);
}

// "0, 8, 16, 24", or "0 to 31", or the first of many.
std::string lane_list(std::uint32_t lanes) {
  const int n = std::popcount(lanes), first = std::countr_zero(lanes);
  if (n > 2 && (lanes >> first & ((lanes >> first) + 1)) == 0)
    return fmt::format("{} to {}", first, first + n - 1);
  std::string out;
  int told = 0;
  for (std::uint32_t rest = lanes; rest; rest &= rest - 1) {
    if (told++ == 8) return out + fmt::format(" and {} more", n - 8);
    out += fmt::format("{}{}", out.empty() ? "" : ", ", std::countr_zero(rest));
  }
  return out;
}

template <class Do>
void each_lane(const LaneAccess& a, Do&& take) {
  for (unsigned l = 0; l < 32; ++l)
    if (a.active(l)) take(l, a.address[l]);
}

// Lanes that are served together: as many as all banks give a word to in one pass.
unsigned served_together(const LaneAccess& a) {
  const unsigned all = a.banks * a.bank_bytes;
  return std::clamp(a.bytes ? all / a.bytes : 32u, 1u, 32u);
}

// By group of lanes served together and bank: the words asked for, and by whom.
using BankWords =
    std::map<std::pair<unsigned, std::uint64_t>, std::map<std::uint64_t, std::uint32_t>>;
BankWords bank_words(const LaneAccess& a) {
  BankWords out;
  const unsigned together = served_together(a);
  each_lane(a, [&](unsigned lane, std::uint64_t at) {
    for (std::uint64_t word = at / a.bank_bytes; word <= (at + a.bytes - 1) / a.bank_bytes; ++word)
      out[{lane / together, word % a.banks}][word] |= 1u << lane;
  });
  return out;
}

LaneGrid bank_grid(const LaneAccess& a, std::size_t most) {
  LaneGrid grid;
  grid.group = 0;
  std::map<std::uint64_t, LaneGrid::Row> rows;  // by row of words over all banks
  each_lane(a, [&](unsigned lane, std::uint64_t at) {
    for (std::uint64_t word = at / a.bank_bytes; word <= (at + a.bytes - 1) / a.bank_bytes;
         ++word) {
      LaneGrid::Row& row = rows[word / a.banks];
      row.cells.resize(a.banks);
      row.cells[word % a.banks].lanes |= 1u << lane;
      row.cells[word % a.banks].moved = true;
    }
  });
  for (auto& [number, row] : rows) {
    if (grid.rows.size() == most) {
      ++grid.left_out;
      continue;
    }
    row.label = fmt::format("byte {:>6}", grouped(number * a.banks * a.bank_bytes));
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

LaneGrid line_grid(const LaneAccess& a, std::size_t most) {
  constexpr std::uint64_t kWord = 4;
  LaneGrid grid;
  grid.group = a.sector_bytes / kWord;
  std::map<std::uint64_t, LaneGrid::Row> rows;  // by line
  std::vector<std::uint64_t> order;
  each_lane(a, [&](unsigned lane, std::uint64_t at) {
    for (std::uint64_t word = at / kWord; word <= (at + a.bytes - 1) / kWord; ++word) {
      const std::uint64_t line = word * kWord / a.line_bytes;
      LaneGrid::Row& row = rows[line];
      if (row.cells.empty()) order.push_back(line), row.cells.resize(a.line_bytes / kWord);
      const std::size_t in_line = word % row.cells.size();
      row.cells[in_line].lanes |= 1u << lane;
      const std::size_t sector = in_line / grid.group * grid.group;
      for (std::size_t i = 0; i < grid.group && sector + i < row.cells.size(); ++i)
        row.cells[sector + i].moved = true;
    }
  });
  for (const std::uint64_t line : order) {
    if (grid.rows.size() == most) {
      ++grid.left_out;
      continue;
    }
    rows[line].label = fmt::format("{:#x}", line * a.line_bytes);
    grid.rows.push_back(std::move(rows[line]));
  }
  return grid;
}

std::string bank_sentence(const LaneAccess& a) {
  const BankWords words = bank_words(a);
  std::map<unsigned, std::size_t> passes;  // by group
  std::size_t groups = 0, all = 0;
  const auto* worst = static_cast<const BankWords::value_type*>(nullptr);
  for (const auto& at : words) {
    std::size_t& most = passes[at.first.first];
    most = std::max(most, at.second.size());
    if (!worst || at.second.size() > worst->second.size()) worst = &at;
  }
  for (const auto& [group, most] : passes) ++groups, all += most;
  if (!worst) return "no lane is active";
  const std::string served = groups > 1
                                 ? fmt::format(" ({} bytes a lane: {} lanes are served together)",
                                               a.bytes, served_together(a))
                                 : "";
  if (worst->second.size() <= 1)
    return fmt::format("no two lanes meet in a bank: {} pass{}, none too many{}", all,
                       all == 1 ? "" : "es", served);
  std::uint32_t lanes = 0;
  for (const auto& [word, who] : worst->second) lanes |= who & (~who + 1);  // one a word
  return fmt::format("lanes {} share bank {}: {} passes, {} too many{}", lane_list(lanes),
                     worst->first.second, all, all - groups, served);
}

std::string line_sentence(const LaneAccess& a) {
  std::set<std::uint64_t> sectors, lines, bytes;
  each_lane(a, [&](unsigned, std::uint64_t at) {
    for (std::uint64_t b = at; b < at + a.bytes; ++b) {
      bytes.insert(b);
      sectors.insert(b / a.sector_bytes), lines.insert(b / a.line_bytes);
    }
  });
  if (bytes.empty()) return "no lane is active";
  const int n = std::popcount(a.mask);
  const std::size_t ideal = std::min<std::size_t>(
      sectors.size(),
      (static_cast<std::size_t>(n) * a.bytes + a.sector_bytes - 1) / a.sector_bytes);
  return fmt::format(
      "{} lane{} ask{} for {} in {} sector{} of {} line{}; {}", n, n == 1 ? "" : "s",
      n == 1 ? "s" : "", byte_size(bytes.size()), sectors.size(), sectors.size() == 1 ? "" : "s",
      lines.size(), lines.size() == 1 ? "" : "s",
      sectors.size() == ideal
          ? std::string("none is too many")
          : fmt::format("{} would do: {} too many, and {:.1f} of each sector's {} bytes are used",
                        ideal, sectors.size() - ideal,
                        static_cast<double>(bytes.size()) / static_cast<double>(sectors.size()),
                        a.sector_bytes));
}

}  // namespace

LaneGrid lane_grid(const LaneAccess& a, std::size_t most_rows) {
  return a.shared ? bank_grid(a, most_rows) : line_grid(a, most_rows);
}

std::string lanes_text(const LaneAccess& a, const Terminal& terminal) {
  const LaneGrid grid = lane_grid(a, kRows);
  std::size_t label = 4;
  for (const LaneGrid::Row& row : grid.rows) label = std::max(label, display_width(row.label));
  std::string out;
  if (a.shared) {
    std::string tens(label + 2, ' '), ones = fmt::format("{:>{}}  ", "bank", label);
    for (unsigned b = 0; b < a.banks; ++b) {
      tens += b % 10 == 0 ? fmt::format("{}", b / 10) : " ";
      ones += fmt::format("{}", b % 10);
    }
    out += tens + "\n" + ones + "\n";
  }
  for (const LaneGrid::Row& row : grid.rows) {
    out += fmt::format("{:>{}}  ", row.label, label);
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (grid.group && i % grid.group == 0) out += "|";
      const LaneGrid::Cell& cell = row.cells[i];
      if (cell.lanes) out += letter(cell.lanes);
      else if (cell.moved) out += styled("·", Style::kRed, terminal.colour);
      else out += " ";
    }
    out += grid.group ? "|\n" : "\n";
    while (out.size() > 1 && out[out.size() - 2] == ' ') out.erase(out.size() - 2, 1);
  }
  if (grid.left_out > 0)
    out += fmt::format("{:>{}}  and {} more {}\n", "", label, grouped(grid.left_out),
                       a.shared ? "rows of words" : "lines");
  out += a.shared ? "lanes 0 to 9, a to v; *: several lanes on a word\n"
                  : "lanes 0 to 9, a to v; ·: moved for nobody; *: several lanes on a word\n";
  return out;
}

std::string lanes_words(const LaneAccess& a) {
  return a.shared ? bank_sentence(a) : line_sentence(a);
}

}  // namespace warpmem::views
