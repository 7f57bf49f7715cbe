#include "model/memory_path.hpp"

#include <algorithm>

#include "model/access.hpp"

namespace warpmem::model {
namespace {

std::uint32_t draw_of(std::uint64_t line) {
  return static_cast<std::uint32_t>(line * 0xd1b54a32d192ed03ull >> 32);
}

}  // namespace

MemoryPath::MemoryPath(const Spec& spec)
    : spec_(spec),
      slices_a_side_(spec.slices / spec.sides),
      by_slice_pairs_(std::max<std::uint32_t>(1, slices_a_side_ / 2)),
      dram_(spec.dram) {
  clear();
}

void MemoryPath::clear() {
  receive_.assign(spec_.sms, {});
  send_.assign(spec_.sms, {});
  remote_.assign(spec_.sms, {});
  slices_.assign(spec_.slices, {});
  fills_.resize(spec_.sides);
  for (Fills& f : fills_) f.clear();
  held_.assign(spec_.sms, 0);
  host_ = {};
  sectors_read_ = sector_cycles_ = remote_sectors_ = 0;
  dram_.clear();
}

// Eight lines share two slices of their side, in pairs by turns (measured: which lines get in each
// other's way, kernels/micro/l2_slices.cu); which two is not known.
std::uint32_t MemoryPath::slice_of(std::uint64_t line) const {
  if (slices_a_side_ < 2) return 0;
  const std::uint64_t two = (line >> 3) * 0x9e3779b97f4a7c15ull >> 32;
  // Which of the two is first is drawn as well, or strides of 512 bytes would leave half of all
  // idle.
  return static_cast<std::uint32_t>(two % by_slice_pairs_ * 2 + ((line >> 1 ^ two >> 16) & 1));
}

// A queue longer than its room is felt by the SM: it sends no more until the rest would fit.
void MemoryPath::hold(int sm, std::uint64_t queued, std::uint64_t now) {
  const std::uint64_t room = std::uint64_t{spec_.queue_cycles} * kTicks;
  if (queued <= room) return;
  std::uint64_t& held = held_[static_cast<std::size_t>(sm)];
  held = std::max(held, now + (queued - room) / kTicks);
}

std::uint64_t MemoryPath::read(const Read& r, const Seat& seat, std::uint64_t now) {
  const auto sm = static_cast<std::size_t>(r.sm);
  const std::uint32_t draw = draw_of(r.line);
  const std::uint64_t half = spec_.near_cycles * kTicks / 2;
  const std::uint32_t asked = sectors_in(r.sectors), crossing = sectors_in(r.crossing),
                      fetched = sectors_in(r.fetched);
  const auto work = [&](std::uint32_t sectors, std::uint32_t filled) {
    return spec_.read_ticks + sectors * spec_.read_sector_ticks + filled * spec_.fill_sector_ticks;
  };
  Fills& near = fills_[static_cast<std::size_t>(r.near)];
  Fills& home = fills_[static_cast<std::size_t>(r.home)];
  std::uint64_t at =
      now * kTicks + half + (std::uint64_t{draw & 0xffff} * spec_.near_spread * kTicks >> 16);
  std::uint64_t start =
      slice(seat.slice, r.near).reserve(at, work(asked, std::max(crossing, fetched)));
  std::uint64_t queued = start - at;
  // What others asked for and has not come yet, on either side.
  std::uint64_t there = near.until(r.line, r.sectors & ~(r.crossing | r.fetched));
  if (crossing) {
    at = start + spec_.far_cycles * kTicks;
    start = slice(seat.slice, r.home).reserve(at, work(crossing, fetched));
    queued += start - at;
    start = std::max(start, home.until(r.line, r.crossing & ~r.fetched));
  }
  if (fetched) {
    at = start + spec_.dram_cycles * kTicks +
         (std::uint64_t{draw >> 16} * spec_.dram_spread * kTicks >> 16);
    if ((draw >> 8 & 7) == 0)
      at += std::uint64_t{draw >> 11 & 0xffff} * spec_.dram_tail * kTicks >> 16;
    start = dram_.read(seat.dram, fetched, at);
    queued += start - at - dram_.refresh_wait();
    home.add(r.line, r.fetched, start);
  }
  if (crossing) near.add(r.line, r.crossing, start);
  hold(r.sm, queued, now);
  at = std::max(start, there) + half;
  const std::uint64_t back =
      receive_[sm].reserve(at, asked * spec_.receive_ticks) + asked * spec_.receive_ticks;
  sectors_read_ += asked;
  sector_cycles_ += asked * (back / kTicks - now);
  return back / kTicks;
}

std::vector<MemoryPath::Use> MemoryPath::uses() const {
  std::vector<Use> all;
  const auto add = [&](Place place, std::vector<std::uint64_t> busy, std::uint64_t sector_ticks) {
    std::uint64_t ticks = 0;
    for (std::uint64_t t : busy) ticks += t;
    all.push_back({place, std::move(busy), sector_ticks ? ticks / sector_ticks : 0});
  };
  const auto each = [](const std::vector<Throughput>& v) {
    std::vector<std::uint64_t> n;
    for (const Throughput& t : v) n.push_back(t.given());
    return n;
  };
  add(Place::kPortIn, each(receive_), spec_.receive_ticks);
  add(Place::kPortOut, each(send_), spec_.send_ticks);
  add(Place::kRemote, each(remote_), 0);
  all.back().sectors = remote_sectors_;
  add(Place::kSlice, each(slices_), 0);
  add(Place::kDramBus, dram_.bus_ticks(), 0);
  all.back().sectors = dram_.sectors();
  add(Place::kDramRows, dram_.activate_ticks(), 0);
  add(Place::kHostLink, {host_.given()}, spec_.host_sector_ticks);
  return all;
}

std::uint64_t MemoryPath::write(const Write& w, std::uint64_t now) {
  sent_ = now;
  if (w.sectors + w.atomic == 0) return now;  // rides with an earlier store
  const auto sm = static_cast<std::size_t>(w.sm);
  const std::uint32_t draw = draw_of(w.line);
  const std::uint64_t half = spec_.near_cycles * kTicks / 2;
  const std::uint32_t sent = std::max<std::uint32_t>(1, w.sectors + w.atomic);
  std::uint64_t at = now * kTicks;
  const bool whole = w.atomic || w.sectors - w.partial == kSectorsPerLine;
  const std::uint64_t out = send_[sm].reserve(
      at, sent * spec_.send_ticks + (whole || !w.opens ? 0 : spec_.send_header_ticks));
  std::uint64_t queued = out - at;
  sent_ = out / kTicks;
  at = out + half + (std::uint64_t{draw & 0xffff} * spec_.near_spread * kTicks >> 16);
  std::uint32_t work =
      w.atomic ? w.requests * spec_.atomic_ticks + w.atomic * spec_.atomic_pass_ticks
               : spec_.write_ticks + (w.sectors - w.partial) * spec_.write_sector_ticks +
                     w.partial * spec_.partial_sector_ticks;
  const std::uint32_t slice_at = slice_of(w.line);
  std::uint64_t start = 0;
  if (w.home != w.near) {
    // On its way to the other side it passes a slice of the near one.
    start = slice(slice_at, w.near).reserve(at, work);
    queued += start - at;
    at = start + spec_.far_cycles * kTicks / 2;
  }
  start = slice(slice_at, w.home).reserve(at, work);
  queued += start - at;
  std::uint64_t done = start + work;
  if (w.fetched) {
    const std::uint64_t filled = dram_.read(w.line, w.fetched, done);
    queued += filled - done - dram_.refresh_wait();
    done = filled + spec_.dram_cycles * kTicks;
  }
  // What it pushes out takes its own time, but there is only so much room for it.
  std::uint64_t gone = start;
  if (w.fills) gone = dram_.read(w.other, w.fills, gone);
  if (w.evicted) gone = dram_.write(w.other, w.evicted, gone, w.fills > 0);
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

void MemoryPath::write_back(std::uint64_t line, std::uint32_t fills, std::uint32_t sectors,
                            std::uint64_t now) {
  std::uint64_t at = now * kTicks;
  if (fills) at = dram_.read(line, fills, at);
  dram_.write(line, sectors, at, fills > 0);
}

}  // namespace warpmem::model
