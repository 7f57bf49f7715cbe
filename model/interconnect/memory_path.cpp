#include "model/interconnect/memory_path.hpp"

#include <algorithm>
#include <utility>

#include "base/wide_hosts.hpp"
#include "model/access/access.hpp"
#include "model/cache/tag_banks.hpp"

namespace warpmem::model {
MemoryPath::MemoryPath(const Spec& spec)
    : spec_(spec),
      part_bits_(7 - LineSize(spec.line_bytes).shift()),
      part_sectors_(LineSize(spec.line_bytes).sectors()),
      latencies_{spec.near_cycles * static_cast<std::uint32_t>(kTicks) / 2,
                 spec.near_spread * static_cast<std::uint32_t>(kTicks),
                 spec.dram_cycles * static_cast<std::uint32_t>(kTicks),
                 spec.dram_spread * static_cast<std::uint32_t>(kTicks),
                 spec.dram_tail * static_cast<std::uint32_t>(kTicks)},
      slices_of_{spec.slices / spec.sides,
                 SmallDivisor(std::max<std::uint32_t>(1, spec.slices / spec.sides / 2))},
      partitions_{spec.slices, spec.dram.channels, spec.dram.interleave_lines},
      dram_(spec.dram, &memory_) {
  for (std::uint8_t sectors = 0; sectors < slice_ticks_.size(); ++sectors) {
    slice_ticks_[sectors] = read_work(sectors_in(sectors), 0);
    fill_ticks_[sectors] = read_work(0, sectors_in(sectors)) - read_work(0, 0);
  }
  clear();
}

void MemoryPath::clear() {
  receive_.assign(spec_.sms, {});
  send_.assign(spec_.sms, {});
  remote_.assign(spec_.sms, {});
  slices_.assign(spec_.slices, {});
  for (std::size_t side = 0; side < spec_.sides; ++side) fills_[side].clear();
  held_.assign(spec_.sms, 0);
  summed_.assign(slices_.size(), ~std::uint64_t{0});
  host_ = {};
  sectors_read_ = sector_cycles_ = remote_sectors_ = 0;
  dram_.clear();
}

WARPMEM_WIDE_HOSTS void MemoryPath::slices_of(const std::uint64_t* __restrict line,
                                              std::size_t count, const Slices& slices,
                                              std::uint32_t* __restrict out) {
  const Slices s = slices;
  for (std::size_t i = 0; i < count; ++i) out[i] = s.slice(line[i]);
}

void MemoryPath::addresses_of(const LineList& lines, Addresses& out) const {
  if (part_bits_) {
    for (int i = 0; i < lines.count; ++i)
      out.put(static_cast<std::size_t>(i), address_of(lines.line[static_cast<std::size_t>(i)]));
    return;
  }
  dram_.find(lines, out.dram);
  slices_of(lines.line.data(), static_cast<std::size_t>(lines.count), slices_of_, out.slice.data());
}

// A queue longer than its room is felt by the SM: it sends no more until the rest would fit. Reads
// have their room in the L1, where their lines are waited for: 64 warps of an SM that read rows of
// 96 bytes at random, eight loads outstanding a warp, keep issuing a row's loads one behind the
// other (kernels/micro/issue_misses.cu), which they could not if the SM were held.
void MemoryPath::hold(int sm, std::uint64_t queued, std::uint64_t now) {
  const std::uint64_t room = std::uint64_t{spec_.queue_cycles} * kTicks;
  if (queued <= room) return;
  std::uint64_t& held = held_[static_cast<std::size_t>(sm)];
  held = std::max(held, now + (queued - room) / kTicks);
}

// From the near side's slice to that of the home.
inline void MemoryPath::cross(Trip& trip, std::uint32_t slice_at, int home, std::uint8_t crossing,
                              std::uint8_t fetched) {
  trip.at += spec_.far_cycles * kTicks;
  queue(trip, slice(slice_at, home), read_work(sectors_in(crossing), sectors_in(fetched)));
}

inline void MemoryPath::fetch(Trip& trip, const Dram::Address& address, std::uint8_t fetched,
                              std::uint32_t latency) {
  const std::uint64_t asked = trip.at + latency;
  trip.at = dram_.read(address, sectors_in(fetched), asked);
  trip.queued += trip.at - asked - dram_.refresh_wait();
}

// Back at its SM, when all is there that the near side had and what it had not.
inline std::uint64_t MemoryPath::deliver(const Trip& trip, int near, std::uint64_t line,
                                         std::uint8_t asked, std::uint8_t missing, Throughput& port,
                                         std::uint64_t now) {
  // What others asked for and has not come yet.
  Fills& fills = fills_[static_cast<std::size_t>(near)];
  const std::uint64_t there = until<true>(fills, line, asked & ~missing);
  add<true>(fills, line, missing, trip.at);
  const std::uint64_t sent = std::max(trip.at, there) + spec_.near_cycles * kTicks / 2;
  arrived_ = sent / kTicks;
  return receive(port, asked, sent, now);
}

std::uint64_t MemoryPath::read(const Read& r, const Address& address, std::uint64_t now) {
  const std::uint32_t draw = Latencies::draw_of(whole(r.line));
  const auto missing = static_cast<std::uint8_t>(r.crossing | r.fetched);
  Trip trip{now * kTicks + latencies_.near(draw), 0};
  queue(trip, slice(address.slice, r.near), read_work(sectors_in(r.sectors), sectors_in(missing)));
  Fills& home = fills_[static_cast<std::size_t>(r.home)];
  if (r.crossing) {
    cross(trip, address.slice, r.home, r.crossing, r.fetched);
    trip.at = std::max(trip.at, until<true>(home, r.line, r.crossing & ~r.fetched));
  }
  if (r.fetched) fetch(trip, address.dram, r.fetched, latencies_.dram(draw));
  if (r.crossing) add<true>(home, r.line, r.fetched, trip.at);
  return deliver(trip, r.near, r.line, r.sectors, missing, receive_[static_cast<std::size_t>(r.sm)],
                 now);
}

void MemoryPath::bring(const Read& r, const Address& address, std::uint64_t now) {
  const std::uint32_t draw = Latencies::draw_of(whole(r.line));
  Trip trip{now * kTicks + latencies_.near(draw), 0};
  const bool crosses = r.home != r.near;
  queue(trip, slice(address.slice, r.near), read_work(0, crosses ? 0 : sectors_in(r.fetched)));
  if (crosses) cross(trip, address.slice, r.home, 0, r.fetched);
  if (r.fetched) {
    fetch(trip, address.dram, r.fetched, latencies_.dram(draw));
    add<true>(fills_[static_cast<std::size_t>(r.home)], r.line, r.fetched, trip.at);
  }
  hold(r.sm, trip.queued, now);
}

namespace {

// The cycle in which a line of a list is asked for.
inline std::uint64_t asked_at(std::uint64_t now, std::size_t at) { return now + at / kLinesACycle; }

}  // namespace

// Of all that the loops below look at they have copies, or addresses that no store of theirs can
// change.
[[gnu::always_inline]] inline void MemoryPath::reach_near(const Reads& r, Trips& trips) {
  const std::uint8_t* const index = r.asked.index.data();
  const std::uint8_t* const asked = r.asked.sectors.data();
  const std::uint8_t* const missing = r.missing;
  const std::uint32_t* const slice_of = r.addresses.slice.data();
  const std::uint32_t* const latency = r.latency;
  const std::uint64_t now = r.now;
  const std::array<std::uint32_t, 16> slice_ticks = slice_ticks_, fill_ticks = fill_ticks_;
  Throughput* const near = &slice(0, r.near);
  for (std::size_t k = 0; k < r.asked.count; ++k) {
    const std::size_t at = index[k];
    const std::uint64_t arrival = asked_at(now, at) * kTicks + latency[at];
    const std::uint64_t start = near[slice_of[at]].reserve(
        arrival, slice_ticks[asked[k] & 15] + fill_ticks[missing[k] & 15]);
    trips.at[k] = start;
    trips.queued[k] = start - arrival;
  }
}

template <bool parts>
[[gnu::always_inline]] inline void MemoryPath::reach_home(const Reads& r, std::size_t other,
                                                          Trips& trips) {
  const std::uint8_t* const index = r.asked.index.data();
  const std::uint8_t* const crossing = r.crossing;
  const std::uint8_t* const fetched = r.fetched;
  const std::uint64_t* const line = r.lines.line.data();
  const std::uint32_t* const slice_of = r.addresses.slice.data();
  const std::array<std::uint32_t, 16> slice_ticks = slice_ticks_, fill_ticks = fill_ticks_;
  Fills& home = fills_[other];
  Throughput* const homes = &slice(0, static_cast<int>(other));
  const std::uint64_t far = spec_.far_cycles * kTicks;
  for (const std::size_t k : r.far) {
    const std::size_t at = index[k];
    const std::uint64_t arrival = trips.at[k] + far;
    const std::uint64_t start = homes[slice_of[at]].reserve(
        arrival, slice_ticks[crossing[k] & 15] + fill_ticks[fetched[k] & 15]);
    trips.queued[k] += start - arrival;
    trips.at[k] = std::max(start, until<parts>(home, line[at], crossing[k] & ~fetched[k]));
  }
}

// What a read pushes out goes to DRAM after it.
template <bool parts>
[[gnu::always_inline]] inline void MemoryPath::reach_dram(const Reads& r, std::size_t other,
                                                          Trips& trips) {
  const std::uint8_t* const index = r.asked.index.data();
  const std::uint8_t* const fetched = r.fetched;
  std::size_t first = 0;
  for (const Pushed& pushed : r.pushed) {
    dram_.read(r.addresses.dram, index, fetched, r.dram_latency, first, pushed.number + 1, trips);
    first = pushed.number + 1;
    write_back(pushed, asked_at(r.now, index[pushed.number]));
  }
  dram_.read(r.addresses.dram, index, fetched, r.dram_latency, first, r.asked.count, trips);
  Fills& home = fills_[other];
  for (const std::size_t k : r.far)
    add<parts>(home, r.lines.line[index[k]], r.crossing[k] & fetched[k], trips.at[k]);
}

template <bool parts>
[[gnu::always_inline]] inline void MemoryPath::come_back(const Reads& r, const Trips& trips,
                                                         std::uint64_t* done,
                                                         std::uint64_t* arrives) {
  const std::uint8_t* const index = r.asked.index.data();
  const std::uint8_t* const asked = r.asked.sectors.data();
  const std::uint8_t* const missing = r.missing;
  const std::uint64_t* const line = r.lines.line.data();
  const std::uint64_t now = r.now;
  Throughput& port = receive_[static_cast<std::size_t>(r.sm)];
  Fills& fills = fills_[static_cast<std::size_t>(r.near)];
  const std::uint64_t back = spec_.near_cycles * kTicks / 2;
  const std::uint32_t receive_ticks = spec_.receive_ticks;
  std::uint64_t sectors_read = 0, sector_cycles = 0;
  auto one = r.shared.begin();
  const auto share_before = [&](std::size_t at) {
    for (; one != r.shared.end() && one->index < at; ++one)
      done[one->index] = share(r.sm, *one, asked_at(now, one->index));
  };
  for (std::size_t k = 0; k < r.asked.count; ++k) {
    const std::size_t at = index[k];
    const std::uint64_t start = asked_at(now, at);
    if (one != r.shared.end()) [[unlikely]]
      share_before(at);
    // What others asked for and has not come yet.
    const std::uint64_t there = until<parts>(fills, line[at], asked[k] & ~missing[k]);
    add<parts>(fills, line[at], missing[k], trips.at[k]);
    const std::uint64_t sent = std::max(trips.at[k], there) + back;
    const std::uint32_t sectors = sectors_in(asked[k]), ticks = sectors * receive_ticks;
    const std::uint64_t through = (port.reserve(sent, ticks) + ticks) / kTicks;
    sectors_read += sectors;
    sector_cycles += sectors * (through - start);
    arrives[at] = sent / kTicks;
    done[at] = through;
  }
  share_before(LineList::kMost);
  sectors_read_ += sectors_read;
  sector_cycles_ += sector_cycles;
}

// What happens in one place hangs on nothing in those behind it, and of two sides' slices a read
// meets one of each: so all reads go to one place before the first goes to the next. It comes to
// the same, and which of them cross is no branch.
template <bool parts>
[[gnu::always_inline]] inline void MemoryPath::read_list(const Reads& r, std::uint64_t* done,
                                                         std::uint64_t* arrives) {
  const std::size_t other = spec_.sides > 1 ? 1 - static_cast<std::size_t>(r.near) : 0;
  Trips trips;
  reach_near(r, trips);
  reach_home<parts>(r, other, trips);
  reach_dram<parts>(r, other, trips);
  come_back<parts>(r, trips, done, arrives);
}

void MemoryPath::read(const Reads& r, std::uint64_t* done, std::uint64_t* arrives) {
  if (part_bits_) read_list<true>(r, done, arrives);
  else read_list<false>(r, done, arrives);
}

std::vector<MemoryPath::Use> MemoryPath::uses() const {
  std::vector<Use> all;
  const auto add = [&](Resource place, std::vector<std::uint64_t> busy,
                       std::uint64_t sector_ticks) {
    std::uint64_t ticks = 0;
    for (std::uint64_t t : busy) ticks += t;
    all.push_back({place, std::move(busy), sector_ticks ? ticks / sector_ticks : 0});
  };
  const auto each = [](const std::pmr::vector<Throughput>& v) {
    std::vector<std::uint64_t> n;
    for (const Throughput& t : v) n.push_back(t.given());
    return n;
  };
  add(Resource::kPortIn, each(receive_), spec_.receive_ticks);
  add(Resource::kPortOut, each(send_), spec_.send_ticks);
  add(Resource::kRemote, each(remote_), 0);
  all.back().sectors = remote_sectors_;
  add(Resource::kSlice, each(slices_), 0);
  add(Resource::kDramBus, dram_.bus_ticks(), 0);
  all.back().sectors = dram_.sectors();
  add(Resource::kDramRows, dram_.activate_ticks(), 0);
  add(Resource::kHostLink, {host_.given()}, spec_.host_sector_ticks);
  return all;
}

std::uint32_t MemoryPath::atomic_work(const Write& w) const {
  return (w.atomic + w.twice) * spec_.atomic_pass_ticks + w.partly * spec_.atomic_part_ticks;
}

// A sum of floats takes longer than whole numbers', and the next one in its sector waits for it,
// whichever words of the sector it wants; the other sectors of the line do not, so that they take
// turns (measured: kernels/micro/atomic_words.cu). The first of an access waits where the access
// before was to the same line.
std::uint32_t MemoryPath::sum_work(const Write& w, std::size_t slice, std::uint32_t work) {
  const bool again = std::exchange(summed_[slice], whole(w.line)) == whole(w.line);
  const std::uint32_t waits = w.atomic - (again || w.atomic == 0 ? 0 : 1);
  const std::uint32_t more =
      waits ? w.twice * spec_.atomic_pass_ticks : 0;  // of 8 bytes, a whole sector
  return std::max(work, (waits * spec_.atomic_float_ticks + more) / w.together);
}

std::uint64_t MemoryPath::write(const Write& w, std::uint64_t now) {
  sent_ = now;
  if (w.sectors + w.atomic == 0) return now;  // rides with an earlier store
  const auto sm = static_cast<std::size_t>(w.sm);
  const std::uint64_t line = whole(w.line);
  const std::uint32_t draw = Latencies::draw_of(line);
  const std::uint64_t half = spec_.near_cycles * kTicks / 2;
  const std::uint32_t sent = std::max<std::uint32_t>(1, w.sectors + w.atomic);
  std::uint64_t at = now * kTicks;
  // A whole line of stores needs no header, nor does a single word of an atomic, which travels in
  // it (measured: kernels/micro/scatter_rate.cu, red; memory_issue.cu, red_1).
  const bool is_whole = w.sectors - w.partial == kSectorsPerLine;
  const std::uint32_t headers = w.atomic ? w.headed : is_whole || !w.opens ? 0 : 1;
  const std::uint64_t out =
      send_[sm].reserve(at, sent * spec_.send_ticks + headers * spec_.send_header_ticks);
  std::uint64_t queued = out - at;
  sent_ = out / kTicks;
  at = out + half + (std::uint64_t{draw & 0xffff} * spec_.near_spread * kTicks >> 16);
  std::uint32_t work = w.atomic ? atomic_work(w)
                                : spec_.write_ticks +
                                      (w.sectors - w.partial) * spec_.write_sector_ticks +
                                      w.partial * spec_.partial_sector_ticks;
  const std::uint32_t slice_at =
      spec_.by_partition ? partitions_.of(line, dram_.find(line).channel) : slices_of_.slice(line);
  std::uint64_t start = 0;
  if (w.home != w.near) {
    // In flight to the other side it passes a slice of the near one.
    start = slice(slice_at, w.near).reserve(at, work);
    queued += start - at;
    at = start + spec_.far_cycles * kTicks / 2;
  }
  if (w.together && spec_.atomic_float_ticks)
    work = sum_work(w, static_cast<std::size_t>(w.home) * slices_of_.a_side + slice_at, work);
  start = slice(slice_at, w.home).reserve(at, work);
  queued += start - at;
  std::uint64_t done = start + work;
  if (w.fetched) {
    const std::uint64_t filled = dram_.read(line, w.fetched, done);
    queued += filled - done - dram_.refresh_wait();
    done = filled + spec_.dram_cycles * kTicks;
  }
  // What it pushes out takes its own time, but there is only so much room for it.
  std::uint64_t gone = start;
  if (w.fills) gone = dram_.read(whole(w.other), w.fills, gone);
  if (w.evicted) gone = dram_.write(whole(w.other), w.evicted, gone, w.fills > 0);
  queued = std::max(queued, gone - start);
  // A store that finds no room stays in its SM.
  const std::uint64_t room = std::uint64_t{spec_.queue_cycles} * kTicks;
  if (queued > room) sent_ = std::max(sent_, now + (queued - room) / kTicks);
  hold(w.sm, queued, now);
  if (!w.returns) return done / kTicks;
  at = done + half + (w.home != w.near ? spec_.far_cycles * kTicks / 2 : 0);
  return (receive_[sm].reserve(at, w.atomic * spec_.receive_ticks) +
          std::uint64_t{w.atomic} * spec_.receive_ticks) /
         kTicks;
}

std::uint64_t MemoryPath::host(int sm, std::uint32_t sectors, std::uint64_t now) {
  const std::uint64_t start = host_.reserve(now * kTicks, sectors * spec_.host_sector_ticks);
  hold(sm, start - now * kTicks, now);
  return start / kTicks + spec_.host_cycles;
}

void MemoryPath::write_back(const Pushed& p, std::uint64_t now) {
  std::uint64_t at = now * kTicks;
  if (p.fills) at = dram_.read(whole(p.line), p.fills, at);
  dram_.write(whole(p.line), p.sectors, at, p.fills > 0);
}

}  // namespace warpmem::model
