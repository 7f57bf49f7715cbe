// Which warps are due when: steps of the clock to come, SMs in their order, warp slots by number.
// A step costs what is due in it, however many SMs and warps there are.
//
// Warps are noted for a step in any order, one behind the other, as looking for the place of each
// in a table of all steps would mostly wait for the host's cache; they are put in order when it
// comes.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory_resource>
#include <utility>
#include <vector>

#include "base/large_pages.hpp"

namespace warpmem::sim {

class Calendar {
 public:
  static constexpr std::uint64_t kSteps = 128;  // steps that it looks ahead
  static constexpr std::uint32_t kSlots = 64;   // warp slots an SM, at most

  explicit Calendar(std::size_t sms)
      : room_(sms * kSlots),
        warps_(kSteps * room_, large_pages()),
        slots_(sms),
        some_((sms + 63) / 64) {}

  // A warp is numbered SM * kSlots + slot, and on the calendar once; `step` is one of the kSteps to
  // come.
  void add(std::uint32_t warp, std::uint64_t step) {
    const std::size_t at = step % kSteps;
    warps_[at * room_ + count_[at]++] = warp;
    ++due_;
  }

  // Puts the warps of a step into `out`, in order, and takes them off the calendar.
  void take(std::uint64_t step, std::vector<std::uint32_t>& out) {
    const std::size_t at = step % kSteps, count = std::exchange(count_[at], 0);
    const std::uint32_t* const due = &warps_[at * room_];
    out.resize(count + kAtOnce);
    std::uint32_t* next = out.data();
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t warp = due[i];
      const std::size_t sm = warp / kSlots;
      slots_[sm] |= std::uint64_t{1} << warp % kSlots;
      some_[sm / 64] |= std::uint64_t{1} << sm % 64;
    }
    for (std::size_t word = 0; word < some_.size(); ++word) {
      for (std::uint64_t some = some_[word]; some; some &= some - 1) {
        const auto sm = static_cast<std::uint32_t>(word * 64) +
                        static_cast<std::uint32_t>(std::countr_zero(some));
        // Nobody can guess how many there are: so many are written, and those that are none are
        // written over.
        for (std::uint64_t slots = slots_[sm]; slots;) {
          std::uint32_t found = 0;
          for (std::uint32_t k = 0; k < kAtOnce; ++k) {
            next[k] = sm * kSlots + static_cast<std::uint32_t>(std::countr_zero(slots));
            found += slots != 0;
            slots &= slots - 1;
          }
          next += found;
        }
        slots_[sm] = 0;
      }
      some_[word] = 0;
    }
    out.resize(count);
    due_ -= count;
  }

  bool empty() const { return due_ == 0; }

 private:
  static constexpr std::uint32_t kAtOnce = 4;

  std::size_t room_;                           // for warps in a step
  std::array<std::uint32_t, kSteps> count_{};  // of warps in each
  std::pmr::vector<std::uint32_t> warps_;      // by step
  std::vector<std::uint64_t> slots_;  // of the step that is taken, by SM: bit s: warp slot s
  std::vector<std::uint64_t> some_;   // bit s: SM s has a slot due
  std::uint64_t due_ = 0;
};

}  // namespace warpmem::sim
