#include "model/general/partitioned_l2.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "model/access/sector_pieces.hpp"

namespace warpmem::model {

PartitionedL2::PartitionedL2(const MemorySpec& spec)
    : spec_(spec),
      sink_(spec.line_bytes, spec.l2.present ? Level::kL2 : Level::kDram),
      reads_({spec.l2.merge, spec.l2.path_cycles, spec.l1.read_cycles, spec.l1.read_entries,
              spec.latency},
             spec.l2.group_of_sm),
      map_(spec.dram),
      channels_{spec.l2.partitions, spec.dram.channels, spec.dram.interleave_lines},
      traffic_(spec.dram.channels) {
  fetch_granularity(0);
  for (std::uint32_t i = 0; spec.l2.present && i < spec.l2.partitions; ++i)
    partitions_.emplace_back(spec.l2, spec.line_bytes);
}

PartitionedL2::Sides PartitionedL2::sides_of(int sm, std::uint64_t line) const {
  const std::uint32_t at_home = home(line);
  if (spec_.l2.by_channel) return {at_home, at_home};
  const std::uint32_t near = spec_.l2.of_sm[static_cast<std::size_t>(sm)];
  return {near, at_home, static_cast<int>(near), static_cast<int>(at_home)};
}

std::uint32_t PartitionedL2::home(std::uint64_t line) const {
  if (spec_.l2.by_channel) {
    const std::uint64_t at = in_dram(line);
    return channels_.of(at, map_.find(at).channel);
  }
  // Of more than two partitions each bit of the home's number is such a parity, of bits so much
  // higher up.
  const std::uint64_t address = line * spec_.line_bytes;
  std::uint32_t at = 0;
  for (std::uint32_t bit = 0; 1u << bit < spec_.l2.partitions; ++bit)
    at |= (static_cast<std::uint32_t>(std::popcount(address & spec_.l2.home_mask << bit)) % 2)
          << bit;
  return at;
}

void PartitionedL2::begin_launch() {
  sink_.counters = {};
  traffic_.clear();
}

void PartitionedL2::settle() {
  reads_.clear();
  dram_free_ = 0;
}

void PartitionedL2::flush(std::uint64_t dirty_sectors) {
  for (L2Partition& p : partitions_) p.clear();
  textures_ = {};
  if (const auto& t = spec_.texture_second) textures_ = {*t, t->bytes / t->line_bytes};
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
  if (t.writes > 0) traffic_.write(map_.find(in_dram(t.line)).channel, t.writes, now);
  return t;
}

std::uint64_t PartitionedL2::read(int sm, std::uint64_t line, const Route&, std::uint8_t sectors,
                                  std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                                  const MemoryPath::Address*, bool apart) {
  ReadCoalescer::Sm& from = reads_.sm(sm);
  ReadCoalescer::Outstanding& read = reads_.entries(from)[ReadCoalescer::slot(line)];
  const ReadCoalescer::Asked asked = reads_.ask(sm, from, read, line, sectors, now, apart);
  if (asked.merged()) {
    sink_.merges({sm, line}, sectors_in(sectors));
    return path_ ? path_->share(sm, {read.until, 0, sectors}, now) : read.until;
  }
  const bool opens = asked.own();
  const std::uint8_t joined = asked.joined;
  sink_.read_requests(opens);
  sink_.reads(sectors_in(sectors));
  sink_.request({sm, line}, opens);
  const Sides at = sides_of(sm, line);
  std::uint8_t missing = sectors, fetched = sectors, crossing = 0;
  L2Partition::Traffic pushed;
  if (spec_.l2.present) {
    L2Partition& near = partitions_[at.near];
    const L2Partition::Found found =
        near.read(line, sectors, fetch_sectors ? in_line(fetch_sectors) : fetch_sectors_,
                  at.home == at.near ? stay : of_copy(stay));
    // What arrives with the very request that this read is part of was no hit.
    const std::uint64_t hits =
        sectors_in(found.here & sectors & static_cast<std::uint8_t>(~joined));
    sink_.look_up({sm, line}, sectors_in(sectors), hits);
    missing = fetched = found.missing;
    if (missing && at.home != at.near) {
      crossing = missing;
      const L2Partition::Found there = partitions_[at.home].read(line, missing, 1, stay);
      sink_.crosses({sm, line}, sectors_in(missing), sectors_in(there.here & missing));
      fetched = there.missing;
      pushed = account(partitions_[at.home], sm, now);
    }
    if (const auto t = account(near, sm, now); t.writes)
      pushed = {pushed.fills + t.fills, pushed.writes + t.writes, t.line};
  }
  this->fetched(sm, line, sectors_in(fetched), now);
  read.bring(missing);
  const std::uint64_t done = answer({sm, line, sectors, crossing, fetched, at}, pushed, now);
  read.until = std::max(read.until, path_ ? path_->arrived() : done);
  return done;
}

// A line of it holds several of those that are asked for. What a miss brings is not known: here,
// the sectors.
std::uint64_t PartitionedL2::read_texture(int sm, std::uint64_t line, std::uint8_t sectors,
                                          std::uint64_t now) {
  if (!textures_.exists()) return read(sm, line, {}, sectors, now, 0, Stay::kUnsaid);
  const std::uint64_t lines = std::max(1u, textures_.spec().line_bytes / spec_.line_bytes);
  const auto first = static_cast<unsigned>(line % lines * spec_.line_bytes / kSectorBytes);
  LineTouch wanted;
  wanted.line = line / lines;
  wanted.sectors = static_cast<std::uint8_t>(sectors << first);
  const SectorCache::Found found = textures_.look_up(wanted);
  const auto missing = static_cast<std::uint8_t>(found.missing >> first);
  const std::uint64_t asked = sectors_in(sectors);
  sink_.read_requests(1);
  sink_.reads(asked);
  sink_.request({sm, line}, 1);
  sink_.look_up({sm, line}, asked, asked - sectors_in(missing));
  fetched(sm, line, sectors_in(missing), now);
  const std::uint64_t done = answer({sm, line, sectors, 0, missing, sides_of(sm, line)}, {}, now);
  if (missing) textures_.arrives(wanted.line, done);
  return std::max(done, found.arrival);
}

std::uint64_t PartitionedL2::answer(const Answer& a, const L2Partition::Traffic& pushed,
                                    std::uint64_t now) {
  if (!path_)
    return unloaded(a.line, sectors_in(a.fetched), now) + (a.crossing ? spec_.far_cycles : 0);
  const std::uint64_t rows = path_->rows_opened();
  const std::uint64_t done = path_->read(
      {a.sm, a.line, a.sectors, a.crossing, a.fetched, a.at.near_side, a.at.home_side}, now);
  if (pushed.writes) path_->write_back({0, pushed.line, pushed.fills, pushed.writes}, now);
  sink_.rows({a.sm, a.line}, path_->rows_opened() - rows);
  return done;
}

std::uint64_t PartitionedL2::unloaded(std::uint64_t line, std::uint32_t fetched,
                                      std::uint64_t now) {
  const std::uint32_t draw = Latencies::draw_of(line);
  const std::uint64_t done = now + spec_.latency.near(draw);
  return fetched ? done + spec_.latency.dram(draw) + dram_queue(fetched, now) : done;
}

// What is written is DRAM's at once.
L2Partition::Traffic PartitionedL2::without_l2(int sm, std::uint64_t line, std::uint32_t sectors,
                                               std::uint64_t now) {
  sink_.dram_writes({sm, line}, sectors);
  traffic_.write(map_.find(in_dram(line)).channel, sectors, now);
  return {0, sectors, line};
}

std::uint64_t PartitionedL2::write(int sm, std::uint64_t line, const Route&, std::uint8_t touched,
                                   std::uint8_t full, const std::uint32_t* bytes,
                                   std::uint8_t again, bool opens, std::uint64_t now, Stay stay) {
  LineTouch written{line, touched, full};
  std::copy_n(bytes, written.bytes.size(), written.bytes.begin());
  const auto sectors = static_cast<std::uint8_t>(written.sectors & ~again);
  const std::uint64_t sent = sectors_in(sectors);
  sink_.writes({sm, line}, opens, sent, spec_.l2.present ? sent : 0);
  const Sides at = sides_of(sm, line);
  MemoryPath::Write w;
  w.sm = sm;
  L2Partition::Traffic pushed;
  if (!spec_.l2.present) {
    pushed = without_l2(sm, line, sectors_in(sectors), now);
  } else {
    partitions_[at.home].write(written, stay);
    pushed = account(partitions_[at.home], sm, now);
  }
  if (at.home != at.near) {
    sink_.write_crosses({sm, line}, sent);
    // The writer's partition keeps what it wrote whole; what it wrote in part is stale there.
    L2Partition& near = partitions_[at.near];
    near.drop(written.line, static_cast<std::uint8_t>(written.sectors & ~written.full));
    if (written.full) near.fill(written.line, written.full, of_copy(stay));
    const auto t = account(near, sm, now);
    if (t.writes) pushed = {pushed.fills + t.fills, pushed.writes + t.writes, t.line};
  }
  // Copies elsewhere are stale.
  for (std::uint32_t p = 0; !spec_.l2.by_channel && p < partitions_.size(); ++p)
    if (p != at.near && p != at.home) partitions_[p].drop(written.line, written.sectors);
  if (!path_) return now;
  w.line = written.line;
  w.sectors = sectors_in(sectors);
  w.partial =
      sectors_in(sectors & written_sectors(written) & static_cast<std::uint8_t>(~written.full));
  w.opens = opens;
  return send(w, at, pushed, now);
}

std::uint64_t PartitionedL2::atomic(int sm, std::uint64_t of_all, int times, bool returns,
                                    std::uint64_t now, L2Cache::AtomicWork work, Stay stay) {
  const std::uint64_t line = of_all * kSectorBytes / spec_.line_bytes;
  const std::uint64_t sector = of_all * kSectorBytes % spec_.line_bytes / kSectorBytes;
  const auto passes = static_cast<std::uint32_t>(times);
  const Sides at = sides_of(sm, line);
  const auto bit = static_cast<std::uint8_t>(1u << sector);
  MemoryPath::Write w;
  w.sm = sm;
  std::uint64_t hits = passes;
  std::uint32_t brought = 0;
  L2Partition::Traffic pushed;
  if (!spec_.l2.present) {
    // DRAM has it again after each pass.
    hits = 0;
    brought = passes;
    fetched(sm, line, brought, now);
    pushed = without_l2(sm, line, passes, now);
  } else {
    L2Partition& partition = partitions_[at.home];
    const std::uint8_t here = partition.look_up(line);
    if (!(here & bit)) {
      const auto missing = static_cast<std::uint8_t>(in_pieces(bit, fetch_sectors_) & ~here);
      brought = sectors_in(missing);
      fetched(sm, line, brought, now);
      partition.fill(line, missing, stay);
      --hits;
    }
    LineTouch all;
    all.line = line;
    all.bytes[sector] = ~0u;
    partition.write(all, stay);
    pushed = account(partition, sm, now);
    for (std::uint32_t p = 0; !spec_.l2.by_channel && p < partitions_.size(); ++p)
      if (p != at.home) partitions_[p].drop(line, bit);
  }
  sink_.atomics({sm, line}, returns, passes, hits);
  if (at.home != at.near) sink_.atomic_crosses({sm, line}, passes);
  if (!path_) {
    if (!spec_.l2.by_channel) return now + spec_.latency.near_cycles + spec_.far_cycles;
    return returns ? unloaded(line, brought, now) : now;
  }
  w.line = line;
  w.atomic = passes;
  w.partly = work.partly;
  w.headed = work.headed;
  w.twice = work.twice;
  w.together = work.together;
  w.returns = returns;
  w.fetched = brought;
  return send(w, at, pushed, now);
}

std::uint64_t PartitionedL2::send(MemoryPath::Write& w, const Sides& at,
                                  const L2Partition::Traffic& pushed, std::uint64_t now) {
  w.near = at.near_side;
  w.home = at.home_side;
  w.fills = pushed.fills;
  w.evicted = pushed.writes;
  w.other = pushed.line;
  const std::uint64_t rows = path_->rows_opened();
  const std::uint64_t done = path_->write(w, now);
  sink_.rows({w.sm, w.line}, path_->rows_opened() - rows);
  return done;
}

// How long a read waits for those before it.
std::uint64_t PartitionedL2::dram_queue(std::uint32_t sectors, std::uint64_t now) {
  const std::uint64_t from = std::max(dram_free_, now * 1000);
  dram_free_ = from + sectors * std::uint64_t{1000000} / spec_.dram_sectors_per_kilocycle;
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
    if (fetched) dram_queue(sectors_in(fetched), now);
    return;
  }
  const MemoryPath::Read r{
      sm, line, sectors, crossing, fetched, static_cast<int>(near), static_cast<int>(at_home)};
  path_->bring(r, path_->address_of(r.line), now);
  if (pushed.writes) path_->write_back({0, pushed.line, pushed.fills, pushed.writes}, now);
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

std::uint64_t PartitionedL2::read_host(std::uint8_t sectors, std::uint64_t now, int sm) {
  sink_.host_read(sectors_in(sectors));
  return path_ ? path_->host(sm, sectors_in(sectors), now) : now + spec_.host_cycles;
}

std::uint64_t PartitionedL2::write_host(std::uint8_t sectors, int sm, std::uint64_t now) {
  sink_.host_write(sectors_in(sectors), sectors_in(sectors));
  return path_ ? path_->host(sm, sectors_in(sectors), now) : now;
}

}  // namespace warpmem::model
