// Paths that a signal handler may read: of files and folders that must go when the process ends
// without destructors. Fixed places without allocation; what finds none is not remembered.
#pragma once

#include <atomic>
#include <climits>
#include <cstddef>
#include <cstring>
#include <string>

namespace warpmem {

template <std::size_t kSlots>
class PathSlots {
 public:
  // The slot, or -1: there is no room.
  int remember(const std::string& path) {
    if (path.size() >= PATH_MAX) return -1;
    for (std::size_t i = 0; i < kSlots; ++i) {
      if (slots_[i].taken.exchange(true)) continue;
      std::memcpy(slots_[i].path, path.c_str(), path.size() + 1);
      slots_[i].ready = true;
      return static_cast<int>(i);
    }
    return -1;
  }
  void forget(int slot) {
    if (slot < 0) return;
    slots_[static_cast<std::size_t>(slot)].ready = false;
    slots_[static_cast<std::size_t>(slot)].taken = false;
  }
  template <class F>
  void for_each(F&& use) {
    for (Slot& slot : slots_)
      if (slot.ready) use(static_cast<const char*>(slot.path));
  }

 private:
  struct Slot {
    std::atomic<bool> taken{false}, ready{false};
    char path[PATH_MAX];
  };
  Slot slots_[kSlots];
};

}  // namespace warpmem
