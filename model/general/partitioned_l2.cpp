#include "model/general/partitioned_l2.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace warpmem::model {

PartitionedL2::PartitionedL2(const MemorySpec& spec, MemoryPath* path)
    : spec_(spec), path_(path), coalescer_(spec), map_(spec.dram), traffic_(spec.dram.channels) {
  fetch_granularity(0);
  for (std::uint32_t i = 0; i < spec.l2.partitions; ++i)
    partitions_.emplace_back(spec.l2, spec.line_bytes);
}

std::uint32_t PartitionedL2::home(std::uint64_t line) const {
  // Of more than two partitions each bit of the home's number is such a parity, of bits so much
  // higher up.
  const std::uint64_t address = line * spec_.line_bytes;
  std::uint32_t at = 0;
  for (std::uint32_t bit = 0; 1u << bit < spec_.l2.partitions; ++bit)
    at |= (static_cast<std::uint32_t>(std::popcount(address & spec_.l2.home_mask << bit)) % 2)
          << bit;
  return at;
}

std::uint8_t PartitionedL2::on_path(std::uint64_t line, std::uint8_t sectors) const {
  return static_cast<std::uint8_t>(sectors << line * spec_.line_bytes % kLineBytes / kSectorBytes);
}

void PartitionedL2::settle() {
  coalescer_ = ReadCoalescer(spec_);
  dram_free_ = 0;
}

void PartitionedL2::flush() {
  for (L2Partition& p : partitions_) p.clear();
  settle();
  // Lines that no program has.
  constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 40;
  const std::uint32_t of_line = spec_.line_bytes / kSectorBytes;
  for (std::uint64_t i = 0; i < spec_.l2.dirty_before / of_line; ++i) {
    LineTouch all;
    all.line = kElsewhere + i;
    std::fill_n(all.bytes.begin(), of_line, ~0u);
    partitions_[home(all.line)].write(all);
  }
  // Nobody counts what making them so takes.
  for (L2Partition& p : partitions_) p.take_traffic();
}

void PartitionedL2::set_aside(std::uint64_t bytes) {
  for (L2Partition& p : partitions_) p.set_aside(bytes / partitions_.size());
}

void PartitionedL2::fetch_code(std::uint64_t bytes, bool cold) {
  const std::uint64_t sectors = (bytes + kSectorBytes - 1) / kSectorBytes;
  const std::set<std::uint32_t> groups(spec_.l2.group_of_sm.begin(), spec_.l2.group_of_sm.end());
  counters.launch_read += groups.size() * sectors;
  if (partitions_.size() > 1) counters.fabric_read += sectors;
  if (cold) counters.dram_read += sectors;
}

L2Partition::Traffic PartitionedL2::account(L2Partition& partition, int sm, std::uint64_t now) {
  const L2Partition::Traffic t = partition.take_traffic();
  counters.dram_read += t.fills;
  counters.refill_writes += t.fills;
  counters.dram_write += t.writes;
  fetched(t.line, t.fills, now);
  if (t.writes > 0) traffic_.write(map_.find(on_path(t.line)).channel, t.writes, now);
  happens(EventKind::kFill, Level::kL2, sm, t.fills, t.line);
  happens(EventKind::kWriteBack, Level::kL2, sm, t.writes, t.line);
  return t;
}

std::uint64_t PartitionedL2::read(int sm, std::uint64_t line, std::uint8_t sectors,
                                  std::uint64_t now, How how) {
  const ReadCoalescer::Asked asked = coalescer_.ask(sm, line, sectors, now, how.apart);
  if (asked.ride == ReadCoalescer::Ride::kMerged) {
    counters.merged += sectors_in(sectors);
    happens(EventKind::kMerge, Level::kL2, sm, sectors_in(sectors), line);
    return path_ ? path_->ride(sm, {asked.read.until, 0, on_path(line, sectors)}, now)
                 : asked.read.until;
  }
  const bool opens = asked.ride == ReadCoalescer::Ride::kOwn;
  const std::uint8_t joined = opens ? std::uint8_t{0} : asked.read.brought;
  counters.read_requests += opens;
  counters.read += sectors_in(sectors);
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)], at_home = home(line);
  const L2Partition::Found found =
      partitions_[near].read(line, sectors, how.fetch_sectors ? how.fetch_sectors : fetch_sectors_,
                             at_home == near ? how.stay : of_copy(how.stay));
  // What arrives with the very request that this read is part of was no hit.
  const std::uint64_t hits = sectors_in(found.here & sectors & static_cast<std::uint8_t>(~joined));
  counters.read_hit += hits;
  happens(EventKind::kRequest, Level::kL2, sm, opens, line);
  happens(EventKind::kLookup, Level::kL2, sm, sectors_in(sectors), line);
  happens(EventKind::kHit, Level::kL2, sm, hits, line);
  happens(EventKind::kMiss, Level::kL2, sm, sectors_in(sectors) - hits, line);
  const bool crosses = found.missing && at_home != near;
  std::uint8_t fetched = found.missing;
  L2Partition::Traffic pushed;
  if (crosses) {
    const L2Partition::Found there = partitions_[at_home].read(line, found.missing, 1, how.stay);
    counters.fabric_read += sectors_in(found.missing);
    happens(EventKind::kCross, Level::kL2, sm, sectors_in(found.missing), line);
    counters.fabric_read_hit += sectors_in(there.here & found.missing);
    fetched = there.missing;
    pushed = account(partitions_[at_home], sm, now);
  }
  if (const auto t = account(partitions_[near], sm, now); t.writes)
    pushed = {pushed.fills + t.fills, pushed.writes + t.writes, t.line};
  counters.dram_read += sectors_in(fetched);
  this->fetched(line, sectors_in(fetched), now);
  happens(EventKind::kFill, Level::kL2, sm, sectors_in(fetched), line);
  asked.read.brought = static_cast<std::uint8_t>(asked.read.brought | found.missing);
  std::uint64_t done = 0;
  if (path_) {
    const std::uint64_t rows = path_->rows_opened();
    done = path_->read({sm, on_path(line), on_path(line, sectors),
                        crosses ? on_path(line, found.missing) : std::uint8_t{0},
                        on_path(line, fetched), static_cast<int>(near), static_cast<int>(at_home)},
                       now);
    if (pushed.writes)
      path_->write_back({0, on_path(pushed.line), pushed.fills, pushed.writes}, now);
    happens(EventKind::kRow, Level::kDram, sm, path_->rows_opened() - rows, line);
  } else {
    const std::uint32_t draw = Latencies::draw_of(line);
    done = now + spec_.latency.near(draw) + (crosses ? spec_.far_cycles : 0);
    if (fetched) done += spec_.latency.dram(draw) + dram_queue(fetched, now);
  }
  asked.read.until = std::max(asked.read.until, path_ ? path_->arrived() : done);
  return done;
}

std::uint64_t PartitionedL2::write(int sm, const LineTouch& written, std::uint8_t again, bool opens,
                                   std::uint64_t now, Stay stay) {
  const auto sectors = static_cast<std::uint8_t>(written.sectors & ~again);
  const std::uint64_t sent = sectors_in(sectors);
  counters.write_requests += opens;
  counters.write += sent;
  counters.write_hit += sent;
  happens(EventKind::kRequest, Level::kL2, sm, opens, written.line);
  happens(EventKind::kWrite, Level::kL2, sm, sent, written.line);
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)],
                      at_home = home(written.line);
  partitions_[at_home].write(written, stay);
  L2Partition::Traffic pushed = account(partitions_[at_home], sm, now);
  if (at_home != near) {
    counters.fabric_write += sent;
    happens(EventKind::kCross, Level::kL2, sm, sent, written.line);
    // The writer's partition keeps what it wrote whole; what it wrote in part is stale there.
    partitions_[near].drop(written.line,
                           static_cast<std::uint8_t>(written.sectors & ~written.full));
    if (written.full) partitions_[near].fill(written.line, written.full, of_copy(stay));
    const auto t = account(partitions_[near], sm, now);
    if (t.writes) pushed = {pushed.fills + t.fills, pushed.writes + t.writes, t.line};
  }
  // Copies elsewhere are stale.
  for (std::uint32_t p = 0; p < partitions_.size(); ++p)
    if (p != near && p != at_home) partitions_[p].drop(written.line, written.sectors);
  if (!path_) return now;
  MemoryPath::Write w;
  w.sm = sm;
  w.line = on_path(written.line);
  w.sectors = sectors_in(sectors);
  w.partial = sectors_in(sectors & static_cast<std::uint8_t>(~written.full));
  w.opens = opens;
  w.near = static_cast<int>(near);
  w.home = static_cast<int>(at_home);
  w.fills = pushed.fills;
  w.evicted = pushed.writes;
  w.other = on_path(pushed.line);
  return send(w, now);
}

std::uint64_t PartitionedL2::atomic(int sm, std::uint64_t line, std::uint32_t sector,
                                    std::uint32_t passes, bool returns, std::uint64_t now,
                                    L2Cache::AtomicWork work, Stay stay) {
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)], at_home = home(line);
  L2Partition& partition = partitions_[at_home];
  const auto bit = static_cast<std::uint8_t>(1u << sector);
  const std::uint8_t here = partition.look_up(line);
  std::uint64_t hits = passes;
  std::uint32_t brought = 0;
  if (!(here & bit)) {
    const auto fetched =
        static_cast<std::uint8_t>(partition.in_pieces(bit, fetch_sectors_) & ~here);
    counters.dram_read += brought = sectors_in(fetched);
    this->fetched(line, brought, now);
    happens(EventKind::kFill, Level::kL2, sm, brought, line);
    partition.fill(line, fetched, stay);
    --hits;
  }
  LineTouch all;
  all.line = line;
  all.bytes[sector] = ~0u;
  partition.write(all, stay);
  const L2Partition::Traffic pushed = account(partition, sm, now);
  for (std::uint32_t p = 0; p < partitions_.size(); ++p)
    if (p != at_home) partitions_[p].drop(line, bit);
  happens(EventKind::kAtomic, Level::kL2, sm, passes, line);
  if (at_home != near) counters.fabric_atomic += passes;
  if (at_home != near) happens(EventKind::kCross, Level::kL2, sm, passes, line);
  (returns ? counters.atomic : counters.reduction) += passes;
  (returns ? counters.atomic_hit : counters.reduction_hit) += hits;
  if (!path_) return now + spec_.latency.near_cycles + spec_.far_cycles;
  MemoryPath::Write w;
  w.sm = sm;
  w.line = on_path(line);
  w.atomic = passes;
  w.partly = work.partly;
  w.headed = work.headed;
  w.twice = work.twice;
  w.together = work.together;
  w.returns = returns;
  w.near = static_cast<int>(near);
  w.home = static_cast<int>(at_home);
  w.fetched = brought;
  w.fills = pushed.fills;
  w.evicted = pushed.writes;
  w.other = on_path(pushed.line);
  return send(w, now);
}

std::uint64_t PartitionedL2::send(const MemoryPath::Write& w, std::uint64_t now) {
  const std::uint64_t rows = path_->rows_opened();
  const std::uint64_t done = path_->write(w, now);
  if (listener_ && path_->rows_opened() > rows)
    listener_->event(
        {EventKind::kRow, Level::kDram, w.line * kLineBytes, path_->rows_opened() - rows, w.sm});
  return done;
}

// How long a read waits for those before it.
std::uint64_t PartitionedL2::dram_queue(std::uint8_t fetched, std::uint64_t now) {
  const std::uint64_t from = std::max(dram_free_, now * 1000);
  dram_free_ =
      from + sectors_in(fetched) * std::uint64_t{1000000} / spec_.dram_sectors_per_kilocycle;
  return from / 1000 - now;
}

void PartitionedL2::end_persisting() {
  for (L2Partition& p : partitions_) p.end_persisting();
}

// L2Cache has the measurement.
void PartitionedL2::bring(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now,
                          Stay stay) {
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)], at_home = home(line);
  counters.prefetch += sectors_in(sectors);
  happens(EventKind::kRequest, Level::kL2, sm, 1, line);
  std::uint8_t crossing = 0;
  if (at_home != near) {
    const std::uint8_t here = partitions_[near].look_up(line);
    sectors = crossing = static_cast<std::uint8_t>(sectors & ~here);
    counters.fabric_prefetch += sectors_in(crossing);
    happens(EventKind::kCross, Level::kL2, sm, sectors_in(crossing), line);
    if (!crossing) return;
  }
  const std::uint8_t fetched =
      partitions_[at_home].read(line, sectors, fetch_sectors_, stay).missing;
  const L2Partition::Traffic pushed = account(partitions_[at_home], sm, now);
  counters.dram_read += sectors_in(fetched);
  this->fetched(line, sectors_in(fetched), now);
  happens(EventKind::kFill, Level::kL2, sm, sectors_in(fetched), line);
  if (!path_) {
    if (fetched) dram_queue(fetched, now);
    return;
  }
  const MemoryPath::Read r{sm,
                           on_path(line),
                           on_path(line, sectors),
                           on_path(line, crossing),
                           on_path(line, fetched),
                           static_cast<int>(near),
                           static_cast<int>(at_home)};
  path_->bring(r, path_->seat(r.line), now);
  if (pushed.writes) path_->write_back({0, on_path(pushed.line), pushed.fills, pushed.writes}, now);
}

void PartitionedL2::change(int sm, std::uint64_t line, Stay stay, bool discard) {
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)], at_home = home(line);
  const std::uint32_t sectors = spec_.line_bytes / kSectorBytes;
  counters.prefetch += sectors;
  if (at_home != near) counters.fabric_prefetch += sectors;
  happens(EventKind::kRequest, Level::kL2, sm, 1, line);
  if (at_home != near) happens(EventKind::kCross, Level::kL2, sm, sectors, line);
  if (!discard) return partitions_[at_home].keep(line, stay);
  partitions_[at_home].discard(line);
  for (std::uint32_t p = 0; p < partitions_.size(); ++p)
    if (p != at_home) partitions_[p].drop(line, 255);
}

std::uint64_t PartitionedL2::read_host(std::uint8_t sectors, std::uint64_t now) {
  ++counters.read_requests;
  counters.read += sectors_in(sectors);
  counters.sysmem_read += sectors_in(sectors);
  return path_ ? path_->host(0, sectors_in(sectors), now) : now + spec_.host_cycles;
}

std::uint64_t PartitionedL2::write_host(std::uint8_t sectors, int sm, std::uint64_t now) {
  ++counters.write_requests;
  counters.write += sectors_in(sectors);
  counters.write_hit += sectors_in(sectors);
  counters.sysmem_write += sectors_in(sectors);
  return path_ ? path_->host(sm, sectors_in(sectors), now) : now;
}

}  // namespace warpmem::model
