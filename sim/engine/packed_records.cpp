#include "sim/engine/packed_records.hpp"

namespace warpmem::sim {
namespace {

using trace::Record;
using Site = RecordMemory::Site;

// What differs from the expected.
enum Differs : std::uint8_t {
  kSite = 1,
  kBase = 2,
  kStride = 4,
  kMask = 8,
  kListed = 16,
  kOffsets = 32,
  kNotLast = 64  // no difference: the record behind it is to be unpacked with it
};

// Unpacked at a time: enough to make the call cheap, and few to keep for each resident warp.
constexpr std::size_t kRecords = 32, kLanes = 256;

std::uint64_t zigzag(std::uint64_t v) { return v << 1 ^ (v >> 63 ? ~std::uint64_t{0} : 0); }
std::uint64_t unzigzag(std::uint64_t v) { return v >> 1 ^ (v & 1 ? ~std::uint64_t{0} : 0); }

void put(std::vector<std::uint8_t>& out, std::uint64_t v) {
  for (; v >= 0x80; v >>= 7) out.push_back(static_cast<std::uint8_t>(v | 0x80));
  out.push_back(static_cast<std::uint8_t>(v));
}

std::uint64_t get(const std::uint8_t*& in) {
  std::uint64_t v = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *in++;
    v |= std::uint64_t{byte & 0x7fu} << shift;
    if (!(byte & 0x80)) return v;
  }
}

// Where the site stands in the memory; a new one is added at its end.
std::uint32_t place_of(RecordMemory& memory, std::uint32_t number) {
  std::uint32_t i = 0;
  while (i < memory.sites.size() && memory.sites[i].number != number) ++i;
  if (i == memory.sites.size()) memory.sites.emplace_back().number = number;
  return i;
}

bool differing(const std::uint64_t* lane, std::uint64_t base,
               const std::vector<std::uint64_t>& offsets) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < offsets.size(); ++i) any |= (lane[i] - base) ^ offsets[i];
  return any != 0;
}

}  // namespace

PackedRecords::PackedRecords(const Record* records, std::uint32_t count, const std::uint64_t* lanes,
                             std::span<const trace::Site> sites)
    : left_(count) {
  RecordMemory memory;
  for (const Record* r = records; r != records + count; ++r) {
    const std::uint32_t expected = memory.sites.empty() ? 0 : memory.sites[memory.last].next;
    const bool same_site =
        expected < memory.sites.size() && memory.sites[expected].number == r->site;
    const std::uint32_t at = same_site ? expected : place_of(memory, r->site);
    if (!same_site) memory.sites[memory.last].next = at;
    memory.last = at;
    Site& s = memory.sites[at];
    const bool empty = !r->regular() && r->mask == 0;
    const std::uint64_t base = r->regular() ? r->base : empty ? 0 : lanes[r->lanes];
    std::uint8_t differs = same_site ? 0 : kSite;
    if (!empty && base != s.base + s.step) differs |= kBase;
    if (r->stride != s.stride) differs |= kStride;
    if (r->mask != s.mask) differs |= kMask;
    const std::uint64_t* const lane = r->regular() ? nullptr : lanes + r->lanes;
    const auto active = static_cast<std::size_t>(r->regular() ? 0 : r->active());
    if (!r->regular()) {
      differs |= kListed;
      if (s.offsets.size() != active || differing(lane, base, s.offsets)) differs |= kOffsets;
    }
    if (sites[r->site].op == trace::Op::kAsyncCopyRead) differs |= kNotLast;
    bytes_.push_back(differs);
    if (differs & kSite) put(bytes_, at), put(bytes_, r->site);
    if (differs & kStride) put(bytes_, zigzag(static_cast<std::uint64_t>(std::int64_t{r->stride})));
    if (differs & kMask) put(bytes_, r->mask);
    s.stride = r->stride;
    s.mask = r->mask;
    if (empty) continue;
    if (differs & kBase) {
      put(bytes_, zigzag(base - (s.base + s.step)));
      s.step = base - s.base;
    }
    s.base = base;
    if (!(differs & kOffsets)) continue;
    s.offsets.resize(active);
    for (std::size_t i = 0; i < active; ++i) {
      s.offsets[i] = lane[i] - base;
      if (i > 0) put(bytes_, zigzag(s.offsets[i] - s.offsets[i - 1]));
    }
  }
  bytes_.shrink_to_fit();
}

void PackedRecords::next(std::vector<Record>& records, std::vector<std::uint64_t>& lanes) {
  records.clear();
  lanes.clear();
  const std::uint8_t* in = bytes_.data() + at_;
  std::uint8_t differs = 0;
  const auto room = [&] { return records.size() < kRecords && lanes.size() < kLanes; };
  for (; left_ > 0 && (room() || differs & kNotLast); --left_) {
    differs = *in++;
    std::uint32_t at = memory_.sites.empty() ? 0 : memory_.sites[memory_.last].next;
    if (differs & kSite) {
      at = static_cast<std::uint32_t>(get(in));
      const auto number = static_cast<std::uint32_t>(get(in));
      if (at == memory_.sites.size()) memory_.sites.emplace_back().number = number;
      memory_.sites[memory_.last].next = at;
    }
    memory_.last = at;
    Site& s = memory_.sites[at];
    if (differs & kStride) s.stride = static_cast<std::int32_t>(unzigzag(get(in)));
    if (differs & kMask) s.mask = static_cast<std::uint32_t>(get(in));
    Record& r = records.emplace_back();
    r.site = s.number;
    r.stride = s.stride;
    r.mask = s.mask;
    const bool listed = differs & kListed;
    if (listed) r.lanes = static_cast<std::uint32_t>(lanes.size());
    if (listed && r.mask == 0) continue;
    std::uint64_t base = s.base + s.step;
    if (differs & kBase) {
      base += unzigzag(get(in));
      s.step = base - s.base;
    }
    s.base = base;
    if (!listed) {
      r.base = base;
      continue;
    }
    if (differs & kOffsets) {
      s.offsets.assign(static_cast<std::size_t>(r.active()), 0);
      for (std::size_t i = 1; i < s.offsets.size(); ++i)
        s.offsets[i] = s.offsets[i - 1] + unzigzag(get(in));
    }
    const std::size_t first = lanes.size();
    lanes.resize(first + s.offsets.size());
    for (std::size_t i = 0; i < s.offsets.size(); ++i) lanes[first + i] = base + s.offsets[i];
  }
  at_ = static_cast<std::size_t>(in - bytes_.data());
}

}  // namespace warpmem::sim
