#include "sim/time/constant_time.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "model/card/spec_of.hpp"

namespace warpmem::sim {

ConstantTime::ConstantTime(const model::Card& card, Waits& waits)
    : card_(card.numbers()), waits_(waits), cache_(model::spec_of<model::ConstantSpec>(card)) {}

std::uint64_t ConstantTime::read(const TimedSm& sm, const trace::Record& r,
                                 const std::uint64_t* lanes, std::uint64_t issued) {
  std::array<std::uint64_t, 32> address{};
  auto n = static_cast<std::size_t>(r.active());
  std::uint32_t rest = r.mask;
  for (std::size_t i = 0; i < n; ++i, rest &= rest - 1)
    address[i] =
        r.regular()
            ? r.base + static_cast<std::uint64_t>(std::int64_t{std::countr_zero(rest)} * r.stride)
            : lanes[r.lanes + i];
  std::sort(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(n));
  n = static_cast<std::size_t>(
      std::unique(address.begin(), address.begin() + static_cast<std::ptrdiff_t>(n)) -
      address.begin());
  return issued + cache_.read(sm.id, address.data(), n, issued);
}

}  // namespace warpmem::sim
