#include "model/atomics.hpp"

#include <algorithm>
#include <bitset>

#include "model/tag_banks.hpp"

namespace warpmem::model {
namespace {

// One line of a request and the lanes on it.
struct Group {
  std::uint64_t line = 0;
  std::uint32_t lanes = 0;
  std::uint32_t turn = 0;  // which pass of the tag stage takes it
};

}  // namespace

AtomicTraffic atomic_traffic(const WarpAccess& access, bool compare_and_swap) {
  AtomicTraffic t;
  std::array<Group, kWarpLanes> group;
  std::array<std::uint32_t, 4> in_bank{};  // lines of each tag bank so far
  std::uint32_t turns = 0;
  for (std::uint32_t rest = access.mask; rest; rest &= rest - 1) {
    const int l = std::countr_zero(rest);
    const std::uint64_t line = access.address[l] / kLineBytes;
    int i = 0;
    while (i < t.lines && group[i].line != line) ++i;
    if (i == t.lines) {
      group[i] = {line, 0, in_bank[tag_bank(line)]++};
      turns = std::max(turns, group[i].turn + 1);
      ++t.lines;
    }
    group[i].lanes |= 1u << l;
  }
  const std::uint64_t request_bytes = compare_and_swap ? kLineBytes / 2 : kLineBytes;
  for (std::uint32_t turn = 0; turn < turns; ++turn) {
    std::uint32_t left = 0;
    for (int i = 0; i < t.lines; ++i)
      if (group[i].turn == turn) left |= group[i].lanes;
    while (left) {
      std::bitset<128> banks;  // of this round
      std::array<std::uint64_t, kWarpLanes> sent, asked;
      int sectors = 0, requests = 0;
      for (std::uint32_t rest = left; rest; rest &= rest - 1) {
        const int l = std::countr_zero(rest);
        const std::uint64_t address = access.address[l];
        if (banks[address / 4 % 128]) continue;
        banks.set(address / 4 % 128);
        left &= ~(1u << l);
        const std::uint64_t sector = address / kSectorBytes, request = address / request_bytes;
        if (std::find(sent.begin(), sent.begin() + sectors, sector) == sent.begin() + sectors) sent[sectors++] = sector;
        if (std::find(asked.begin(), asked.begin() + requests, request) == asked.begin() + requests) asked[requests++] = request;
      }
      t.sectors += sectors;
      t.requests += requests;
      for (int s = 0; s < sectors; ++s) {
        int i = 0;
        while (i < t.distinct && t.sector[i] != sent[s]) ++i;
        if (i == t.distinct) {
          t.sector[i] = sent[s];
          t.passes[i] = 0;
          ++t.distinct;
        }
        ++t.passes[i];
      }
    }
  }
  return t;
}

}  // namespace warpmem::model
