// Which warps are due when. Time moves in windows of cycles over all SMs; in a window an SM's warps
// go by the cycle in which they are due, then by slot, SM after SM.
//
// A warp that comes due once more within the window goes on the list of those (add_again()), which
// is run between the others in the order of its cycles. What lies beyond the windows that the
// calendar looks ahead waits in a heap.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpmem::sim {

class WindowCalendar {
 public:
  static constexpr std::uint64_t kWindow = 16;    // cycles
  static constexpr std::uint64_t kWindows = 256;  // that it looks ahead
  static constexpr std::uint32_t kSlots = 64;     // warp slots of an SM, at most
  static constexpr std::uint32_t kNoSm = ~0u;

  // A warp, by SM and slot, and the cycle in which it is due.
  struct Due {
    std::uint32_t sm, slot;
    std::uint64_t cycle;
  };

  explicit WindowCalendar(std::size_t sms)
      : sms_(sms), within_(sms * kSlots), slots_(sms * kWindows) {}

  // The first cycle behind this window.
  std::uint64_t window_end() const { return (now_ + 1) * kWindow; }
  // Nobody is due any more.
  bool empty() const { return due_ == 0 && later_.empty(); }

  // A warp is due from this cycle on, in a later window.
  void add(std::uint32_t sm, std::uint32_t slot, std::uint64_t cycle);
  // … perhaps in this one.
  void add_again(std::uint32_t sm, std::uint32_t slot, std::uint64_t cycle);

  // Begins the window: its warps, in order, until end_window().
  std::span<const Due> begin_window();
  // The turn of so many of them is over or has come.
  void passed(std::size_t turns) { passed_ = turns; }
  // The next of those that are due once more, if its turn comes before that of a warp of this SM in
  // this cycle; false: there is none.
  bool take_again(std::uint32_t sm, std::uint64_t before, Due& out);
  // Whether no other warp of the SM has its turn in this window before this cycle is over.
  bool is_next(std::uint32_t sm, std::uint64_t cycle) const {
    if (again_at_ < again_.size() && again_[again_at_].cycle <= cycle) return false;
    return passed_ == due_now_.size() || due_now_[passed_].sm != sm ||
           due_now_[passed_].cycle > cycle;
  }
  // The next window with somebody in it is this one's end, or where the heap begins.
  void end_window();

 private:
  void take_later();

  std::size_t sms_;
  std::uint64_t now_ = 0;                         // windows
  std::uint64_t due_ = 0;                         // warps, without the heap's
  std::array<std::uint64_t, kWindows> due_in_{};  // … by window
  std::vector<std::uint8_t> within_;              // by SM and slot: cycle of its window
  std::vector<std::uint64_t> slots_;              // by window and SM: bit s: slot s is due
  std::vector<Due> later_;                        // a heap, the earliest first
  std::vector<Due> due_now_;
  std::size_t passed_ = 0;  // of these
  std::vector<Due> again_;  // an SM's, by cycle, those from `again_at_` on
  std::size_t again_at_ = 0;
};

}  // namespace warpmem::sim
