// What an SM of a card holds of a launch's CTAs, for base/residency.hpp.
#pragma once

#include "base/residency.hpp"
#include "model/card/card.hpp"

namespace warpmem::model {

inline SmLimits sm_limits(const Card& card) {
  const CardNumbers& n = card.numbers();
  return {.warps = n.sm_warps,
          .threads = n.sm_threads,
          .ctas = n.sm_ctas,
          .registers = n.sm_registers,
          .register_unit = n.register_unit,
          .shared = n.shared_configs.back(),
          .shared_reserved = n.shared_reserved,
          .shared_unit = n.shared_unit,
          .schedulers = n.sm_schedulers,
          .cta_shared = n.shared_per_cta,
          .capability = card.capability()};
}

}  // namespace warpmem::model
