// The shape of a memory system that does whatever a card says (sectored_shape.hpp says what a shape
// is), and the memory system of it.
#pragma once

#include "model/general/partitioned_l2.hpp"
#include "model/general/sector_cache.hpp"
#include "model/sink/notifying.hpp"
#include "model/system/shaped_memory.hpp"

namespace warpmem::model {

// Whatever a card chooses, with no thought to speed; notifies listeners.
struct AnyShape {
  static constexpr bool kAsCard = true;
  using L1 = SectorCache;
  using L2 = PartitionedL2;
  using Sink = Notifying;
  struct Lines : Transactions::Lines {
    L1::SetTags l1;
    L2::Route route(std::size_t) const { return {}; }
  };
  static const MemorySpec& of_l2(const L2Spec&, const MemorySpec& memory) { return memory; }
};

class GeneralMemory final : public ShapedMemory<AnyShape> {
 public:
  // `flat`: an answer from beyond the L1 takes the same time whatever was found there, so that the
  // order of accesses does not depend on hits. Without time only.
  GeneralMemory(const SystemSpec& spec, bool timed, bool flat = false);
  void listen(EventListener* listener) override;
  void listen_to_caches(CacheListener* listener) override;
  const PartitionTraffic* dram_traffic() const override { return &l2_.traffic(); }
};

// For the files that a ShapedMemory is split into: what each makes, for each shape.
#define WARPMEM_EACH_SHAPE(MAKE)  \
  MAKE(SectoredShape<L2Cache>)    \
  MAKE(SectoredShape<L2Requests>) \
  MAKE(AnyShape)

}  // namespace warpmem::model
