#include "command/card_device.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "sim/engine/cluster_placement.hpp"

namespace warpmem::command {

// What a card says of a GPU as programs see it. What cards do not hold stays an H200's.
cudart::Device device_of(const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  cudart::Device d;
  d.card = card.name();
  d.name = card.full_name();
  for (std::string* text : {&d.card, &d.name})  // which semicolons would end
    std::replace(text->begin(), text->end(), ';', ',');
  std::sscanf(card.compute_capability().c_str(), "%d.%d", &d.major, &d.minor);
  d.sms = static_cast<int>(n.sm_count);
  d.sm_threads = static_cast<int>(n.sm_threads), d.sm_ctas = static_cast<int>(n.sm_ctas),
  d.sm_registers = static_cast<int>(n.sm_registers);
  d.shared_optin = static_cast<int>(n.shared_per_cta),
  d.shared_reserved = static_cast<int>(n.shared_reserved);
  if (!n.shared_configs.empty()) d.shared_sm = static_cast<int>(n.shared_configs.back());
  // cudaDeviceProp::l2CacheSize is an int: a larger L2 is said as the most that it can say.
  d.l2_bytes =
      static_cast<int>(std::min<std::uint64_t>(n.l2_bytes, std::numeric_limits<int>::max()));
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
  limits.block_threads = cc < 20 ? 512 : 1024;
  limits.block = cc < 20 ? Dim3{512, 512, 64} : Dim3{1024, 1024, 64};
  limits.grid = {cc < 30 ? 65535u : 0x7fffffffu, 65535, cc < 20 ? 1u : 65535u};
  limits.shared_bytes = static_cast<std::uint32_t>(n.shared_per_cta);
  limits.cluster_ctas = cc < 90 ? 1 : 16;
  limits.sms = static_cast<std::uint32_t>(n.sm_count);
  limits.sm = {n.sm_warps,        n.sm_threads,    n.sm_ctas,
               n.sm_registers,    n.register_unit, n.shared_configs.back(),
               n.shared_reserved, n.shared_unit,   n.sm_schedulers};
  return limits;
}

}  // namespace warpmem::command
