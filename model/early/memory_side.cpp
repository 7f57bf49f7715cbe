#include "model/early/memory_side.hpp"

#include <algorithm>

namespace warpmem::model {

MemorySide::MemorySide(const EarlySpec& spec, MemoryPath* path)
    : sink(spec.line_bytes, spec.has_l2 ? Level::kL2 : Level::kDram),
      spec_(spec),
      path_(path),
      dram_(spec.dram),
      map_{spec.l2_partitions, spec.dram.channels, spec.dram.interleave_lines},
      textures_(spec.texture_second),
      traffic_(spec.dram.channels) {
  if (!spec.has_l2) return;
  for (std::uint32_t i = 0; i < spec.l2_partitions; ++i)
    partitions_.emplace_back(spec.l2, spec.line_bytes);
}

void MemorySide::begin(bool flush) {
  if (flush)
    for (L2Partition& p : partitions_) p.clear();
  if (flush) textures_.clear();
  dram_free_ = 0;
  traffic_.clear();
  sink.counters = {};
}

L2Partition& MemorySide::partition(std::uint64_t line) {
  const std::uint64_t on = on_path(line);
  return partitions_[map_.of(on, dram_.find(on).channel)];
}

void MemorySide::dram_read(std::uint64_t line, std::uint64_t sectors, int sm, std::uint64_t now) {
  if (sectors == 0) return;
  traffic_.read(dram_.find(on_path(line)).channel, sectors, now);
  sink.dram_reads({sm, line}, sectors);
}

void MemorySide::dram_write(std::uint64_t line, std::uint64_t sectors, int sm, std::uint64_t now) {
  if (sectors == 0) return;
  traffic_.write(dram_.find(on_path(line)).channel, sectors, now);
  sink.dram_writes({sm, line}, sectors);
}

L2Partition::Traffic MemorySide::account(L2Partition& partition, int sm, std::uint64_t now) {
  const L2Partition::Traffic t = partition.take_traffic();
  sink.refills(t.fills);
  dram_read(t.line, t.fills, sm, now);
  dram_write(t.line, t.writes, sm, now);
  return t;
}

std::uint64_t MemorySide::latency(std::uint64_t line, unsigned fetched, std::uint64_t now) {
  const std::uint32_t draw = Latencies::draw_of(line);
  std::uint64_t done = now + spec_.latency.near(draw);
  if (fetched == 0) return done;
  const std::uint64_t from = std::max(dram_free_, now * 1000);
  dram_free_ = from + fetched * std::uint64_t{1000000} / spec_.dram_sectors_per_kilocycle;
  return done + spec_.latency.dram(draw) + from / 1000 - now;
}

std::uint64_t MemorySide::read(int sm, std::uint64_t line, std::uint8_t sectors,
                               std::uint64_t now) {
  const std::uint64_t asked = sectors_in(sectors);
  sink.read_requests(1);
  sink.reads(asked);
  sink.request({sm, line}, 1);
  std::uint8_t fetched = sectors;
  L2Partition::Traffic pushed;
  if (spec_.has_l2) {
    L2Partition& p = partition(line);
    const L2Partition::Found found = p.read(line, sectors, spec_.l2.fetch_sectors, Stay::kNormal);
    fetched = found.missing;
    sink.look_up({sm, line}, asked, sectors_in(found.here & sectors));
    pushed = account(p, sm, now);
  }
  const std::uint64_t done = answer(sm, line, sectors, fetched, now);
  if (path_ && pushed.writes)
    path_->write_back({0, on_path(pushed.line), pushed.fills, pushed.writes}, now);
  return done;
}

// A line of it holds several of those that are asked for. What a miss brings is not known: here,
// the sectors.
std::uint64_t MemorySide::read_texture(int sm, std::uint64_t line, std::uint8_t sectors,
                                       std::uint64_t now) {
  if (!textures_.exists()) return read(sm, line, sectors, now);
  const std::uint64_t lines = std::max(1u, spec_.texture_second.line_bytes / spec_.line_bytes);
  const auto first = static_cast<unsigned>(line % lines * spec_.line_bytes / kSectorBytes);
  const LineCache::Found found =
      textures_.load(line / lines, static_cast<std::uint8_t>(sectors << first));
  const auto missing = static_cast<std::uint8_t>(found.missing >> first);
  const std::uint64_t asked = sectors_in(sectors), hits = asked - sectors_in(missing);
  sink.read_requests(1);
  sink.reads(asked);
  sink.request({sm, line}, 1);
  sink.look_up({sm, line}, asked, hits);
  const std::uint64_t done = answer(sm, line, sectors, missing, now);
  if (missing) textures_.arrives(line / lines, done);
  return std::max(done, found.arrival);
}

std::uint64_t MemorySide::answer(int sm, std::uint64_t line, std::uint8_t sectors,
                                 std::uint8_t fetched, std::uint64_t now) {
  dram_read(line, sectors_in(fetched), sm, now);
  if (!path_) return latency(line, sectors_in(fetched), now);
  return path_->read({sm, on_path(line), on_path(line, sectors), 0, on_path(line, fetched), 0, 0},
                     now);
}

std::uint64_t MemorySide::write(int sm, const LineTouch& written, std::uint8_t moved,
                                std::uint64_t now) {
  const std::uint32_t sent = sectors_in(moved);
  sink.writes({sm, written.line}, 1, sent, spec_.has_l2 ? sent : 0);
  MemoryPath::Write w;
  w.sm = sm;
  w.line = on_path(written.line);
  w.sectors = sent;
  w.partial = sectors_in(static_cast<std::uint8_t>(written.sectors & ~written.full));
  if (spec_.has_l2) {
    L2Partition& p = partition(written.line);
    p.write(written);
    const L2Partition::Traffic pushed = account(p, sm, now);
    w.other = on_path(pushed.line);
    w.fills = pushed.fills;
    w.evicted = pushed.writes;
  } else {
    dram_write(written.line, sent, sm, now);
    w.other = w.line;
    w.evicted = sent;
  }
  return path_ ? path_->write(w, now) : now;
}

// The partition reads the sector, changes it and keeps it; without an L2, DRAM has it again.
std::uint64_t MemorySide::atomic(int sm, std::uint64_t line, std::uint32_t sector,
                                 std::uint32_t passes, bool returns, std::uint64_t now) {
  const auto bit = static_cast<std::uint8_t>(1u << sector);
  MemoryPath::Write w;
  w.sm = sm;
  w.line = on_path(line);
  w.atomic = w.partly = w.headed = passes;
  w.returns = returns;
  unsigned fetched = passes;
  if (spec_.has_l2) {
    L2Partition& p = partition(line);
    const L2Partition::Found found = p.read(line, bit, 1, Stay::kNormal);
    fetched = sectors_in(found.missing);
    LineTouch changed;
    changed.line = line;
    changed.sectors = changed.full = bit;
    changed.bytes[sector] = ~0u;
    p.write(changed);
    const L2Partition::Traffic pushed = account(p, sm, now);
    w.other = on_path(pushed.line);
    w.fills = pushed.fills;
    w.evicted = pushed.writes;
  } else {
    dram_write(line, passes, sm, now);
    w.other = w.line;
    w.evicted = passes;
  }
  dram_read(line, fetched, sm, now);
  sink.atomics({sm, line}, returns, passes, spec_.has_l2 ? passes - fetched : 0);
  w.fetched = fetched;
  if (path_) return path_->write(w, now);
  return returns ? latency(line, fetched, now) : now;
}

std::uint64_t MemorySide::host(int sm, std::uint8_t sectors, bool writes, std::uint64_t now) {
  const std::uint32_t n = sectors_in(sectors);
  if (writes) sink.host_write(n, 0);
  else sink.host_read(n);
  if (path_) return path_->host(sm, n, now);
  return writes ? now : now + spec_.latency_host;
}

}  // namespace warpmem::model
