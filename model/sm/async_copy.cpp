#include "model/sm/async_copy.hpp"

#include <algorithm>
#include <bit>

#include "model/cache/tag_banks.hpp"

namespace warpmem::model {
namespace {

constexpr std::uint64_t kHalf = 16;  // bytes: half a sector

// A sector, or a half of one, and where it goes.
struct Move {
  std::uint64_t line, row;
  std::uint8_t from, to;  // sector of its line, of its row
  bool crosses;           // low half to high half, or the reverse
  std::uint8_t halves;    // of the source, bit 0: the low one
  bool together(const Move& m) const {
    return line == m.line && row == m.row && crosses == m.crosses && halves == m.halves &&
           ((to - from) & 1) == ((m.to - m.from) & 1);
  }
};

struct Moves {
  std::array<Move, kWarpLanes> move;
  int count = 0;
};

Moves list_moves(const WarpAccess& from, const WarpAccess& to, std::uint64_t line_bytes) {
  const std::uint64_t halves_of_line = line_bytes / kHalf;
  Moves moves;
  for (std::uint32_t rest = from.mask; rest; rest &= rest - 1) {
    const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
    const std::uint64_t f = from.address[lane] / kHalf, t = to.address[lane] / kHalf;
    const Move m{f / halves_of_line,
                 t / 8,
                 static_cast<std::uint8_t>(f % halves_of_line / 2),
                 static_cast<std::uint8_t>(t % 8 / 2),
                 f % 2 != t % 2,
                 static_cast<std::uint8_t>(1u << f % 2)};
    const auto end = moves.move.begin() + moves.count;
    const auto same = std::find_if(moves.move.begin(), end, [&](const Move& o) {
      return o.line == m.line && o.row == m.row && o.from == m.from && o.to == m.to &&
             o.crosses == m.crosses;
    });
    if (same != end) same->halves |= m.halves;
    else moves.move[static_cast<std::size_t>(moves.count++)] = m;
  }
  return moves;
}

// The tag stage looks up a line of each of its banks in a pass; of what these lines give, rows that
// lie four apart go one after the other.
template <class Bank>
int output_wavefronts(const Moves& moves, Bank&& bank) {
  struct Pair {
    std::uint64_t line, row;
  };
  std::array<Pair, kWarpLanes> pairs;
  std::array<std::uint64_t, kWarpLanes> lines;
  std::array<std::uint8_t, kWarpLanes> pass;
  std::array<std::uint8_t, kLinesACycle> in_bank{};
  int many = 0, known = 0, passes = 0;
  std::array<std::array<std::uint8_t, 4>, kWarpLanes> rows{};
  for (int i = 0; i < moves.count; ++i) {
    const Move& m = moves.move[static_cast<std::size_t>(i)];
    const auto end = pairs.begin() + many;
    if (std::any_of(pairs.begin(), end,
                    [&](const Pair& p) { return p.line == m.line && p.row == m.row; }))
      continue;
    pairs[static_cast<std::size_t>(many++)] = {m.line, m.row};
    auto at = static_cast<std::size_t>(std::find(lines.begin(), lines.begin() + known, m.line) -
                                       lines.begin());
    if (at == static_cast<std::size_t>(known)) {
      lines[at] = m.line;
      pass[at] = in_bank[bank(m.line)]++;
      ++known;
      passes = std::max(passes, pass[at] + 1);
    }
    ++rows[pass[at]][m.row % 4];
  }
  int all = 0;
  for (int p = 0; p < passes; ++p)
    all += *std::max_element(rows[static_cast<std::size_t>(p)].begin(),
                             rows[static_cast<std::size_t>(p)].end());
  return all;
}

// Sectors of shared memory that each line fills, or a part of them.
int counted_sectors(const Moves& moves) {
  int n = 0;
  for (int i = 0; i < moves.count; ++i) {
    const Move& m = moves.move[static_cast<std::size_t>(i)];
    const auto before = moves.move.begin() + i;
    n += std::none_of(moves.move.begin(), before, [&](const Move& o) {
      return o.line == m.line && o.row == m.row && o.to == m.to;
    });
  }
  return n;
}

template <class Bank>
PastL1 past_l1(const WarpAccess& from, const WarpAccess& to, std::uint64_t line_bytes,
               Bank&& bank) {
  PastL1 out;
  const Moves moves = list_moves(from, to, line_bytes);
  std::array<const Move*, kWarpLanes> first;
  // What has a low half leaves before what has only a high one: which reads of a sector follow one
  // another, and so are one to the L2, hangs on it (249 of 304 cases; 222 in lane order).
  for (const int low : {1, 0})
    for (int i = 0; i < moves.count; ++i) {
      const Move& m = moves.move[static_cast<std::size_t>(i)];
      if ((m.halves & 1) != low) continue;
      const auto sector = static_cast<std::uint8_t>(1u << m.from);
      std::size_t k = 0;
      while (k < static_cast<std::size_t>(out.count) &&
             (!first[k]->together(m) || (out.request[k].sectors & sector)))
        ++k;
      if (k == static_cast<std::size_t>(out.count)) {
        first[k] = &m;
        out.request[k] = {m.line, 0};
        ++out.count;
      }
      out.request[k].sectors |= sector;
    }
  out.sectors = counted_sectors(moves);
  out.output_wavefronts = output_wavefronts(moves, bank);
  out.wavefronts = out.count + (from.mask == to.mask ? 0 : copy_wavefronts(from, to));
  return out;
}

}  // namespace

PastL1 copy_past_l1(const WarpAccess& from, const WarpAccess& to) {
  return past_l1(from, to, kLineBytes, [](std::uint64_t line) { return tag_bank(line); });
}

PastL1 copy_past_l1(const WarpAccess& from, const WarpAccess& to, std::uint64_t line_bytes,
                    const SetIndex& sets) {
  return past_l1(from, to, line_bytes,
                 [&sets](std::uint64_t line) { return sets(line) % kLinesACycle; });
}

int copy_wavefronts(const WarpAccess& from, const WarpAccess& to) {
  const std::uint32_t width = std::clamp<std::uint32_t>(to.bytes, 4, kLineBytes),
                      columns = kLineBytes / width, together = columns;
  const auto column = [&](const WarpAccess& side, int lane) {
    return side.address[static_cast<std::size_t>(lane)] / width % columns;
  };
  int all = 0;
  for (std::uint32_t first = 0; first < kWarpLanes; first += together) {
    const std::uint32_t group = together == kWarpLanes ? ~0u : ((1u << together) - 1) << first;
    std::array<std::uint32_t, kWarpLanes> read{}, written{};  // by column, its lanes
    for (std::uint32_t rest = from.mask & to.mask & group; rest; rest &= rest - 1)
      read[column(from, std::countr_zero(rest))] |= rest & -rest;
    for (std::uint32_t rest = to.mask & group; rest; rest &= rest - 1)
      written[column(to, std::countr_zero(rest))] |= rest & -rest;
    int most = 0;
    for (std::uint32_t rest = to.mask & group; rest; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      std::uint32_t meets = written[column(to, lane)];
      if (from.mask >> lane & 1) meets |= read[column(from, lane)];
      most = std::max(most, std::popcount(meets));
    }
    all += most;
  }
  return all;
}

}  // namespace warpmem::model
