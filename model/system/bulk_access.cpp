#include "model/system/shaped_memory.hpp"

#include <algorithm>

#include "model/system/any_shape.hpp"
#include "model/system/as_card.hpp"
#include "model/system/beyond_l1.hpp"

namespace warpmem::model {

// Bulk copies pass by the L1, a line's length at a time from the start of the copy: a piece that
// straddles a line touches one sector more (measured at 16 bytes of skew).
template <class Shape>
void ShapedMemory<Shape>::bulk(const WarpLanes& w, const AccessPlan& plan, AccessTiming& place) {
  std::uint64_t address = w.first_address();
  std::uint64_t left = plan.bytes;
  while (left > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(left, line_.bytes());
    touch_contiguous(address, piece, true, lines_, line_);
    for (int i = 0; i < lines_.count; ++i) {
      const LineTouch t = lines_[i];
      if (path_ && plan.action != Action::kBulkRead)
        ports_[static_cast<std::size_t>(place.sm)].takes_reads(
            place.now, sectors_in(t.sectors) * sm_.bulk_read);
      if (plan.action == Action::kBulkReduce) {
        l2_.sink().atomic_requests(false, 1);
        sink_.bulk_reduction(sectors_in(t.sectors));
        // One header a line (measured: kernels/micro/bulk_rates.cu add, 5.0 cycles a line, where a
        // store of it takes 4.0).
        L2Cache::AtomicWork work;
        work.headed = 1;
        for (unsigned k = 0; k < 4; ++k)
          if (t.sectors >> k & 1) {
            work.partly = t.full >> k & 1 ? 0 : 1;
            place.stored = std::max(
                place.stored, l2_.atomic(place.sm, t.line * line_.sectors() + k, 1, false,
                                         place.now, work, of_write(stay(t.line, Stay::kUnsaid))));
            work.headed = 0;
          }
      } else if (plan.action == Action::kBulkRead) {
        // By the copy engine, which takes none of the L1's entries for misses.
        place.left_sm = true;
        ++place.missed;
        sink_.fill(place, t.line, sectors_in(t.sectors));
        const std::uint64_t back =
            read_beyond(place, place.now, t.line, l2_.route(t.line), t.sectors, 0);
        place.done = later(place.done, back);
        lands(place.sm, back, t.sectors, sm_.bulk_write);
      } else send(place, t, l2_.route(t.line), 0, true, place.now);
    }
    address += piece;
    left -= piece;
    // The SM's copy engine takes one piece after the other.
    if (path_) place.now += sm_.bulk_cycles;
  }
}

// To the L2 alone: bytes in a row by the copy engine, or the line of each lane's address.
template <class Shape>
void ShapedMemory<Shape>::prefetch_l2(const WarpLanes& w, const AccessPlan& plan,
                                      AccessTiming& place) {
  const auto one = [&](std::uint64_t line, std::uint8_t sectors) {
    if (!plain_ && in_host_memory(line)) return;
    place.left_sm = true;
    if (plan.line_request == LineRequest::kBring)
      return l2_.bring(place.sm, line, sectors, place.now, stay(line, plan.stay));
    l2_.change(place.sm, line, plan.stay, plan.line_request == LineRequest::kDiscard);
  };
  if (plan.bytes == 0) {
    list_lines(w, 1, false, lines_, line_);
    for (int i = 0; i < lines_.count; ++i)
      one(lines_.line[static_cast<std::size_t>(i)], line_.whole());
    return;
  }
  const std::uint64_t from = w.first_address(), end = from + plan.bytes;
  for (std::uint64_t at = from, next = at; at < end; at = next) {
    next = (line_.line(at) + 1) * line_.bytes();
    touch_contiguous(at, std::min(end, next) - at, true, lines_, line_);
    one(lines_.line[0], lines_.sectors[0]);
    if (path_) place.now += sm_.bulk_cycles;
  }
}

#define WARPMEM_MAKE(S)                                                                    \
  template void ShapedMemory<S>::bulk(const WarpLanes&, const AccessPlan&, AccessTiming&); \
  template void ShapedMemory<S>::prefetch_l2(const WarpLanes&, const AccessPlan&, AccessTiming&);
WARPMEM_EACH_SHAPE(WARPMEM_MAKE)
#undef WARPMEM_MAKE

}  // namespace warpmem::model
