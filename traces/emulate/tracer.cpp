#include "traces/emulate/tracer.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "traces/record/wire.hpp"

namespace warpmem::emulate {

void Tracer::begin_cta(std::uint64_t cta, std::uint32_t warps) {
  Cta c;
  c.number = cta;
  c.warps.resize(warps);
  c.left_out = record::cta_hash(static_cast<std::uint32_t>(cta)) > cta_limit_;
  skipped_ += c.left_out ? 1u : 0u;
  open_.push_back(std::move(c));
}

Tracer::Cta& Tracer::find(std::uint64_t cta) {
  for (auto c = open_.rbegin(); c != open_.rend(); ++c)
    if (c->number == cta) return *c;
  return open_.back();
}

void Tracer::keep_fraction(double fraction) { cta_limit_ = fraction >= 1 ? ~0u : static_cast<std::uint32_t>(fraction * 4294967295.0); }

void Tracer::put(Cta& cta, std::uint32_t warp, const trace::Site& site, trace::Record record) {
  if (last_number_ == ~0u || !(last_site_ == site)) {
    last_number_ = sites_.number_of(site);
    last_site_ = site;
  }
  record.site = last_number_;
  cta.warps[warp].push_back(record);
  ++cta.count;
  ++records_;
}

void Tracer::mark(std::uint64_t number, std::uint32_t warp, const trace::Site& site, std::uint32_t mask, std::uint64_t base, std::int32_t stride) {
  Cta& cta = find(number);
  if (cta.left_out || stopped()) return;
  trace::Record r;
  r.base = base, r.stride = stride, r.mask = mask;
  put(cta, warp, site, r);
}

// A base and a stride when they say it all, else the addresses of the active lanes.
void Tracer::access(std::uint64_t number, std::uint32_t warp, const trace::Site& site, std::uint32_t mask, const std::uint64_t* lanes) {
  Cta& cta = find(number);
  if (cta.left_out || stopped()) return;
  trace::Record r;
  r.mask = mask;
  const int first = std::countr_zero(mask);
  const std::uint32_t rest = mask & (mask - 1);
  std::int64_t stride = 0;
  bool regular = true;
  if (rest != 0) {
    const int second = std::countr_zero(rest);
    const auto distance = static_cast<std::int64_t>(lanes[second] - lanes[first]);
    stride = distance / (second - first);
    regular = stride * (second - first) == distance && stride >= std::numeric_limits<std::int32_t>::min() && stride <= std::numeric_limits<std::int32_t>::max();
    if (regular && mask == ~0u) {
      std::uint64_t different = 0;
      for (std::uint32_t l = 0; l < 32; ++l) different |= lanes[l] ^ (lanes[0] + static_cast<std::uint64_t>(stride) * l);
      regular = different == 0;
    } else if (regular) {
      for (std::uint32_t left = rest; left && regular; left &= left - 1) {
        const int l = std::countr_zero(left);
        regular = lanes[l] == lanes[first] + static_cast<std::uint64_t>(stride * (l - first));
      }
    }
  }
  if (regular) {
    r.base = lanes[first] - static_cast<std::uint64_t>(stride * first);
    r.stride = static_cast<std::int32_t>(stride);
  } else {
    r.lanes = static_cast<std::uint32_t>(cta.lanes.size());
    for (std::uint32_t left = mask; left; left &= left - 1) cta.lanes.push_back(lanes[std::countr_zero(left)]);
  }
  put(cta, warp, site, r);
}

Tracer Tracer::collector() const { return Tracer(cta_limit_); }

// Sites get the numbers that they would have got in order: those a chunk brings are new in the order
// in which its CTA met them.
Result<void> Tracer::take(Tracer& collected) {
  std::vector<std::uint32_t> numbers;
  for (Chunk& chunk : collected.chunks_) {
    while (numbers.size() < chunk.sites) numbers.push_back(sites_.number_of(collected.sites_.sites()[numbers.size()]));
    for (auto& warp : chunk.cta.warps)
      for (trace::Record& r : warp) r.site = numbers[r.site];
    if (auto ok = add(chunk.cta); !ok) return ok;
  }
  records_ += collected.records_;
  skipped_ += collected.skipped_;
  collected.chunks_.clear();
  return {};
}

Result<void> Tracer::add(Cta& cta) {
  if (!writer_) {
    Cta rest;
    rest.number = cta.number, rest.left_out = cta.left_out;
    rest.warps.resize(cta.warps.size());
    std::swap(rest, cta);
    chunks_.push_back({std::move(rest), sites_.size()});
    return {};
  }
  for (std::uint32_t w = 0; w < cta.warps.size(); ++w) {
    if (cta.warps[w].empty()) continue;
    builder_.add(cta.number, w, cta.warps[w], sites_.sites(), cta.lanes);
    cta.warps[w].clear();
    if (!builder_.full()) continue;
    if (auto ok = writer_->append(builder_.take()); !ok) return ok;
  }
  cta.lanes.clear();
  cta.count = 0;
  return {};
}

Result<void> Tracer::end_cta(std::uint64_t number) {
  Cta& cta = find(number);
  if (auto ok = add(cta); !ok) return ok;
  open_.erase(open_.begin() + (&cta - open_.data()));
  return {};
}

Result<void> Tracer::flush_if_large(std::uint64_t number) {
  Cta& cta = find(number);
  return cta.count > 100000 ? add(cta) : Result<void>{};
}

Result<void> Tracer::finish() {
  for (Cta& cta : open_)
    if (auto ok = add(cta); !ok) return ok;
  open_.clear();
  return builder_.empty() ? Result<void>{} : writer_->append(builder_.take());
}

}  // namespace warpmem::emulate
