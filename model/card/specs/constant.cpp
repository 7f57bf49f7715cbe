#include "model/constant/spec.hpp"

#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"
#include "model/card/specs/u32.hpp"

namespace warpmem::model {
template <>
ConstantSpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  ConstantSpec s;
  s.bytes = u32(n.constant_bytes);
  s.line = u32(n.constant_line);
  s.ways = u32(n.constant_ways);
  s.group_bytes = u32(n.constant_group_bytes);
  s.group_line = u32(n.constant_group_line);
  s.group_cycles = u32(n.constant_group_cycles);
  s.memory_cycles = u32(n.constant_memory_cycles);
  s.next_cycles = u32(n.constant_next_cycles);
  s.address_cycles = u32(n.constant_address_cycles);
  s.misses = u32(n.constant_misses);
  s.sm_group = n.sm_gpc;
  return s;
}

}  // namespace warpmem::model
