#include "tests/twin/async_copy.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace warpmem::twin {
namespace {

constexpr std::uint32_t kHalf = 16, kRow = 128;  // bytes: of a sector, of shared memory

// What goes from a sector of a line to a sector of a row: its low half, its high one, or both.
struct Move {
  std::uint64_t line, row;
  std::uint32_t from, to;
  bool crosses;  // low half to high half, or the other way round
  bool low = false, high = false;

  auto place() const { return std::tie(line, row, from, to, crosses); }
  // What one request can carry together.
  auto kind() const { return std::tuple(line, row, crosses, low, high, (to + from) % 2); }
};

std::vector<Move> moves_of(const Access& from, const Access& to, const TwinSpec& spec) {
  std::vector<Move> moves;
  for (const Lane& lane : from.lanes) {
    const auto there = std::find_if(to.lanes.begin(), to.lanes.end(),
                                    [&](const Lane& l) { return l.number == lane.number; });
    const std::uint64_t f = lane.address, t = there->address;
    const bool high = f / kHalf % 2, goes_high = t / kHalf % 2;
    const Move m{f / spec.line_bytes, t / kRow,
                 static_cast<std::uint32_t>(f % spec.line_bytes / spec.sector_bytes),
                 static_cast<std::uint32_t>(t % kRow / spec.sector_bytes), high != goes_high};
    auto known = std::find_if(moves.begin(), moves.end(),
                              [&](const Move& o) { return o.place() == m.place(); });
    if (known == moves.end()) known = moves.insert(known, m);
    (high ? known->high : known->low) = true;
  }
  return moves;
}

// The tag stage looks up a line of each bank in a pass; of what these give, rows that lie four
// apart go one after the other.
std::uint32_t output_wavefronts(const std::vector<Move>& moves, const TwinSpec& spec) {
  std::map<std::uint64_t, std::uint32_t> pass_of_line, lines_of_bank;
  std::map<std::uint32_t, std::map<std::uint64_t, std::uint32_t>> rows_of_pass;  // by row % 4
  std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
  for (const Move& m : moves) {
    if (!seen.insert({m.line, m.row}).second) continue;
    if (!pass_of_line.count(m.line))
      pass_of_line[m.line] = lines_of_bank[spec.l1.set_of(m.line) % spec.l1.tag_banks]++;
    ++rows_of_pass[pass_of_line[m.line]][m.row % 4];
  }
  std::uint32_t all = 0;
  for (const auto& [pass, rows] : rows_of_pass) {
    std::uint32_t most = 0;
    for (const auto& [row, n] : rows) most = std::max(most, n);
    all += most;
  }
  return all;
}

}  // namespace

PastL1 copy_past_l1(const Access& from, const Access& to, const TwinSpec& spec) {
  PastL1 out;
  const std::vector<Move> moves = moves_of(from, to, spec);
  std::set<std::tuple<std::uint64_t, std::uint64_t, std::uint32_t>> written;
  for (const Move& m : moves) written.insert({m.line, m.row, m.to});
  out.sectors = written.size();
  out.output_wavefronts = output_wavefronts(moves, spec);
  // What has a low half leaves before what has only a high one. Each joins the first request of its
  // kind that has not got its sector yet.
  std::vector<const Move*> first;  // of each request
  for (const bool low : {true, false})
    for (const Move& m : moves) {
      if (m.low != low) continue;
      const Sectors sector = 1u << m.from;
      std::size_t k = 0;
      while (k < first.size() &&
             (first[k]->kind() != m.kind() || (out.requests[k].sectors & sector)))
        ++k;
      if (k == first.size()) {
        first.push_back(&m);
        out.requests.push_back({m.line, 0});
      }
      out.requests[k].sectors |= sector;
    }
  out.wavefronts = out.requests.size();
  if (from.lanes.size() != to.lanes.size()) out.wavefronts += copy_wavefronts(from, to);
  return out;
}

std::uint32_t copy_wavefronts(const Access& from, const Access& to) {
  const std::uint32_t columns = kRow / to.bytes, together = std::min(32u, columns);
  std::map<std::uint32_t, std::uint64_t> source;  // of each lane that has one
  for (const Lane& l : from.lanes) source[l.number] = l.address / to.bytes % columns;
  std::map<std::uint32_t, std::uint32_t> most;  // of each group of lanes
  for (const Lane& one : to.lanes) {
    std::uint32_t meets = 0;
    for (const Lane& other : to.lanes) {
      if (other.number / together != one.number / together) continue;
      const bool there = other.address / to.bytes % columns == one.address / to.bytes % columns;
      const bool here = source.count(one.number) && source.count(other.number) &&
                        source[one.number] == source[other.number];
      meets += there || here;
    }
    std::uint32_t& group = most[one.number / together];
    group = std::max(group, meets);
  }
  std::uint32_t all = 0;
  for (const auto& [group, n] : most) all += n;
  return all;
}

}  // namespace warpmem::twin
