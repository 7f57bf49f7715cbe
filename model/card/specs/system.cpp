#include "model/system/spec.hpp"

#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"

namespace warpmem::model {
namespace {

SmSpec sm_of(const CardNumbers& n, bool early) {
  SmSpec s;
  s.count = static_cast<std::uint32_t>(n.sm_count);
  s.warps = n.sm_warps;
  s.latency_l1 = n.latency_l1;
  s.latency_shared = n.latency_shared;
  s.latency_conflict = n.latency_conflict;
  s.latency_texture = n.latency_texture;
  s.latency_texture_miss = n.latency_texture_miss > 0 ? n.latency_texture_miss : n.latency_texture;
  if (early) return s;
  s.latency_coordinates = n.latency_coordinates;
  s.latency_filter = n.latency_filter;
  s.latency_remote = n.latency_remote;
  s.latency_l2 = n.latency_l2_near;
  s.remote_read = n.remote_read;
  s.remote_write = n.remote_write;
  s.queue_cycles = n.time_queue_cycles;
  s.bulk_cycles = n.bulk_cycles;
  s.warp_start = n.shared_warp_start;
  s.bulk_read = n.shared_bulk_read;
  s.bulk_write = n.shared_bulk_write;
  s.async_write = n.shared_async_write;
  return s;
}

}  // namespace

template <>
SystemSpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  SystemSpec s;
  s.memory = spec_of<MemorySpec>(card);
  s.path = spec_of<MemoryPathSpec>(card);
  const bool early = s.memory.moves_transactions();
  s.sm = sm_of(n, early);
  s.launch = {n.launch_l2_read_sectors, n.launch_dram_read_sectors};
  if (early) return s;
  s.launch.fabric = n.launch_fabric_sectors;
  s.launch.dirty = n.launch_dirty_sectors;
  s.l2 = spec_of<L2Spec>(card);
  return s;
}

}  // namespace warpmem::model
