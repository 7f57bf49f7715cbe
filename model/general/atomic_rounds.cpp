#include "model/general/atomic_rounds.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace warpmem::model {
namespace {

struct Lane {
  std::uint64_t address, line;
  std::uint32_t bank;
};

// One round: takes those that go out of `left`.
void send(std::vector<Lane>& left, std::uint32_t bytes, std::uint64_t request_bytes,
          const MemorySpec& spec, AtomicTraffic& out) {
  std::set<std::pair<std::uint32_t, std::uint64_t>> places;  // that a lane has
  std::map<std::uint32_t, std::uint64_t> line_of;            // by bank
  std::vector<Lane> go, stay;
  for (const Lane& l : left) {
    const bool has_place =
        places.insert({l.bank, l.address % spec.line_bytes / spec.bank_bytes}).second;
    const std::uint64_t taken = line_of.emplace(l.bank, l.line).first->second;
    (has_place && taken == l.line ? go : stay).push_back(l);
  }
  left = std::move(stay);
  std::vector<std::uint64_t> sent;  // in their order
  std::map<std::uint64_t, std::uint32_t> bytes_of, lanes_of;
  for (const Lane& l : go) {
    const std::uint64_t sector = l.address / kSectorBytes;
    if (bytes_of.try_emplace(sector).second) sent.push_back(sector);
    bytes_of[sector] += bytes;
    ++lanes_of[l.address / request_bytes];
  }
  out.sectors += static_cast<int>(sent.size());
  out.requests += static_cast<int>(lanes_of.size());
  for (const std::uint64_t sector : sent) {
    std::size_t at = 0;
    while (at < static_cast<std::size_t>(out.distinct) && out.sector[at] != sector) ++at;
    if (at == static_cast<std::size_t>(out.distinct)) {
      out.sector[at] = sector;
      out.passes[at] = out.whole[at] = out.alone[at] = 0;
      ++out.distinct;
    }
    ++out.passes[at];
    out.whole[at] += bytes_of[sector] >= kSectorBytes;
    out.alone[at] += lanes_of[sector * kSectorBytes / request_bytes] == 1;
  }
}

}  // namespace

AtomicTraffic atomic_traffic(const WarpAccess& a, bool compare_and_swap, const MemorySpec& spec) {
  AtomicTraffic out;
  std::vector<Lane> left;
  std::set<std::uint64_t> lines;
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
    const std::uint64_t address = a.address[static_cast<std::size_t>(std::countr_zero(rest))];
    const std::uint64_t line = address / spec.line_bytes;
    left.push_back({address, line, spec.l1.index(line) % spec.l1.tag_banks});
    lines.insert(line);
  }
  out.lines = static_cast<int>(lines.size());
  const std::uint64_t request_bytes = compare_and_swap ? spec.line_bytes / 2 : spec.line_bytes;
  while (!left.empty()) send(left, a.bytes, request_bytes, spec, out);
  return out;
}

}  // namespace warpmem::model
