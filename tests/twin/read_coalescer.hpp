// The reads that are under way between an SM and the L2, by group of SMs: who shares whose request.
//
// A group remembers so many reads, each in a place that its line's number says; a read of another
// line takes the place over.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "tests/twin/access.hpp"

namespace warpmem::twin {

class ReadCoalescer {
 public:
  struct Read {
    std::uint64_t line = 0;
    Sectors sectors = 0;       // asked for
    Sectors brought = 0;       // that its misses bring along
    std::uint32_t riders = 1;  // whom it serves
    int sm = 0;                // whose it is
    std::uint64_t number = 0;  // of that SM's requests
    std::uint64_t leaves = 0;  // cycle in which it leaves that SM
    std::uint64_t until = 0;   // … in which it is back there
  };
  struct Asked {
    Read* read = nullptr;  // the caller's own, or the one that it is part of
    bool merged = false;   // another's answer serves it: it goes no further
    bool opens = false;    // a request of its own
  };

  explicit ReadCoalescer(const TwinSpec& spec) : spec_(spec), sms_(spec.sm.count) {}

  // `apart`: it does not travel with reads of other sectors of the line.
  Asked ask(int sm, std::uint64_t line, Sectors sectors, std::uint64_t now, bool apart) {
    const std::uint32_t group = spec_.coalescer.group_of_sm[static_cast<std::size_t>(sm)];
    Read& read = reads_[{group, spec_.coalescer.entry_of(line) % spec_.coalescer.entries}];
    Sm& from = sms_[static_cast<std::size_t>(sm)];
    if (read.line == line && now < read.until) {
      if (merges(read, sectors, now)) {
        ++read.riders;
        return {&read, true, false};
      }
      if (!apart && joins(read, from, sm, sectors, now)) {
        read.leaves = std::max(read.leaves, now + spec_.l1.read_cycles);
        from.leaves = std::max(from.leaves, read.leaves);
        read.sectors |= sectors;
        return {&read, false, false};
      }
    }
    // First come, first gone, one a cycle; where too many wait the first has to go.
    from.leaves = std::max(now + spec_.l1.read_cycles,
                           std::min(from.leaves + 1, now + spec_.l1.read_entries));
    read = {line, sectors, 0, 1, sm, ++from.requests, from.leaves, now};
    return {&read, false, true};
  }

 private:
  struct Sm {
    std::uint64_t requests = 0;
    std::uint64_t leaves = 0;  // cycle in which the last one leaves
  };
  bool off() const { return spec_.coalescer.merge <= 1 && spec_.l1.read_cycles == 0; }
  // The same sectors: one more reader of the same answer, if it is at the coalescer before that.
  bool merges(const Read& read, Sectors sectors, std::uint64_t now) const {
    return !off() && read.sectors == sectors && read.riders < spec_.coalescer.merge &&
           now + spec_.coalescer.way_cycles < read.until;
  }
  // Only other sectors of the line, of the same SM, while the read still waits there.
  bool joins(const Read& read, const Sm& from, int sm, Sectors sectors, std::uint64_t now) const {
    return !off() && read.sm == sm && !(read.sectors & sectors) && now <= read.leaves &&
           from.requests - read.number < spec_.l1.read_entries;
  }

  const TwinSpec& spec_;
  std::vector<Sm> sms_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, Read> reads_{};
};

}  // namespace warpmem::twin
