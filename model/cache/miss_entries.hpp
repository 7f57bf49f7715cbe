// Lines that an SM's loads have missed and wait for (MSHRs). A miss takes an entry from when it
// leaves the SM until its line is there, one a line: further misses on a line that is outstanding
// go with it. One that finds no entry waits for the first to be free.
//
// Leaves out: what an entry remembers of the loads that wait for it, and with it a limit to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace warpmem::model {

class MissEntries {
 public:
  // None: there is no limit.
  explicit MissEntries(std::uint32_t entries = 0) : entries_(entries) {}

  // A line of which something is missing `at` this cycle; `read(from)` reads it and says when it is
  // there, which is returned.
  template <class Read>
  std::uint64_t miss(std::uint64_t line, std::uint64_t at, Read&& read) {
    if (entries_.empty()) return read(at);
    for (Entry& e : entries_)
      if (e.line == line && e.until > at) {
        const std::uint64_t back = read(at);
        e.until = std::max(e.until, back);
        return back;
      }
    Entry& first =
        *std::min_element(entries_.begin(), entries_.end(),
                          [](const Entry& a, const Entry& b) { return a.until < b.until; });
    const std::uint64_t back = read(std::max(at, first.until));
    first = {line, back};
    return back;
  }

 private:
  struct Entry {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint64_t until = 0;  // cycle from which it is free
  };
  std::vector<Entry> entries_;
};

}  // namespace warpmem::model
