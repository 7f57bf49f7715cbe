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
  const auto cell = [&](std::uint64_t word) -> LaneGrid::Cell& {
    const std::uint64_t line = word * kWord / a.line_bytes;
    LaneGrid::Row& row = rows[line];
    if (row.cells.empty()) order.push_back(line), row.cells.resize(a.line_bytes / kWord);
    return row.cells[word % row.cells.size()];
  };
  each_lane(a, [&](unsigned lane, std::uint64_t at) {
    for (std::uint64_t word = at / kWord; word <= (at + a.bytes - 1) / kWord; ++word)
      cell(word).lanes |= 1u << lane;
  });
  for (const LaneAccess::Piece& p : a.moved)
    for (std::uint64_t at = p.address; at < p.address + p.bytes; at += kWord)
      cell(at / kWord).moved = true;
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

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", grouped(n), n == 1 ? one : many);
}
std::string plural(std::uint64_t n, const char* one) {
  return plural(n, one, fmt::format("{}s", one).c_str());
}

std::string bank_sentence(const LaneAccess& a) {
  if (a.mask == 0) return "no lane is active";
  const std::string served =
      a.ideal_passes > 1 && a.together < 32
          ? fmt::format(" ({} bytes a lane: {} lanes are served together)", a.bytes, a.together)
          : "";
  const std::string passes = plural(a.passes, "pass", "passes");
  if (a.passes <= a.ideal_passes)
    return fmt::format("no two lanes meet in a bank: {}, none too many{}", passes, served);
  const std::string cost =
      fmt::format("{}, {} too many{}", passes, grouped(a.passes - a.ideal_passes), served);
  if (std::popcount(a.waiting) < 2) return "not all lanes can be served at once: " + cost;
  if (a.atomic)
    return fmt::format("lanes {} change words of bank {}, one after the other: {}",
                       lane_list(a.waiting), a.bank, cost);
  return fmt::format("lanes {} share bank {}: {}", lane_list(a.waiting), a.bank, cost);
}

// "2 transactions of 64 B"; nothing where all are sectors, each on its way once.
std::string transactions(const LaneAccess& a) {
  std::map<std::uint32_t, std::size_t> by_size;
  bool sectors = true;
  for (const LaneAccess::Piece& p : a.moved)
    ++by_size[p.bytes], sectors &= p.bytes == a.sector_bytes;
  if (sectors) return {};
  std::string out;
  for (const auto& [bytes, n] : by_size)
    out += fmt::format("{}{} of {}", out.empty() ? "" : " and ", plural(n, "transaction"),
                       byte_size(bytes));
  return out;
}

std::string line_sentence(const LaneAccess& a) {
  std::set<std::uint64_t> bytes, lines, sectors;
  each_lane(a, [&](unsigned, std::uint64_t at) {
    for (std::uint64_t b = at; b < at + a.bytes; ++b) bytes.insert(b);
  });
  if (bytes.empty()) return "no lane is active";
  for (const LaneAccess::Piece& p : a.moved)
    for (std::uint64_t at = p.address; at < p.address + p.bytes; at += a.sector_bytes)
      sectors.insert(at / a.sector_bytes), lines.insert(at / a.line_bytes);
  const auto n = static_cast<std::uint64_t>(std::popcount(a.mask));
  std::string out =
      fmt::format("{} {} {} in ", plural(n, "lane"),
                  a.atomic ? (n == 1 ? "changes" : "change") : (n == 1 ? "asks for" : "ask for"),
                  byte_size(bytes.size()));
  // Rounds of an atomic, and requests that want the same, send a sector more than once.
  const bool again = a.sectors != sectors.size();
  if (const std::string moves = transactions(a); !moves.empty()) out += moves + ", ";
  out += fmt::format("{} of {}", plural(sectors.size(), "sector"), plural(lines.size(), "line"));
  if (again) out += fmt::format(", sent {} in all", plural(a.sectors, "time"));
  if (a.sectors <= a.ideal_sectors) return out + "; none is too many";
  out += fmt::format("; {} would do: {} too many", grouped(a.ideal_sectors),
                     grouped(a.sectors - a.ideal_sectors));
  if (again) return out;
  return out + fmt::format(", and {:.1f} of each sector's {} bytes are used",
                           static_cast<double>(bytes.size()) / static_cast<double>(sectors.size()),
                           a.sector_bytes);
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
  if (a.shared && a.rows_together > 1)
    out += fmt::format("{} rows come in one pass: a bank gives {} bytes\n", a.rows_together,
                       a.rows_together * a.bank_bytes);
  out += a.shared ? "lanes 0 to 9, a to v; *: several lanes on a word\n"
                  : "lanes 0 to 9, a to v; ·: moved for nobody; *: several lanes on a word\n";
  return out;
}

std::string lanes_words(const LaneAccess& a) {
  return a.shared ? bank_sentence(a) : line_sentence(a);
}

}  // namespace warpmem::views
