#include "tests/twin/l2.hpp"

#include <algorithm>
#include <set>

namespace warpmem::twin {

L2::L2(const TwinSpec& spec) : spec_(spec) {
  empty();
  settle();
}

void L2::empty() {
  sides_.clear();
  while (sides_.size() < spec_.l2.partitions) sides_.emplace_back(spec_);
}

void L2::settle() {
  coalescer_.emplace(spec_);
  dram_free_ = 0;
}

void L2::flush() {
  empty();
  settle();
  // Lines that no program has.
  for (std::uint64_t i = 0; i < spec_.l2.dirty_before / spec_.sectors(); ++i) {
    Touch all;
    all.line = (std::uint64_t{1} << 40) + i;
    std::fill_n(all.bytes.begin(), spec_.sectors(), ~0u);
    sides_[spec_.l2.home_of(all.line)].write(all);
  }
  for (L2Side& side : sides_) side.take_written_back();
}

void L2::set_aside(std::uint64_t bytes) {
  for (L2Side& side : sides_) side.set_aside(bytes / sides_.size());
}

void L2::end_persisting() {
  for (L2Side& side : sides_) side.end_persisting();
}

void L2::fetch_code(std::uint64_t bytes, bool cold) {
  const std::uint64_t sectors = (bytes + spec_.sector_bytes - 1) / spec_.sector_bytes;
  const std::set<std::uint32_t> groups(spec_.coalescer.group_of_sm.begin(),
                                       spec_.coalescer.group_of_sm.end());
  counters.launch_read += groups.size() * sectors;
  if (sides_.size() > 1) counters.fabric_read += sectors;
  if (cold) counters.dram_read += sectors;
}

void L2::write_back(L2Side& side) {
  const WrittenBack w = side.take_written_back();
  counters.dram_read += w.fills;
  counters.refill_writes += w.fills;
  counters.dram_write += w.writes;
}

// How long a read waits for those before it.
std::uint64_t L2::dram_wait(Sectors sectors, std::uint64_t now) {
  const std::uint64_t at = std::max(dram_free_, now * 1000);
  dram_free_ = at + count(sectors) * 1000000 / spec_.dram.sectors_per_kilocycle;
  return at / 1000 - now;
}

std::uint64_t L2::read(int sm, std::uint64_t line, Sectors sectors, std::uint64_t now,
                       ReadOptions how) {
  const ReadCoalescer::Asked asked = coalescer_->ask(sm, line, sectors, now, how.apart);
  if (asked.merged) {
    counters.merged += count(sectors);
    return asked.read->until;
  }
  const Sectors joined = asked.opens ? 0 : asked.read->brought;
  counters.read_requests += asked.opens;
  counters.read += count(sectors);

  const std::uint32_t near = side_of(sm), home = static_cast<std::uint32_t>(spec_.l2.home_of(line));
  const L2Side::Found found =
      sides_[near].read(line, sectors, how.fetch_sectors ? how.fetch_sectors : fetch_sectors_,
                        near == home ? how.stay : of_copy(how.stay));
  // What arrives with the very request that this read is part of was no hit.
  counters.read_hit += count(found.here & sectors & ~joined);
  std::uint64_t done = now + spec_.latency.near(line);
  Sectors fetched = found.missing;
  if (found.missing && home != near) {
    const L2Side::Found there = sides_[home].read(line, found.missing, 1, how.stay);
    counters.fabric_read += count(found.missing);
    counters.fabric_read_hit += count(there.here & found.missing);
    fetched = there.missing;
    done += spec_.latency.far;
  }
  for (L2Side& side : sides_) write_back(side);
  counters.dram_read += count(fetched);
  if (fetched) done += spec_.latency.dram(line) + dram_wait(fetched, now);
  asked.read->brought |= found.missing;
  asked.read->until = std::max(asked.read->until, done);
  return done;
}

void L2::write(int sm, const Touch& written, Sectors again, bool opens, Stay stay) {
  const Sectors sectors = written.sectors(), full = written.full(spec_);
  const std::uint64_t sent = count(sectors & ~again);
  counters.write_requests += opens;
  counters.write += sent;
  counters.write_hit += sent;
  const std::uint32_t near = side_of(sm),
                      home = static_cast<std::uint32_t>(spec_.l2.home_of(written.line));
  sides_[home].write(written, stay);
  if (home != near) {
    counters.fabric_write += sent;
    // The writer's side keeps what it wrote whole; what it wrote in part is stale there.
    sides_[near].drop(written.line, sectors & ~full);
    if (full) sides_[near].fill(written.line, full, of_copy(stay));
  } else {
    for (std::uint32_t side = 0; side < sides_.size(); ++side)
      if (side != near) sides_[side].drop(written.line, sectors);
  }
  for (L2Side& side : sides_) write_back(side);
}

std::uint64_t L2::atomic(int sm, std::uint64_t line, std::uint32_t sector, std::uint64_t passes,
                         bool returns, std::uint64_t now, Stay stay) {
  const std::uint32_t near = side_of(sm), home = static_cast<std::uint32_t>(spec_.l2.home_of(line));
  L2Side& side = sides_[home];
  const Sectors bit = 1u << sector, here = side.look_up(line);
  std::uint64_t hits = passes;
  if (!(here & bit)) {
    const Sectors fetched = L2Side::in_pieces(bit, fetch_sectors_, spec_) & ~here;
    counters.dram_read += count(fetched);
    side.fill(line, fetched, stay);
    --hits;
  }
  Touch all;
  all.line = line;
  all.bytes[sector] = ~0u;
  side.write(all, stay);
  write_back(side);
  for (std::uint32_t other = 0; other < sides_.size(); ++other)
    if (other != home) sides_[other].drop(line, bit);
  if (home != near) counters.fabric_atomic += passes;
  (returns ? counters.atomic : counters.reduction) += passes;
  (returns ? counters.atomic_hit : counters.reduction_hit) += hits;
  return now + spec_.latency.least_near + spec_.latency.far;
}

void L2::bring(int sm, std::uint64_t line, Sectors sectors, std::uint64_t now, Stay stay) {
  const std::uint32_t near = side_of(sm), home = static_cast<std::uint32_t>(spec_.l2.home_of(line));
  counters.prefetch += count(sectors);
  if (near != home) {
    sectors &= ~sides_[near].look_up(line);
    counters.fabric_prefetch += count(sectors);
    if (!sectors) return;
  }
  const Sectors fetched = sides_[home].read(line, sectors, fetch_sectors_, stay).missing;
  write_back(sides_[home]);
  counters.dram_read += count(fetched);
  if (fetched) dram_wait(fetched, now);
}

void L2::change(int sm, std::uint64_t line, Stay stay, bool discard) {
  const std::uint32_t home = static_cast<std::uint32_t>(spec_.l2.home_of(line));
  counters.prefetch += spec_.sectors();
  if (side_of(sm) != home) counters.fabric_prefetch += spec_.sectors();
  if (!discard) return sides_[home].keep(line, stay);
  for (std::uint32_t side = 0; side < sides_.size(); ++side)
    if (side == home) sides_[side].discard(line);
    else sides_[side].drop(line, ~0u);
}

std::uint64_t L2::read_host(Sectors sectors, std::uint64_t now) {
  ++counters.read_requests;
  counters.read += count(sectors);
  counters.sysmem_read += count(sectors);
  return now + spec_.latency.host;
}

void L2::write_host(Sectors sectors) {
  ++counters.write_requests;
  counters.write += count(sectors);
  counters.write_hit += count(sectors);
  counters.sysmem_write += count(sectors);
}

}  // namespace warpmem::twin
