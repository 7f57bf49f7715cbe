#include "emulate/mapping/sass_trace.hpp"

#include <algorithm>
#include <bit>

#include "emulate/mapping/lane_addresses.hpp"

namespace warpmem::emulate {
namespace {

using What = MappedSite::What;
using trace::Record;

bool is_access(const trace::Site& s) {
  return s.op != trace::Op::kCtaBegin && s.op != trace::Op::kCtaEnd;
}

}  // namespace

const SassTrace::Known& SassTrace::known(std::uint32_t number) {
  while (known_.size() <= number) {
    Known k;
    k.site = sites_.sites()[known_.size()];
    const std::uint32_t statement = k.site.pc / 16;
    k.marker = k.site.bytes == kBackEdgeBytes;
    k.side = k.site.bytes == kTookBytes || k.site.bytes == kPassedBytes;
    if (k.site.op == trace::Op::kRounds) {
      k.rounds = &map_.rounds[statement];
      k.mapped = &map_.sites[statement];
    } else if (k.marker) k.back_edge = map_.back_edges[statement];
    else if (!k.side && is_access(k.site) && statement < map_.sites.size())
      k.mapped = &map_.sites[statement];
    known_.push_back(std::move(k));
  }
  return known_[number];
}

void SassTrace::apply(std::vector<Record>& records, std::vector<std::uint64_t>& lanes) {
  lanes_ = &lanes;
  out_.clear();
  // Those of a loop that was unrolled with its accesses say nothing that these do not.
  if (!map_.back_edges.empty())
    std::erase_if(records, [&](const Record& r) {
      const Known& k = known(r.site);
      return k.rounds && map_.back_edges[k.site.pc / 16] >= 2;
    });
  if (!map_.told.empty()) sink(records);
  out_.reserve(records.size());
  // Site numbers beyond these are machine instructions', which this warp's records do not have.
  for (std::size_t i = 0; i < records.size(); ++i) {
    const Known& k = known(records[i].site);
    if (k.rounds) {
      add_rounds(records[i], k);
      continue;
    }
    const std::uint32_t loop = k.marker   ? k.back_edge >= 2 ? k.back_edge - 2 : kNowhere
                               : k.mapped ? k.mapped->loop
                                          : kNowhere;
    if (loop == kNowhere) {
      if (k.marker) continue;  // of a loop around an unrolled one: it has ended that loop's run
      const std::span<const Record> pieces = pieces_behind(records, i);
      add_plain(records[i], pieces, k);
      i += pieces.size();
      continue;
    }
    if (k.mapped) enter(k.mapped->function);
    const std::uint32_t position = k.mapped ? k.mapped->position : 0;
    if (!map_.loops[loop].is_straight() || (!window_.empty() && position <= last_position_))
      close_window();
    std::size_t end = i;
    for (; end < records.size(); ++end) {
      const Known& next = known(records[end].site);
      const bool inside = next.marker ? next.back_edge == 2 + loop
                                      : next.mapped && (next.mapped->loop == loop ||
                                                        next.mapped->what == What::kGone);
      if (!inside) break;
    }
    run_loop(records, i, end, loop);
    i = end - 1;
  }
  close_window();
  std::swap(records, out_);
}

void SassTrace::sink(std::vector<Record>& records) {
  std::size_t left = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    Record r = records[i];
    const Known& k = known(r.site);
    if (k.side) continue;
    if (k.mapped && !k.rounds && k.mapped->sunk != kNowhere) {
      const trace::Site side = side_site(16 * k.mapped->sunk, k.mapped->sunk_to_taken);
      std::uint32_t went = 0;
      for (std::size_t j = i + 1; j < records.size() && records[j].site != r.site; ++j)
        if (known(records[j].site).site == side) went |= records[j].mask;
      leave(r, went);
      if (r.mask == 0) continue;
    }
    records[left++] = r;
  }
  records.resize(left);
}

void SassTrace::leave(Record& r, std::uint32_t mask) {
  mask &= r.mask;
  if (mask != r.mask && mask != 0 && !r.regular()) {
    std::size_t lane = r.lanes;
    r.lanes = static_cast<std::uint32_t>(lanes_->size());
    for (std::uint32_t rest = r.mask; rest; rest &= rest - 1, ++lane)
      if (rest & (0u - rest) & mask) lanes_->push_back(std::uint64_t{(*lanes_)[lane]});
  }
  r.mask = mask;
}

bool SassTrace::is_further(const Record& r) {
  const trace::Op op = known(r.site).site.op;
  return op == trace::Op::kTexel || (is_bulk(op) && piece_of(r) == trace::Piece::kFurther);
}

std::span<const Record> SassTrace::pieces_behind(const std::vector<Record>& records,
                                                 std::size_t i) {
  std::size_t end = i + 1;
  while (end < records.size() && is_further(records[end])) ++end;
  return std::span(records).subspan(i + 1, end - i - 1);
}

void SassTrace::enter(std::uint32_t function) {
  if (function == kNowhere || function == function_) return;
  close_window();
  function_ = function;
}

// The record with every address so many bytes on.
Record SassTrace::moved(const Record& record, std::int64_t bytes) {
  Record r = record;
  const auto by = static_cast<std::uint64_t>(bytes);
  if (r.regular()) {
    r.base += by;
    return r;
  }
  std::uint64_t address[32] = {};
  for (std::uint32_t left = r.mask; left; left &= left - 1) {
    const auto l = static_cast<std::uint32_t>(std::countr_zero(left));
    address[l] = lane_address(r, l, *lanes_) + by;
  }
  r = pack_lanes(r.mask, address, *lanes_);
  r.site = record.site;
  return r;
}

void SassTrace::emit(const Item& item) {
  emit(item, item.record);
  for (const Record& r : item.pieces) emit(item, r);
}

void SassTrace::emit(const Item& item, Record r) {
  Known& k = known_[r.site];
  std::uint32_t pc = 0, bytes = k.site.bytes;
  if (item.kept || !item.access) {
    pc = map_.ptx_zone + 16 * item.statement;
    ++counts_.kept;
  } else {
    pc = item.access->pc;
    if (item.access->bytes > bytes || item.access->narrow) bytes = item.access->bytes;
    if (item.access->skipped != 0) r = moved(r, item.access->skipped);
    if (!k.rounds) ++counts_.mapped;
  }
  const auto found = std::find_if(k.numbers.begin(), k.numbers.end(),
                                  [&](const auto& n) { return n.first == pc; });
  if (found != k.numbers.end()) {
    r.site = found->second;
  } else {
    trace::Site site = k.site;
    site.pc = pc, site.bytes = bytes;
    if (item.access && !item.kept && item.access->load) site.op = trace::Op::kLoad;
    else if (item.access && !item.kept &&
             (site.op == trace::Op::kAtomic || site.op == trace::Op::kReduction))
      site.op = item.access->reduction ? trace::Op::kReduction : trace::Op::kAtomic;
    r.site = sites_.number_of(site);
    k.numbers.emplace_back(pc, r.site);
  }
  out_.push_back(r);
}

}  // namespace warpmem::emulate
