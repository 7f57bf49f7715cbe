#include "sim/time/window_calendar.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace warpmem::sim {
namespace {

constexpr auto kEarliestFirst = [](const auto& a, const auto& b) {
  if (a.cycle != b.cycle) return a.cycle > b.cycle;
  if (a.sm != b.sm) return a.sm > b.sm;
  return a.slot > b.slot;
};

}  // namespace

void WindowCalendar::add(std::uint32_t sm, std::uint32_t slot, std::uint64_t cycle) {
  if (cycle / kWindow >= now_ + kWindows) {
    later_.push_back({sm, slot, cycle});
    std::push_heap(later_.begin(), later_.end(), kEarliestFirst);
    return;
  }
  const std::uint64_t window = std::max(cycle / kWindow, now_ + 1) % kWindows;
  slots_[window * sms_ + sm] |= std::uint64_t{1} << slot;
  within_[std::size_t{sm} * kSlots + slot] = static_cast<std::uint8_t>(cycle % kWindow);
  ++due_in_[window];
  ++due_;
}

void WindowCalendar::add_again(std::uint32_t sm, std::uint32_t slot, std::uint64_t cycle) {
  if (cycle >= window_end()) return add(sm, slot, cycle);
  auto at = again_.end();
  while (at != again_.begin() + static_cast<std::ptrdiff_t>(again_at_) &&
         std::prev(at)->cycle > cycle)
    --at;
  again_.insert(at, {sm, slot, cycle});
}

bool WindowCalendar::take_again(std::uint32_t sm, std::uint64_t before, Due& out) {
  if (again_at_ < again_.size()) {
    const Due& due = again_[again_at_];
    if (due.sm == sm && due.cycle >= before) return false;
    out = due;
    ++again_at_;
    return true;
  }
  again_.clear();
  again_at_ = 0;
  return false;
}

std::span<const WindowCalendar::Due> WindowCalendar::begin_window() {
  due_now_.clear();
  passed_ = 0;
  const std::uint64_t window = now_ % kWindows;
  if (due_in_[window] == 0) return due_now_;
  std::uint64_t* const slots = &slots_[window * sms_];
  for (std::uint32_t sm = 0; sm < sms_; ++sm) {
    const std::size_t first = due_now_.size();
    for (std::uint64_t due = slots[sm]; due; due &= due - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(due));
      due_now_.push_back({sm, slot, now_ * kWindow + within_[std::size_t{sm} * kSlots + slot]});
      for (std::size_t i = due_now_.size() - 1;
           i > first && due_now_[i - 1].cycle > due_now_[i].cycle; --i)
        std::swap(due_now_[i], due_now_[i - 1]);
    }
    slots[sm] = 0;
  }
  due_in_[window] = 0;
  due_ -= due_now_.size();
  return due_now_;
}

void WindowCalendar::end_window() {
  if (!later_.empty()) take_later();
  ++now_;
}

// Enters what the calendar has come near to, and moves on to it if there is nothing before.
void WindowCalendar::take_later() {
  if (due_ == 0) now_ = std::max(now_, later_.front().cycle / kWindow - 1);
  while (!later_.empty() && later_.front().cycle / kWindow < now_ + kWindows) {
    const Due due = later_.front();
    std::pop_heap(later_.begin(), later_.end(), kEarliestFirst);
    later_.pop_back();
    add(due.sm, due.slot, due.cycle);
  }
}

}  // namespace warpmem::sim
