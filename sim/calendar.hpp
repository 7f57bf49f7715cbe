// Which warps are due when: steps of the clock to come, SMs in their order, warp slots by number.
// A step costs what is due in it, however many SMs and warps there are.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

namespace warpmem::sim {

class Calendar {
 public:
  static constexpr std::uint64_t kSteps = 128;  // steps that it looks ahead
  static constexpr std::uint32_t kSlots = 64;   // warp slots an SM, at most

  explicit Calendar(std::size_t sms)
      : sms_(sms), words_((sms + 63) / 64), slots_(kSteps * sms), some_(kSteps * words_) {}

  // A warp is numbered SM * kSlots + slot; `step` is one of the kSteps to come.
  void add(std::uint32_t warp, std::uint64_t step) {
    const std::size_t sm = warp / kSlots, at = step % kSteps;
    slots_[at * sms_ + sm] |= std::uint64_t{1} << warp % kSlots;
    some_[at * words_ + sm / 64] |= std::uint64_t{1} << sm % 64;
    ++due_;
  }

  // Puts the warps of a step into `out`, in order, and takes them off the calendar.
  void take(std::uint64_t step, std::vector<std::uint32_t>& out) {
    out.clear();
    const std::size_t at = step % kSteps;
    for (std::size_t word = 0; word < words_; ++word) {
      std::uint64_t& some = some_[at * words_ + word];
      for (; some; some &= some - 1) {
        const auto sm = static_cast<std::uint32_t>(word * 64) +
                        static_cast<std::uint32_t>(std::countr_zero(some));
        std::uint64_t& slots = slots_[at * sms_ + sm];
        for (; slots; slots &= slots - 1)
          out.push_back(sm * kSlots + static_cast<std::uint32_t>(std::countr_zero(slots)));
      }
    }
    due_ -= out.size();
  }

  bool empty() const { return due_ == 0; }

 private:
  std::size_t sms_, words_;
  std::vector<std::uint64_t> slots_;  // by step, then SM: bit s: warp slot s
  std::vector<std::uint64_t> some_;   // by step: bit s: SM s has a slot due
  std::uint64_t due_ = 0;
};

}  // namespace warpmem::sim
