#include "host/link/kind.hpp"
#include "host/link/spec.hpp"
#include "model/card/card.hpp"
#include "model/card/spec_of.hpp"

namespace warpmem::model {

template <>
host::LinkSpec spec_of(const Card& card) {
  const CardNumbers& n = card.numbers();
  const auto real = [](std::uint64_t v) { return static_cast<double>(v); };
  const auto rate = [](std::uint64_t mb_s) { return static_cast<double>(mb_s) / 1000; };
  host::LinkSpec s;
  s.wire = host::wire_rate(static_cast<host::LinkKind>(n.link_kind), n.link_lanes);
  s.to_device = rate(n.link_to_device), s.to_host = rate(n.link_to_host);
  s.both = rate(n.link_both);
  s.engines = real(n.link_engines);
  s.pageable_to_device = rate(n.link_pageable_to_device);
  s.pageable_mid = rate(n.link_pageable_mid), s.pageable_far = rate(n.link_pageable_far);
  s.pageable_to_host = rate(n.link_pageable_to_host);
  s.host_near = real(n.link_host_near), s.host_cache = real(n.link_host_cache);
  s.staging = real(n.link_staging);
  s.inline_bytes = real(n.link_inline);
  s.pageable_to_host_ns = real(n.link_pageable_to_host_ns);
  s.copy_to_device_ns = real(n.link_copy_to_device_ns);
  s.copy_to_host_ns = real(n.link_copy_to_host_ns);
  s.turn_ns = real(n.link_turn_ns), s.device_ns = real(n.link_device_ns);
  s.mark_ns = real(n.link_mark_ns), s.change_ns = real(n.link_change_ns);
  s.call_ns = real(n.link_call_ns), s.launch_ns = real(n.link_launch_ns);
  s.submit_ns = real(n.link_submit_ns), s.wake_ns = real(n.link_wake_ns);
  s.kernel_ns = real(n.time_launch_cycles) * 1000 / real(n.clock_mhz);
  // A copy within the GPU reads and writes each byte.
  const double dram = static_cast<double>(n.dram_sectors_per_kilocycle) * 32 / 1000 *
                      static_cast<double>(n.clock_mhz) / 1000;
  s.device_copy = dram / 2, s.fill = dram;
  return s;
}

}  // namespace warpmem::model
