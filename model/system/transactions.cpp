#include "model/system/transactions.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace warpmem::model {
namespace {

void add(std::uint64_t line, std::uint8_t sectors, LineList& out) {
  const auto at = static_cast<std::size_t>(out.count++);
  out.line[at] = line;
  out.sectors[at] = sectors;
  out.full[at] = 0;
  out.bytes[at] = {};
}

std::uint64_t line_of(const Transaction& t, const MemorySpec& spec) {
  return t.address / spec.line_bytes;
}

// The sectors of a line that a transaction moves.
std::uint8_t sectors_of(const Transaction& t, const MemorySpec& spec) {
  const auto first = static_cast<unsigned>(t.address % spec.line_bytes / kSectorBytes);
  return static_cast<std::uint8_t>(((1u << t.bytes / kSectorBytes) - 1) << first);
}

bool by_requests(const MemorySpec& spec) { return spec.access == AccessRule::kSubRequests; }

// Stores of 5.x and 6.x count in the distinct sectors of the warp.
AccessRule rule_of_stores(const MemorySpec& spec) {
  return by_requests(spec) ? AccessRule::kSectors : spec.access;
}

// What lanes write of each transaction.
void add_written(const WarpAccess& a, const std::vector<Transaction>& moves, const MemorySpec& spec,
                 LineList& out) {
  const LineSize size(spec.line_bytes);
  for (std::size_t i = 0; i < moves.size(); ++i) {
    const Transaction& m = moves[i];
    for (std::uint32_t rest = m.lanes; rest; rest &= rest - 1) {
      const auto l = static_cast<std::size_t>(std::countr_zero(rest));
      // The part of the lane's word that this transaction writes.
      const std::uint64_t from = std::max(a.address[l], m.address);
      const std::uint64_t to = std::min(a.address[l] + a.bytes, m.address + m.bytes);
      for (std::uint64_t at = from; at < to;) {
        const std::uint64_t end = std::min(to, (at / kSectorBytes + 1) * kSectorBytes);
        out.bytes[i][size.sector(at)] |= bytes_in_sector(at, end - at);
        at = end;
      }
    }
    out.full[i] = full_sectors(out.bytes[i]);
  }
}

}  // namespace

void Transactions::list(const MemorySpec& spec, AccessRule rule, const WarpAccess& a,
                        bool whole_lines, Lines& out) {
  list_transactions({rule, spec.line_bytes, whole_lines}, a, moves);
  out.count = 0;
  out.transactions = static_cast<std::uint32_t>(moves.size());
  out.distinct = 0;
  std::size_t group = 0;  // its first transaction
  for (std::size_t i = 0; i < moves.size(); ++i) {
    if (moves[i].group != moves[group].group) group = i;
    add(line_of(moves[i], spec), sectors_of(moves[i], spec), out);
    const auto own = out.line.begin() + static_cast<std::ptrdiff_t>(i);
    out.distinct +=
        std::find(out.line.begin() + static_cast<std::ptrdiff_t>(group), own, *own) == own;
  }
}

// On 5.x and 6.x requests of one instruction that want the same sectors share them in flight
// past the L1 (columns of two words a sector move half of what requests alone would: gld_efficiency
// of 25 % on 6.1 for blocks of 16 x 16, and not 12.5 %). Before, each transaction moves by itself.
void Transactions::load(const MemorySpec& spec, const WarpAccess& a, bool l1, bool past,
                        Lines& out) {
  const bool whole = l1 && spec.l1.fill_sectors == spec.l1.sectors;
  list(spec, spec.access, a, whole, out);
  if (!past || !by_requests(spec)) return;
  out.count = 0;
  for (const Transaction& t : moves) {
    const auto end = out.line.begin() + out.count;
    const auto at = std::find(out.line.begin(), end, line_of(t, spec));
    if (at == end) add(line_of(t, spec), sectors_of(t, spec), out);
    else out.sectors[static_cast<std::size_t>(at - out.line.begin())] |= sectors_of(t, spec);
  }
}

// … and stores travel by line.
void Transactions::store(const MemorySpec& spec, const WarpAccess& a, Lines& out) {
  list(spec, rule_of_stores(spec), a, false, out);
  if (by_requests(spec)) touch_lines(a, true, out, LineSize(spec.line_bytes));
  else add_written(a, moves, spec, out);
}

void Transactions::local(const MemorySpec& spec, const WarpAccess& word, bool cached, Lines& out) {
  const bool whole = cached && spec.l1.fill_sectors == spec.l1.sectors;
  list(spec, rule_of_stores(spec), word, whole, out);
  if (cached) touch_lines(word, true, out, LineSize(spec.line_bytes));
  else add_written(word, moves, spec, out);
}

AtomicTraffic atomic_transactions(const WarpAccess& a, std::uint32_t line_bytes) {
  std::map<std::uint64_t, int> of_word, of_sector;  // lanes; passes
  std::set<std::uint64_t> lines;
  for (std::uint32_t rest = a.mask; rest; rest &= rest - 1) {
    const std::uint64_t at = a.address[static_cast<std::size_t>(std::countr_zero(rest))];
    int& passes = of_sector[at / kSectorBytes];
    passes = std::max(passes, ++of_word[at]);
    lines.insert(at / line_bytes);
  }
  AtomicTraffic out;
  out.lines = static_cast<int>(lines.size());
  out.requests = static_cast<int>(of_sector.size());
  for (const auto& [sector, passes] : of_sector) {
    const auto at = static_cast<std::size_t>(out.distinct++);
    out.sector[at] = sector;
    out.passes[at] = passes;
    out.whole[at] = out.alone[at] = 0;
    out.sectors += passes;
  }
  return out;
}

}  // namespace warpmem::model
