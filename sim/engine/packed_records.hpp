// A warp's records packed to a byte or two each where they go on as before (24 bytes decoded), for
// CTAs that are resident for long while the trace has many blocks in use: see block_cache.hpp.
//
// A record is a byte that says what differs from the last one of its site, and the differences.
// Each piece starts anew: unlike the file's code, which learns from warp to warp, it can be read
// without all that was before it. Never leaves the process, so nothing in it is checked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "traces/format/record.hpp"

namespace warpmem::sim {

// What packing and unpacking both expect of the next record.
class RecordMemory {
 public:
  struct Site {
    std::uint32_t number = 0;  // in the launch's table
    std::uint32_t next = 0;    // which of these followed last time
    std::uint64_t base = 0, step = 0;
    std::int32_t stride = 0;
    std::uint32_t mask = ~0u;
    std::vector<std::uint64_t> offsets;  // of the lanes of its last listed record, from the first
  };
  std::vector<Site> sites;  // in the order of their first appearance
  std::uint32_t last = 0;   // of the latest record
};

class PackedRecords {
 public:
  PackedRecords() = default;
  // Takes over `records`, whose lanes count from `lanes`.
  PackedRecords(const trace::Record* records, std::uint32_t count, const std::uint64_t* lanes,
                std::span<const trace::Site> sites);

  bool at_end() const { return left_ == 0; }
  // Unpacks the next few, the last of which is no asynchronous copy's read that has its write
  // behind it; they count their lanes from `lanes`.
  void next(std::vector<trace::Record>& records, std::vector<std::uint64_t>& lanes);
  std::size_t bytes() const { return bytes_.capacity(); }

 private:
  std::uint32_t left_ = 0;  // records
  std::size_t at_ = 0;
  std::vector<std::uint8_t> bytes_;
  RecordMemory memory_;
};

}  // namespace warpmem::sim
