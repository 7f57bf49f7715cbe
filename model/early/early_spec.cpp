#include "model/early/early_spec.hpp"

#include <algorithm>
#include <bit>

namespace warpmem::model {
namespace {

std::uint32_t u32(std::uint64_t n) { return static_cast<std::uint32_t>(n); }

}  // namespace

void shape_sets(std::uint64_t lines, std::uint32_t sets, std::uint32_t ways,
                LineCache::Shape& shape) {
  if (sets == 0) sets = std::bit_floor(u32(lines / std::max(1u, ways)));
  // Less than one set is one of fewer ways.
  shape.sets = lines == 0 ? 0 : std::max(1u, std::min(sets, std::bit_floor(u32(lines))));
  shape.ways = shape.sets == 0 ? 0 : u32(lines / shape.sets);
  shape.wider = shape.sets == 0 ? 0 : u32(lines % shape.sets);
}

LineCache::Shape EarlySpec::l1_beside(std::uint64_t shared_config) const {
  LineCache::Shape shape = l1;
  const std::uint64_t taken = shared_config + l1_reserved;
  shape_sets(taken >= l1_bytes ? 0 : (l1_bytes - taken) / line_bytes, l1_sets, l1_ways, shape);
  return shape;
}

}  // namespace warpmem::model
