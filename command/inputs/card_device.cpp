#include "command/inputs/card_device.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "model/card/ecc.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/card/sm_limits.hpp"
#include "model/card/spec_of.hpp"
#include "sim/engine/cluster_placement.hpp"

namespace warpmem::command {

namespace {

// CUDA says these as ints: a larger number is said as the most that one can say.
int as_int(std::uint64_t v) {
  return static_cast<int>(std::min<std::uint64_t>(v, std::numeric_limits<int>::max()));
}

emulate::WaitClocks waits_of(const model::CardNumbers& n) {
  return {n.emulate_shared_wait, n.emulate_load_wait, n.emulate_atomic_wait, n.emulate_fence_wait};
}

}  // namespace

// A card's numbers as programs ask for them.
cudart::Device device_of(const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  cudart::Device d;
  d.card = card.name();
  d.name = card.full_name();
  for (std::string* text : {&d.card, &d.name})  // which semicolons would end
    std::replace(text->begin(), text->end(), ';', ',');
  std::sscanf(card.compute_capability().c_str(), "%d.%d", &d.major, &d.minor);
  d.sms = as_int(n.sm_count);
  d.sm_warps = as_int(n.sm_warps), d.sm_threads = as_int(n.sm_threads);
  d.sm_ctas = as_int(n.sm_ctas), d.sm_schedulers = as_int(n.sm_schedulers);
  d.sm_registers = as_int(n.sm_registers), d.register_unit = as_int(n.register_unit);
  d.shared_optin = as_int(n.shared_per_cta), d.shared_reserved = as_int(n.shared_reserved),
  d.shared_unit = as_int(n.shared_unit);
  for (const std::uint64_t bytes : n.shared_configs)
    if (bytes > 0) d.shared_configs.push_back(as_int(bytes));
  d.memory_bytes = model::dram_room(n);
  // The driver says a clock of two transfers, whatever the DRAM's own are.
  d.clock_khz = as_int(n.clock_mhz * 1000),
  d.memory_clock_khz = as_int(n.dram_rate_mbps / 2 * 1000), d.bus_bits = as_int(n.dram_bus_bits);
  const bool hbm = model::dram_type_names().at(n.dram_type).starts_with("hbm");
  d.ecc = hbm || model::ecc_in_memory(n) ? 1 : 0;  // HBM's own are always on
  d.waits = waits_of(n);
  d.link = model::spec_of<host::LinkSpec>(card);
  d.l2_bytes = as_int(n.l2_bytes);
  d.rooms.clear();
  if (!n.sm_gpc.empty())
    for (const auto& room : sim::cluster_rooms(card, 1))
      d.rooms.push_back(static_cast<int>(room.size()));
  return d;
}

// Grids and blocks: CUDA programming guide, technical specifications by compute capability.
emulate::DeviceLimits limits_of(const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  const unsigned cc = card.capability();
  emulate::DeviceLimits limits;
  limits.name = card.name();
  limits.block_threads = static_cast<std::uint32_t>(most_cta_threads(cc));
  limits.block = {limits.block_threads, limits.block_threads, 64};
  limits.grid = {static_cast<std::uint32_t>(most_grid_x(cc)), 65535,
                 static_cast<std::uint32_t>(most_grid_z(cc))};
  limits.shared_bytes = static_cast<std::uint32_t>(n.shared_per_cta);
  limits.cluster_ctas = cc < 90 ? 1 : 16;
  limits.memory_bytes = model::dram_room(n);
  limits.sms = static_cast<std::uint32_t>(n.sm_count);
  limits.waits = waits_of(n);
  limits.sm = model::sm_limits(card);
  return limits;
}

}  // namespace warpmem::command
