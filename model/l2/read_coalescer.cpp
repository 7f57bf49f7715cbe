#include "model/l2/read_coalescer.hpp"

#include "base/large_pages.hpp"

namespace warpmem::model {

// An entry counts the SMs that it serves in a byte.
void ReadCoalescer::resize(std::size_t sms, std::size_t groups) {
  spec_.merge = std::min(spec_.merge, 255u);
  coalesces_ = spec_.merge > 1 || spec_.read_cycles > 0;
  sms_.resize(std::max<std::size_t>(256, sms));
  entries_ = std::pmr::vector<Outstanding>(groups * kEntries, large_pages());
}

// A read of a line that another is outstanding for.
ReadCoalescer::Asked::How ReadCoalescer::meet(int sm, Sm& from, Outstanding& entry,
                                              std::uint8_t sectors, std::uint64_t now,
                                              bool apart) const {
  using How = Asked::How;
  if (now >= entry.until) return How::kOwn;
  // The same sectors: one more reader of the same answer, another SM's or the same one's. It has to
  // be at the coalescer before the answer is. Of what the reader's side has, that is as long as the
  // path there and back takes with nobody on it, however long requests wait in front of slices: SMs
  // that read at random in tables of 64 KiB to 4 MiB share 1 to 4 % of their requests
  // (kernels/micro/l2_random.cu).
  const std::uint64_t answered =
      entry.brought()
          ? entry.until
          : std::min(entry.until,
                     entry.leaves + spec_.unloaded.near(Latencies::draw_of(entry.line)));
  if (entry.sectors() == sectors && entry.served() < spec_.merge &&
      now + spec_.path_cycles < answered) {
    entry.merge();
    return How::kMerged;
  }
  // Only other sectors of the line: what past its L1 an SM requests for twice it gets twice
  // (l1tex__m_xbar2l1tex_read_sectors of the suite's load_paths_ldcg), so that travelled apart.
  if (apart || !entry.is_of(sm) || (entry.sectors() & sectors) != 0 || now > entry.leaves ||
      from.requests - entry.number >= spec_.read_entries)
    return How::kOwn;
  entry.leaves = std::max(entry.leaves, now + spec_.read_cycles);
  from.leaves = std::max(from.leaves, entry.leaves);
  return How::kJoined;
}

[[gnu::noinline]] ReadCoalescer::Asked ReadCoalescer::ask(int sm, Sm& from, Outstanding& entry,
                                                          std::uint64_t line, std::uint8_t sectors,
                                                          std::uint64_t now, bool apart) const {
  if (entry.line == line && coalesces_) {
    const Asked::How how = meet(sm, from, entry, sectors, now, apart);
    if (how == Asked::How::kMerged) return {how};
    if (how == Asked::How::kJoined) {
      entry.ask(sectors);
      return {how, entry.brought()};
    }
  }
  open(sm, from, entry, line, sectors, now);
  return {Asked::How::kOwn};
}

void ReadCoalescer::clear() {
  std::fill(entries_.begin(), entries_.end(), Outstanding{});
  for (Sm& s : sms_) s.leaves = 0;
}

}  // namespace warpmem::model
