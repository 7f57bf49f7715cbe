// Counts, and notifies listeners of what happens in front of the L2 (events.hpp,
// cache_listener.hpp).
#pragma once

#include <cstdint>

#include "model/sink/cache_listener.hpp"
#include "model/sink/counting.hpp"
#include "model/sink/events.hpp"

namespace warpmem::model {

class Notifying : public Counting {
 public:
  explicit Notifying(std::uint32_t line_bytes) : Counting(line_bytes), line_bytes_(line_bytes) {}
  void listen(EventListener* listener) { listener_ = listener; }
  void listen_to_caches(CacheListener* listener) { caches_ = listener; }
  CacheListener* caches() const { return caches_; }

  void begins(const AccessPlan& plan, const AccessTiming& t) {
    if (caches_) caches_->begin(plan, t);
  }
  void ends(const AccessTiming& t) { happens(EventKind::kWait, Level::kL1, t, t.done - t.now); }

  void asks(const AccessTiming& t, std::uint64_t n) {
    happens(EventKind::kRequest, Level::kL1, t, n);
  }
  void load_found(const AccessTiming& t, std::uint64_t line, std::uint64_t asked,
                  std::uint64_t missed) {
    Counting::load_found(t, line, asked, missed);
    happens(EventKind::kLookup, Level::kL1, t, asked, line);
    happens(EventKind::kHit, Level::kL1, t, asked - missed, line);
    happens(EventKind::kMiss, Level::kL1, t, missed, line);
  }
  void stores_line(const AccessTiming& t, std::uint64_t line, std::uint64_t sectors) {
    happens(EventKind::kWrite, Level::kL1, t, sectors, line);
  }
  void data_passes(const AccessTiming& t, std::uint64_t passes) {
    happens(EventKind::kBankPass, Level::kL1, t, passes);
  }
  void shared(const AccessTiming& t, std::uint64_t reported, std::uint64_t passes) {
    Counting::shared(t, reported, passes);
    happens(EventKind::kRequest, Level::kShared, t, 1);
    happens(EventKind::kBankPass, Level::kShared, t, passes);
  }
  void fill(const AccessTiming& t, std::uint64_t line, std::uint64_t sectors) {
    Counting::fill(t, line, sectors);
    happens(EventKind::kFill, Level::kL1, t, sectors, line);
  }
  void sends(const AccessTiming& t, std::uint64_t line, std::uint64_t sectors) {
    Counting::sends(t, line, sectors);
    happens(EventKind::kWriteBack, Level::kL1, t, sectors, line);
  }

 private:
  void happens(EventKind kind, Level level, const AccessTiming& t, std::uint64_t n,
               std::uint64_t line = 0) const {
    if (listener_ && n > 0) listener_->event({kind, level, line * line_bytes_, n, t.sm});
  }

  std::uint32_t line_bytes_;
  EventListener* listener_ = nullptr;
  CacheListener* caches_ = nullptr;
};

}  // namespace warpmem::model
