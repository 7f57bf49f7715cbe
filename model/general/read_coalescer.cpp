#include "model/general/read_coalescer.hpp"

#include <algorithm>

namespace warpmem::model {

ReadCoalescer::ReadCoalescer(const MemorySpec& spec)
    : spec_(&spec),
      coalesces_(spec.l2.merge > 1 || spec.l1.read_cycles > 0),
      sms_(spec.l2.group_of_sm.size()) {
  std::size_t groups = 1;
  for (const std::uint32_t g : spec.l2.group_of_sm) groups = std::max<std::size_t>(groups, g + 1);
  reads_.resize(groups << kEntryBits);
}

ReadCoalescer::Asked ReadCoalescer::ask(int sm, std::uint64_t line, std::uint8_t sectors,
                                        std::uint64_t now, bool apart) {
  const std::size_t entry = line * 0x9e3779b97f4a7c15ull >> (64 - kEntryBits);
  const std::size_t group = spec_->l2.group_of_sm[static_cast<std::size_t>(sm)];
  Read& read = reads_[(group << kEntryBits) + entry];
  Sm& from = sms_[static_cast<std::size_t>(sm)];
  if (coalesces_ && read.sm >= 0 && read.line == line && now < read.until) {
    // It has to be at the coalescer before the answer is: L2Cache::ride_along().
    const std::uint64_t answered =
        read.brought ? read.until
                     : std::min(read.until,
                                read.leaves + spec_->latency.near(Latencies::draw_of(read.line)));
    if (read.sectors == sectors && read.riders < spec_->l2.merge &&
        now + spec_->l2.way_cycles < answered) {
      ++read.riders;
      return {read, Ride::kMerged};
    }
    if (!apart && read.sm == sm && !(read.sectors & sectors) && now <= read.leaves &&
        from.requests - read.number < spec_->l1.read_entries) {
      read.leaves = std::max(read.leaves, now + spec_->l1.read_cycles);
      from.leaves = std::max(from.leaves, read.leaves);
      read.sectors = static_cast<std::uint8_t>(read.sectors | sectors);
      return {read, Ride::kJoined};
    }
  }
  // First come, first gone, one a cycle; where too many wait the first has to go.
  from.leaves = std::max(now + spec_->l1.read_cycles,
                         std::min(from.leaves + 1, now + spec_->l1.read_entries));
  read = {line, sectors, 0, 1, sm, ++from.requests, from.leaves, now};
  return {read, Ride::kOwn};
}

}  // namespace warpmem::model
