// The partitioned L2 with its request coalescer in front and DRAM behind it, as an H200 has them:
// two sides, half of the SMs on each; a line's home is one side.
//
// A read looks up the reader's side; what it misses of a far line crosses the fabric, looks up
// home, and is then kept on both sides. Writes and atomics go home; a write from afar is looked up
// at the near side too. DRAM moves 64 bytes at a time on reads. In front is a coalescer
// (read_coalescer.hpp), which the cache notifies when reads are back: from unloaded latencies and
// the queue in front of DRAM, or when the path says.
//
// Sources: side hash, copies and what each counter sees: measured (cards/gpus/h200/README.md; L2
// sweeps, store footprints and reads of one line by pairs of SMs, kernels/micro/l2_policy.cu,
// 2026-11-21). Leaves out: compression, ECC reads, the order of requests inside a slice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/prefetch.hpp"
#include "model/access/access.hpp"
#include "model/access/line_words.hpp"
#include "model/interconnect/latencies.hpp"
#include "model/interconnect/memory_path.hpp"
#include "model/l2/l2_side.hpp"
#include "model/l2/read_coalescer.hpp"
#include "model/l2/spec.hpp"
#include "model/sink/l2_counting.hpp"

namespace warpmem::model {

class L2Cache {
 public:
  using Spec = L2Spec;
  using Outstanding = ReadCoalescer::Outstanding;
  using Sm = ReadCoalescer::Sm;
  // Whether what it says of time may have to wait for others' requests (l2_requests.hpp).
  static constexpr bool kAnswersLater = false;
  // Where a line belongs: worked out once, used by everything that concerns the line.
  struct Route {
    L2Side::SetTag set_tag;
    std::uint8_t home;    // side
    std::uint16_t entry;  // of its GPC's for reads outstanding
  };
  // A list of lines with the same for each, and what reads of each take that meet nobody, in the
  // unit of latencies_. All in one place: loops over it need to know no other.
  struct Routed : LineList {
    L2Side::SetTags set_tag;
    std::array<std::uint8_t, kMost> home;
    std::array<std::uint16_t, kMost> entry;
    std::array<std::uint32_t, kMost> near, dram;  // a hit, more for DRAM
    Route route(std::size_t i) const { return {set_tag[i], home[i], entry[i]}; }
    void put(std::size_t i, const Route& r) {
      set_tag.put(i, r.set_tag);
      home[i] = r.home, entry[i] = r.entry;
    }
  };
  // What a read of a line takes that meets nobody, in cycles: a hit, more for DRAM.
  struct Draw {
    std::uint32_t near, dram;
  };
  explicit L2Cache(const Spec& spec);
  L2Cache(const L2Cache&) = delete;
  L2Cache& operator=(const L2Cache&) = delete;

  Route route(std::uint64_t line) {
    return {side_[0].set_tag(line), static_cast<std::uint8_t>(home(line)),
            ReadCoalescer::slot(line)};
  }
  Draw draw(std::uint64_t line) const {
    const std::uint32_t of = Latencies::draw_of(line >> part_bits_);
    return {latencies_.near(of), latencies_.dram(of)};
  }
  // Says the same of all lines of the list.
  void route(Routed& lines, const LineWords& words);
  void route(Routed& lines) { route(lines, LineWords(lines)); }

  // Reads `sectors` of a line for an SM at cycle `now`; the cycle in which they are back.
  // `fetch_sectors`: how much of the line DRAM brings along; 0: as the launch says. `apart`: it
  // does not travel with misses on other sectors of the line.
  std::uint64_t read(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                     std::uint64_t now, std::uint32_t fetch_sectors = 0, Stay stay = Stay::kUnsaid,
                     const MemoryPath::Address* address = nullptr, bool apart = false);
  std::uint64_t read(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now,
                     std::uint32_t fetch_sectors = 0, Stay stay = Stay::kUnsaid) {
    return read(sm, line, route(line), sectors, now, fetch_sectors, stay);
  }
  // The same for the only line of a list, of which nothing is said.
  std::uint64_t read(int sm, const Routed& lines, std::uint8_t sectors, std::uint64_t now,
                     std::uint32_t fetch_sectors, const MemoryPath::Address* address);
  // The same for some lines of an access, one after the other, kLinesACycle of its list a cycle;
  // of which nothing is said. `addresses`: on the path that take() was given, if any. `done`: by
  // line, the cycle in which it is back.
  void read(int sm, const Routed& lines, const MemoryPath::Addresses* addresses,
            const LineParts& parts, std::uint64_t now, std::uint32_t fetch_sectors,
            std::uint64_t* done);
  // The same of one line of which nothing is said, where no time is kept (l2_one_line.hpp).
  std::uint64_t read_alone(int sm, std::uint64_t line, const Route& route, const Draw& draw,
                           std::uint8_t sectors, std::uint64_t now, std::uint32_t fetch_sectors);
  // `again`: sectors that rode on an earlier store's request; `opens`: this store starts a request.
  // The cycle in which the L2 has it, where time is kept; otherwise `now`.
  std::uint64_t write(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                      std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again = 0,
                      bool opens = true, std::uint64_t now = 0, Stay stay = Stay::kUnsaid);
  std::uint64_t write(int sm, std::uint64_t line, std::uint8_t sectors, std::uint8_t full,
                      const std::uint32_t* bytes, std::uint8_t again = 0, bool opens = true) {
    return write(sm, line, route(line), sectors, full, bytes, again, opens);
  }
  // The same for the only line of a list.
  std::uint64_t write(int sm, const Routed& lines, std::uint8_t again, bool opens,
                      std::uint64_t now);
  // The same for whole sectors, where no time is kept (l2_one_line.hpp).
  void write_alone(int sm, const Route& route, std::uint8_t sectors, std::uint8_t again,
                   bool opens);
  // `passes` sector operations on one sector, so many of them on a part of it, in requests of which
  // so many have a header beside the operands; the cycle in which they are done.
  struct AtomicWork {
    std::uint32_t partly = 1, headed = 0;
    std::uint32_t twice = 0, together = 0;  // MemoryPath::Write
  };
  std::uint64_t atomic(int sm, std::uint64_t sector, int passes, bool returns, std::uint64_t now,
                       AtomicWork work, Stay stay = Stay::kUnsaid);
  std::uint64_t atomic(int sm, std::uint64_t sector, int passes, bool returns,
                       std::uint64_t now = 0) {
    return atomic(sm, sector, passes, returns, now, {});
  }
  // Brings sectors of a line to its home, for nobody.
  void bring(int sm, std::uint64_t line, std::uint8_t sectors, std::uint64_t now, Stay stay);
  // Changes what the line is at home, or gives it up with what was written to it.
  void change(int sm, std::uint64_t line, Stay stay, bool discard);
  // From now on accesses take the time that they take on this path; nullptr: unloaded latencies.
  void take(MemoryPath* path) {
    path_ = path;
    latencies_ = path ? path->latencies() : unloaded_;
    part_bits_ = path ? path->part_bits() : 0;
  }
  // Cycle in which a write() asked for at `now` left its SM.
  std::uint64_t sent(std::uint64_t now) const { return path_ ? path_->sent() : now; }
  // Has what a read or write of the line will look at brought into the host's cache; changes
  // nothing. A write looks at both sides.
  void prefetch(int sm, const Route& route, bool writes) const {
    const Sm& from = reads_.sm(sm);
    sets_[from.side].prefetch(route.set_tag.set);
    // No branch: whether it is a write nobody can guess.
    const std::uint32_t write = -std::uint32_t{writes};
    const std::uint32_t other = route.home ^ ((route.home ^ (1 - from.side)) & write);
    sets_[other].prefetch(route.set_tag.set);
    warpmem::prefetch(reads_.entries(from) + (route.entry & ~write));
  }
  // The same for the reads of a list.
  void prefetch_reads(int sm, const Routed& lines) const {
    const Sm from = reads_.sm(sm);
    const Outstanding* const entries = reads_.entries(from);
    for (std::size_t i = 0; i < static_cast<std::size_t>(lines.count); ++i) {
      sets_[from.side].prefetch(lines.set_tag.set[i]);
      sets_[lines.home[i]].prefetch(lines.set_tag.set[i]);
      warpmem::prefetch(entries + lines.entry[i]);
    }
  }
  // The same for what a read's path looks at, where time is kept.
  void prefetch_path(int sm, std::uint64_t line, const Route& route,
                     const MemoryPath::Address& address) const {
    path_->prefetch(line, address, static_cast<int>(reads_.sm(sm).side), route.home);
  }
  // Traffic to host memory passes through and is not kept.
  std::uint64_t read_host(std::uint8_t sectors, std::uint64_t now = 0);
  std::uint64_t write_host(std::uint8_t sectors, int sm = 0, std::uint64_t now = 0);

  // Forgets all, as a profiler does between passes, and leaves `dirty_sectors` of somebody else's.
  void flush(std::uint64_t dirty_sectors = 0);
  // A launch has so many bytes of code fetched, by each GPC for itself: from DRAM if it is `cold`,
  // and once across the fabric, half of the lines each direction. Takes up no room here. Measured:
  // sim/code/code_size.hpp.
  void fetch_code(std::uint64_t bytes, bool cold);
  void settle();  // no read is outstanding any more; cycles may start again
  void set_aside(std::uint64_t bytes);
  void end_persisting();
  // Sectors that DRAM brings along at least; 0: as the Spec says.
  void fetch_granularity(std::uint32_t sectors) {
    fetch_sectors_ = std::min(sectors ? sectors : spec_.fetch_sectors, line_.sectors());
  }
  void begin_launch() { sink_.counters = {}; }
  LineSize line() const { return line_; }
  L2Counting& sink() { return sink_; }
  const L2Counters& counters() const { return sink_.counters; }
  std::uint64_t dirty_sectors() const;

 private:
  friend class SplitL2;  // several of these in the place of one
  // In a way that loops over many lines can take as well.
  static std::uint32_t parity(std::uint64_t bits) {
    for (int half = 32; half > 0; half /= 2) bits ^= bits >> half;
    return static_cast<std::uint32_t>(bits & 1);
  }
  std::uint32_t home(std::uint64_t line) const {
#ifdef __GNUC__
    return static_cast<std::uint32_t>(__builtin_parityll(line & home_mask_));
#else
    return parity(line & home_mask_);
#endif
  }
  // Counts what a side has pushed out since the last time, and adds it to `out`.
  void account(L2Side& side, L2Side::Traffic& out) {
    if (!side.has_traffic()) [[likely]]
      return;
    const L2Side::Traffic t = side.take_traffic();
    account(t);
    out.add(t);
  }
  void account(const L2Side::Traffic& t) {
    sink_.dram_reads(t.fills);
    sink_.dram_writes(t.writes);
    sink_.refills(t.fills);
  }
  // What reads of one access have caused on both sides, in their order, for the path to DRAM.
  struct Caused {
    std::size_t number;  // among those that were looked up there
    L2Side::Traffic traffic;
  };
  struct Causes {
    std::array<Caused, LineList::kMost> at_home, near;
    std::size_t homes = 0, nears = 0;
    std::array<MemoryPath::Pushed, LineList::kMost> pushed;
  };
  std::span<const MemoryPath::Pushed> account(Causes& causes, const std::uint8_t* number);
  // The line of which the latest was, as the path to DRAM wants to know it.
  std::uint64_t pushed_out(const L2Side::Traffic& t) const {
    return side_[0].line_of(t.set, t.short_tag);
  }
  // What a read of a line misses on its reader's side, what of that DRAM brings, and whether it
  // crosses to the other side.
  struct Met {
    std::uint8_t missing, fetched;
    bool crosses;
  };
  Met meet(std::uint32_t side, const Route& route, std::uint8_t sectors, std::uint8_t joined,
           std::uint32_t granularity, Stay stay, L2Side::Traffic& out);
  std::uint64_t back(const Draw& draw, const Met& met, std::uint64_t now);
  void put(std::uint32_t near, const Route& route, std::uint8_t sectors, std::uint8_t full,
           const std::uint32_t* bytes, std::uint8_t again, bool opens, Stay stay,
           L2Side::Traffic& out);
  // Those reads of an access that go on to the reader's side, with what it lacks, and those that go
  // on from there to their home, with what that lacks.
  struct Sent {
    LineParts asked;
    std::array<std::uint8_t, LineList::kMost> missing, crossing, fetched;  // by number
    std::size_t crossed = 0;
    std::array<std::uint8_t, LineList::kMost> number;  // in `asked`
    // Reads that another's answer serves.
    std::array<MemoryPath::Shared, LineList::kMost> shared;
    std::size_t shares = 0;
  };
  template <bool timed, bool unshared>
  void look_up(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
               std::uint32_t granularity, std::uint64_t* done, Sent& out);
  static bool meet_any(const Outstanding* entries, const Routed& lines, const LineParts& parts);
  void wait(const Routed& lines, const LineParts& parts, std::uint64_t now,
            const std::uint8_t* fetched, std::uint64_t crossing, std::uint64_t* done);
  bool back_avx512(const Routed& lines, const LineParts& parts, std::uint64_t now,
                   const std::uint8_t* fetched, std::uint64_t crossing, std::uint64_t* done);
  void enter(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
             const std::uint8_t* missing, const std::uint64_t* until);
  bool enter_avx512(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
                    const std::uint8_t* missing, const std::uint64_t* until);
  void read_unshared(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
                     std::uint32_t granularity, std::uint64_t* done);
  bool read_unshared_avx512(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
                            std::uint32_t granularity, std::uint64_t* done);
  void read_counting(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
                     std::uint32_t granularity, std::uint64_t* done);
  void look_up_timed(int sm, const Routed& lines, const LineParts& parts, std::uint64_t now,
                     std::uint32_t granularity, std::uint64_t* done, Sent& out);
  void look_up_unshared(int sm, const Routed& lines, const LineParts& parts,
                        std::uint32_t granularity, Sent& out);
  static void remember(Outstanding& p, std::uint64_t line, std::uint64_t done);
  std::uint8_t bring_home(int sm, std::uint64_t line, std::uint8_t& sectors, std::uint8_t& crossing,
                          Stay stay, L2Side::Traffic& out);
  std::uint64_t read_one(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                         std::uint64_t now, std::uint32_t fetch_sectors, Stay stay,
                         const MemoryPath::Address* address, bool apart);
  std::uint64_t write_one(int sm, std::uint64_t line, const Route& route, std::uint8_t sectors,
                          std::uint8_t full, const std::uint32_t* bytes, std::uint8_t again,
                          bool opens, std::uint64_t now, Stay stay);
  // No more than a line.
  std::uint32_t granularity(std::uint32_t asked) const {
    return asked ? std::min(asked, line_.sectors()) : fetch_sectors_;
  }
  std::uint64_t dram_queue(std::uint64_t& free, std::uint64_t now, std::uint8_t sectors) const;
  static void draw(const LineWords& words, std::uint64_t home_mask, const Latencies& latencies,
                   Routed& out);
  static void draw_plain(const LineWords& words, std::uint64_t home_mask,
                         const Latencies& latencies, Routed& out);
  static void draw_avx512(const LineWords& words, std::uint64_t home_mask,
                          const Latencies& latencies, Routed& out);
  // Bits 32 to 63 of a product.
  static std::uint32_t upper_word(std::uint32_t n, std::uint64_t factor) {
    return static_cast<std::uint32_t>(std::uint64_t{n} * static_cast<std::uint32_t>(factor) >> 32) +
           n * static_cast<std::uint32_t>(factor >> 32);
  }

  Spec spec_;
  LineSize line_;
  std::uint32_t fetch_sectors_ = 2;            // of this launch
  std::uint64_t home_mask_ = 0;                // line-address bits whose parity is the home side
  std::array<std::uint64_t, 16> dram_cost_{};  // millicycles, by sectors
  std::array<L2Side, 2> side_;
  std::array<L2Side::Memory, 2> sets_;  // of each side
  ReadCoalescer reads_;
  std::uint64_t dram_free_ = 0;  // millicycles: when DRAM is done with what it was asked for
  L2Counting sink_;
  Causes causes_;           // scratch
  Latencies unloaded_;      // cycles
  Latencies latencies_;     // these, or those of path_
  unsigned part_bits_ = 0;  // low bits of a line's number that these do not hang on
  MemoryPath* path_ = nullptr;
};

}  // namespace warpmem::model
