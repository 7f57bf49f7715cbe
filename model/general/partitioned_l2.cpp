#include "model/general/partitioned_l2.hpp"

#include <algorithm>
#include <bit>
#include <set>

namespace warpmem::model {

PartitionedL2::PartitionedL2(const MemorySpec& spec)
    : spec_(spec),
      sink_(spec.line_bytes),
      coalescer_(spec),
      map_(spec.dram),
      traffic_(spec.dram.channels) {
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

void PartitionedL2::begin_launch() {
  sink_.counters = {};
  traffic_.clear();
}

void PartitionedL2::settle() {
  coalescer_ = ReadCoalescer(spec_);
  dram_free_ = 0;
}

void PartitionedL2::flush(std::uint64_t dirty_sectors) {
  for (L2Partition& p : partitions_) p.clear();
  settle();
  // Lines that no program has.
  constexpr std::uint64_t kElsewhere = std::uint64_t{1} << 40;
  const std::uint32_t of_line = spec_.line_bytes / kSectorBytes;
  for (std::uint64_t i = 0; i < dirty_sectors / of_line; ++i) {
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
  sink_.code(groups.size(), sectors, partitions_.size() > 1, cold);
}

L2Partition::Traffic PartitionedL2::account(L2Partition& partition, int sm, std::uint64_t now) {
  const L2Partition::Traffic t = partition.take_traffic();
  sink_.refills(t.fills);
  fetched(sm, t.line, t.fills, now);
  sink_.dram_writes({sm, t.line}, t.writes);
  if (t.writes > 0) traffic_.write(map_.find(on_path(t.line)).channel, t.writes, now);
  return t;
}

std::uint64_t PartitionedL2::read(int sm, std::uint64_t line, const Route&, std::uint8_t sectors,
                                  std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                                  const MemoryPath::Seat*, bool apart) {
  const ReadCoalescer::Asked asked = coalescer_.ask(sm, line, sectors, now, apart);
  if (asked.ride == ReadCoalescer::Ride::kMerged) {
    sink_.merges({sm, line}, sectors_in(sectors));
    return path_ ? path_->ride(sm, {asked.read.until, 0, on_path(line, sectors)}, now)
                 : asked.read.until;
  }
  const bool opens = asked.ride == ReadCoalescer::Ride::kOwn;
  const std::uint8_t joined = opens ? std::uint8_t{0} : asked.read.brought;
  sink_.read_requests(opens);
  sink_.reads(sectors_in(sectors));
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)], at_home = home(line);
  const L2Partition::Found found =
      partitions_[near].read(line, sectors, fetch_sectors ? in_line(fetch_sectors) : fetch_sectors_,
                             at_home == near ? stay : of_copy(stay));
  // What arrives with the very request that this read is part of was no hit.
  const std::uint64_t hits = sectors_in(found.here & sectors & static_cast<std::uint8_t>(~joined));
  sink_.request({sm, line}, opens);
  sink_.look_up({sm, line}, sectors_in(sectors), hits);
  const bool crosses = found.missing && at_home != near;
  std::uint8_t fetched = found.missing;
  L2Partition::Traffic pushed;
  if (crosses) {
    const L2Partition::Found there = partitions_[at_home].read(line, found.missing, 1, stay);
    sink_.crosses({sm, line}, sectors_in(found.missing), sectors_in(there.here & found.missing));
    fetched = there.missing;
    pushed = account(partitions_[at_home], sm, now);
  }
  if (const auto t = account(partitions_[near], sm, now); t.writes)
    pushed = {pushed.fills + t.fills, pushed.writes + t.writes, t.line};
  this->fetched(sm, line, sectors_in(fetched), now);
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
    sink_.rows({sm, line}, path_->rows_opened() - rows);
  } else {
    const std::uint32_t draw = Latencies::draw_of(line);
    done = now + spec_.latency.near(draw) + (crosses ? spec_.far_cycles : 0);
    if (fetched) done += spec_.latency.dram(draw) + dram_queue(fetched, now);
  }
  asked.read.until = std::max(asked.read.until, path_ ? path_->arrived() : done);
  return done;
}

std::uint64_t PartitionedL2::write(int sm, std::uint64_t line, const Route&, std::uint8_t touched,
                                   std::uint8_t full, const std::uint32_t* bytes,
                                   std::uint8_t again, bool opens, std::uint64_t now, Stay stay) {
  LineTouch written{line, touched, full};
  std::copy_n(bytes, written.bytes.size(), written.bytes.begin());
  const auto sectors = static_cast<std::uint8_t>(written.sectors & ~again);
  const std::uint64_t sent = sectors_in(sectors);
  sink_.writes({sm, line}, opens, sent, sent);
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)],
                      at_home = home(written.line);
  partitions_[at_home].write(written, stay);
  L2Partition::Traffic pushed = account(partitions_[at_home], sm, now);
  if (at_home != near) {
    sink_.write_crosses({sm, line}, sent);
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

std::uint64_t PartitionedL2::atomic(int sm, std::uint64_t of_all, int times, bool returns,
                                    std::uint64_t now, L2Cache::AtomicWork work, Stay stay) {
  const std::uint64_t line = of_all * kSectorBytes / spec_.line_bytes;
  const std::uint64_t sector = of_all * kSectorBytes % spec_.line_bytes / kSectorBytes;
  const auto passes = static_cast<std::uint32_t>(times);
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)], at_home = home(line);
  L2Partition& partition = partitions_[at_home];
  const auto bit = static_cast<std::uint8_t>(1u << sector);
  const std::uint8_t here = partition.look_up(line);
  std::uint64_t hits = passes;
  std::uint32_t brought = 0;
  if (!(here & bit)) {
    const auto fetched =
        static_cast<std::uint8_t>(partition.in_pieces(bit, fetch_sectors_) & ~here);
    brought = sectors_in(fetched);
    this->fetched(sm, line, brought, now);
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
  sink_.atomics({sm, line}, returns, passes, hits);
  if (at_home != near) sink_.atomic_crosses({sm, line}, passes);
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
  sink_.rows({w.sm, w.line * kLineBytes / spec_.line_bytes}, path_->rows_opened() - rows);
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
  sink_.prefetches(sectors_in(sectors));
  sink_.request({sm, line}, 1);
  std::uint8_t crossing = 0;
  if (at_home != near) {
    const std::uint8_t here = partitions_[near].look_up(line);
    sectors = crossing = static_cast<std::uint8_t>(sectors & ~here);
    sink_.prefetch_crosses({sm, line}, sectors_in(crossing));
    if (!crossing) return;
  }
  const std::uint8_t fetched =
      partitions_[at_home].read(line, sectors, fetch_sectors_, stay).missing;
  const L2Partition::Traffic pushed = account(partitions_[at_home], sm, now);
  this->fetched(sm, line, sectors_in(fetched), now);
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
  sink_.prefetches(sectors);
  sink_.request({sm, line}, 1);
  if (at_home != near) sink_.prefetch_crosses({sm, line}, sectors);
  if (!discard) return partitions_[at_home].keep(line, stay);
  partitions_[at_home].discard(line);
  for (std::uint32_t p = 0; p < partitions_.size(); ++p)
    if (p != at_home) partitions_[p].drop(line, 255);
}

std::uint64_t PartitionedL2::read_host(std::uint8_t sectors, std::uint64_t now) {
  sink_.host_read(sectors_in(sectors));
  return path_ ? path_->host(0, sectors_in(sectors), now) : now + spec_.host_cycles;
}

std::uint64_t PartitionedL2::write_host(std::uint8_t sectors, int sm, std::uint64_t now) {
  sink_.host_write(sectors_in(sectors), sectors_in(sectors));
  return path_ ? path_->host(sm, sectors_in(sectors), now) : now;
}

}  // namespace warpmem::model
