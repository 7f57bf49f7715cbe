// An SM's stores on their way to the L2: a list of lines, first come, first gone.
#pragma once

#include <algorithm>
#include <list>

#include "tests/twin/access.hpp"

namespace warpmem::twin {

class StoreQueue {
 public:
  StoreQueue(std::size_t entries, std::uint64_t delay) : entries_(entries), delay_(delay) {}

  struct Taken {
    Sectors again = 0;     // that wait already, and are not sent a second time
    bool opens = true;     // a request of its own
    std::uint64_t at = 0;  // cycle in which it has entered
  };
  // A store whose tags are looked up at cycle `tags` and whose data is there at cycle `data`.
  Taken take(std::uint64_t line, Sectors sectors, std::uint64_t tags, std::uint64_t data) {
    while (!waiting_.empty() && waiting_.front().until <= tags) waiting_.pop_front();
    for (Entry& e : waiting_) {
      if (e.line != line || e.until <= tags) continue;
      const Sectors again = e.sectors & sectors;
      e.sectors |= sectors;
      e.until = std::max(e.until, data + delay_);
      return {again, false, tags};
    }
    std::uint64_t at = tags;
    if (waiting_.size() == entries_) {
      at = std::max(at, waiting_.front().until);
      waiting_.pop_front();
    }
    waiting_.push_back({line, sectors, std::max(at, data) + delay_});
    return {0, true, at};
  }

 private:
  struct Entry {
    std::uint64_t line;
    Sectors sectors;
    std::uint64_t until;  // cycle in which it leaves
  };
  std::size_t entries_;
  std::uint64_t delay_;
  std::list<Entry> waiting_;
};

}  // namespace warpmem::twin
