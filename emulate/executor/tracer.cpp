#include "emulate/executor/tracer.hpp"

#include <algorithm>

#include "emulate/executor/lane_addresses.hpp"
#include "traces/format/cta_choice.hpp"

namespace warpmem::emulate {
namespace {

constexpr std::size_t kPiece = 100'000;                   // records of a CTA
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // of all CTAs that are open

}  // namespace

void Tracer::begin_cta(std::uint64_t cta, std::uint32_t warps) {
  Cta c;
  c.number = cta;
  c.warps.resize(warps);
  c.left_out = trace::cta_hash(static_cast<std::uint32_t>(cta)) > cta_limit_;
  skipped_ += c.left_out ? 1u : 0u;
  open_.push_back(std::move(c));
}

Tracer::Cta& Tracer::find(std::uint64_t cta) {
  if (last_found_ < open_.size() && open_[last_found_].number == cta) return open_[last_found_];
  for (last_found_ = open_.size() - 1; last_found_ > 0 && open_[last_found_].number != cta;)
    --last_found_;
  return open_[last_found_];
}

void Tracer::keep_fraction(double fraction) {
  cta_limit_ = fraction >= 1 ? ~0u : static_cast<std::uint32_t>(fraction * 4294967295.0);
}

void Tracer::put(Cta& cta, std::uint32_t warp, const trace::Site& site, trace::Record record) {
  if (last_number_ == ~0u || !(last_site_ == site)) {
    last_number_ = sites_->number_of(site);
    last_site_ = site;
  }
  record.site = last_number_;
  cta.warps[warp].push_back(record);
  ++cta.count;
  ++records_;
}

void Tracer::mark(std::uint64_t number, std::uint32_t warp, const trace::Site& site,
                  std::uint32_t mask, std::uint64_t base, std::int32_t stride) {
  Cta& cta = find(number);
  if (cta.left_out || stopped()) return;
  trace::Record r;
  r.base = base, r.stride = stride, r.mask = mask;
  put(cta, warp, site, r);
}

void Tracer::access(std::uint64_t number, std::uint32_t warp, const trace::Site& site,
                    std::uint32_t mask, const std::uint64_t* lanes) {
  Cta& cta = find(number);
  if (cta.left_out || stopped()) return;
  put(cta, warp, site, pack_lanes(mask, lanes, cta.lanes));
}

void Tracer::piece(std::uint64_t number, std::uint32_t warp, const trace::Site& site,
                   std::uint32_t lane, std::uint64_t address, trace::Piece piece) {
  Cta& cta = find(number);
  if (cta.left_out || stopped()) return;
  put(cta, warp, site, trace::piece_record(lane, address, piece));
}

void Tracer::rounds(std::uint64_t cta, std::uint32_t warp, std::uint32_t pc, std::uint32_t mask,
                    std::uint64_t taken) {
  mark(cta, warp, {pc, trace::Op::kRounds, trace::Space::kNone, 0}, mask, taken, 0);
}

Tracer Tracer::collector() const { return Tracer(cta_limit_); }

// Sites get the numbers that they would have got in order: those a chunk brings are new in the
// order in which its CTA met them.
Result<void> Tracer::take(Tracer& collected) {
  std::vector<std::uint32_t> numbers;
  for (Chunk& chunk : collected.chunks_) {
    while (numbers.size() < chunk.sites)
      numbers.push_back(sites_->number_of(collected.sites_->sites()[numbers.size()]));
    for (auto& warp : chunk.cta.warps)
      for (trace::Record& r : warp) r.site = numbers[r.site];
    if (auto ok = write(chunk.cta); !ok) return ok;
  }
  records_ += collected.records_;
  skipped_ += collected.skipped_;
  collected.chunks_.clear();
  return {};
}

Result<void> Tracer::add(Cta& cta) {
  open_bytes_ -= cta.bytes;
  cta.bytes = 0;
  return write(cta);
}

Result<void> Tracer::write(Cta& cta) {
  if (!append_) {
    Cta rest;
    rest.number = cta.number, rest.left_out = cta.left_out;
    rest.warps.resize(cta.warps.size());
    std::swap(rest, cta);
    chunks_.push_back({std::move(rest), sites_->size()});
    return {};
  }
  for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
    if (cta.warps[w].empty()) continue;
    builder_.add(cta.number, w, cta.warps[w], sites_->sites(), cta.lanes);
    cta.warps[w].clear();
    if (!builder_.full()) continue;
    if (auto ok = append_(builder_.take()); !ok) return ok;
  }
  cta.lanes.clear();
  cta.count = 0;
  return {};
}

Result<void> Tracer::end_cta(std::uint64_t number) {
  Cta& cta = find(number);
  if (auto ok = add(cta); !ok) return ok;
  std::swap(cta, open_.back());
  open_.pop_back();
  return {};
}

Result<void> Tracer::flush_if_large(std::uint64_t number) {
  Cta& cta = find(number);
  if (cta.count > kPiece) return add(cta);
  const std::size_t bytes =
      cta.count * sizeof(trace::Record) + cta.lanes.size() * sizeof(std::uint64_t);
  open_bytes_ += bytes - cta.bytes;
  cta.bytes = bytes;
  while (open_bytes_ > kMostBytes) {
    Cta& largest = *std::ranges::max_element(open_, {}, &Cta::bytes);
    if (auto ok = add(largest); !ok) return ok;
  }
  return {};
}

Result<void> Tracer::finish() {
  for (Cta& cta : open_)
    if (auto ok = add(cta); !ok) return ok;
  open_.clear();
  return builder_.empty() ? Result<void>{} : append_(builder_.take());
}

}  // namespace warpmem::emulate
