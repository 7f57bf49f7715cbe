// What memory systems have in common that do one access after the other, with no thought to speed:
// what stands around an access, host memory, and who hears of events.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "model/sink/events.hpp"
#include "model/system/memory_system.hpp"

namespace warpmem::model {

class AccessByAccess : public MemorySystem {
 public:
  void run(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) final;
  void tell(EventListener* listener) override { listener_ = listener; }

 protected:
  AccessByAccess(std::uint32_t line_bytes, std::unique_ptr<MemoryPath> path)
      : line_bytes_(line_bytes) {
    path_ = std::move(path);
  }

  // The access itself, of some lanes; `timing` begins with it.
  virtual void access(const WarpLanes& lanes, const AccessPlan& plan, AccessTiming& timing) = 0;
  // The SM's L1 forgets its lines of local memory.
  virtual void empty_local(AccessTiming& timing) = 0;

  void happens(EventKind kind, Level level, const AccessTiming& t, std::uint64_t n,
               std::uint64_t line = 0) const {
    if (listener_ && n > 0) listener_->event({kind, level, line * line_bytes_, n, t.sm});
  }
  bool in_host_memory(std::uint64_t line) const;

  EventListener* listener_ = nullptr;
  CacheListener* caches_told_ = nullptr;
  std::vector<AddressRange> host_;

 private:
  std::uint32_t line_bytes_;
};

}  // namespace warpmem::model
