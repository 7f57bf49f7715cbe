#include "tests/twin/access.hpp"

#include <algorithm>

namespace warpmem::twin {

Access access_of(const trace::Record& r, std::uint32_t bytes, const std::uint64_t* lane_table) {
  Access a;
  a.bytes = bytes;
  for (std::uint32_t l = 0; l < 32; ++l) {
    if (!(r.mask >> l & 1)) continue;
    const std::uint64_t address =
        r.regular() ? r.base + static_cast<std::uint64_t>(std::int64_t{r.stride} * l)
                    : lane_table[r.lanes + a.lanes.size()];
    a.lanes.push_back({l, address});
  }
  return a;
}

Sectors Touch::sectors() const {
  Sectors all = 0;
  for (std::size_t s = 0; s < kMostSectors; ++s)
    if (bytes[s] != 0) all |= 1u << s;
  return all;
}

Sectors Touch::full(const TwinSpec& spec) const {
  Sectors all = 0;
  for (std::size_t s = 0; s < spec.sectors(); ++s)
    if (bytes[s] == ~0u >> (32 - spec.sector_bytes)) all |= 1u << s;
  return all;
}

Touch Touch::whole_sectors() const {
  Touch whole = *this;
  for (std::uint32_t& sector : whole.bytes)
    if (sector != 0) sector = ~0u;
  return whole;
}

void Touch::add(std::uint64_t address, const TwinSpec& spec) {
  const std::uint64_t in_line = address % spec.line_bytes;
  bytes[in_line / spec.sector_bytes] |= 1u << in_line % spec.sector_bytes;
}

void Touches::add(std::uint64_t address, std::uint64_t bytes) {
  for (; bytes > 0; ++address, --bytes) {
    const std::uint64_t line = address / spec_.line_bytes;
    if (latest_ == lines_.size() || lines_[latest_].line != line) {
      const auto there = std::find_if(lines_.begin(), lines_.end(),
                                      [line](const Touch& t) { return t.line == line; });
      latest_ = static_cast<std::size_t>(there - lines_.begin());
      if (there == lines_.end()) lines_.push_back({line, {}});
    }
    lines_[latest_].add(address, spec_);
  }
}

std::uint64_t Touches::sectors() const {
  std::uint64_t n = 0;
  for (const Touch& t : lines_) n += count(t.sectors());
  return n;
}

Touches touches_of(const Access& access, const TwinSpec& spec) {
  Touches out(spec);
  for (const Lane& lane : access.lanes) out.add(lane.address, access.bytes);
  return out;
}

}  // namespace warpmem::twin
