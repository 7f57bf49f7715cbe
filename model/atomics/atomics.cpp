#include "model/atomics/atomics.hpp"

#include <algorithm>
#include <bitset>

#include "model/cache/tag_banks.hpp"

namespace warpmem::model {
namespace {

// `bank_of`: of a line's tag, one of four.
template <class BankOf>
AtomicTraffic traffic(const WarpAccess& access, bool compare_and_swap, LineSize size,
                      std::uint32_t word_bytes, BankOf&& bank_of) {
  constexpr std::uint64_t kNoLine = ~std::uint64_t{0};
  AtomicTraffic t;
  std::array<std::uint64_t, kWarpLanes> lines;  // distinct ones
  std::array<std::uint8_t, kWarpLanes> bank;    // by lane
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    const std::uint64_t line = size.line(access.address[l]);
    bank[l] = static_cast<std::uint8_t>(bank_of(line));
    if (std::find(lines.begin(), lines.begin() + t.lines, line) == lines.begin() + t.lines)
      lines[t.lines++] = line;
  }
  const std::uint64_t request_bytes = compare_and_swap ? size.bytes() / 2 : size.bytes();
  std::uint32_t left = access.mask;
  while (left) {
    std::bitset<128> places;  // that a lane has
    std::array<std::uint64_t, 4> line_of;
    line_of.fill(kNoLine);
    std::array<std::uint64_t, kWarpLanes> sent, asked;
    std::array<std::uint32_t, kWarpLanes> bytes;  // by sector sent
    std::array<int, kWarpLanes> lanes;            // by request
    int sectors = 0, requests = 0;
    for (std::uint32_t rest = left; rest; rest &= rest - 1) {
      const int l = std::countr_zero(rest);
      const std::uint64_t address = access.address[l], line = size.line(address);
      const std::size_t place = std::size_t{bank[l]} * 32 + address % size.bytes() / word_bytes;
      std::uint64_t& taken = line_of[bank[l]];
      if (taken == kNoLine) taken = line;
      const bool has_place = !places[place];
      places.set(place);
      if (!has_place || line != taken) continue;
      left &= ~(1u << l);
      const std::uint64_t sector = address / kSectorBytes, request = address / request_bytes;
      const auto s = std::find(sent.begin(), sent.begin() + sectors, sector) - sent.begin();
      if (s == sectors) sent[sectors] = sector, bytes[sectors++] = 0;
      bytes[static_cast<std::size_t>(s)] += access.bytes;
      const auto r = std::find(asked.begin(), asked.begin() + requests, request) - asked.begin();
      if (r == requests) asked[requests] = request, lanes[requests++] = 0;
      ++lanes[static_cast<std::size_t>(r)];
    }
    t.sectors += sectors;
    t.requests += requests;
    for (int s = 0; s < sectors; ++s) {
      int i = 0;
      while (i < t.distinct && t.sector[i] != sent[s]) ++i;
      if (i == t.distinct) {
        t.sector[i] = sent[s];
        t.passes[i] = t.whole[i] = t.alone[i] = 0;
        ++t.distinct;
      }
      ++t.passes[i];
      t.whole[i] += bytes[s] >= kSectorBytes;
      const auto r = std::find(asked.begin(), asked.begin() + requests,
                               sent[s] * kSectorBytes / request_bytes) -
                     asked.begin();
      t.alone[i] += lanes[static_cast<std::size_t>(r)] == 1;
    }
  }
  return t;
}

}  // namespace

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap) {
  return traffic(access, compare_and_swap, {}, 4, tag_bank);
}

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap, LineSize size,
                             std::uint32_t word_bytes, const SetIndex& sets) {
  return traffic(access, compare_and_swap, size, word_bytes,
                 [&sets](std::uint64_t line) { return sets(line) % 4; });
}

}  // namespace warpmem::model
