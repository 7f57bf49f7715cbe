// Division by multiplication gives what the host's division gives, for every numerator.
#include "model/fast/divisor.hpp"

#include <random>

#include "tests/catch.hpp"

namespace warpmem {

using model::Divisor;

TEST_CASE("quotient and rest are those of the host's own division") {
  std::mt19937_64 random(1);
  constexpr std::uint64_t kTop = ~std::uint64_t{0};
  for (std::uint64_t number :
       {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{47}, std::uint64_t{64},
        std::uint64_t{188}, std::uint64_t{(1u << 31) - 1}, std::uint64_t{1} << 32, kTop / 2,
        kTop / 2 + 1, kTop - 1, kTop}) {
    const Divisor by(number);
    const auto check = [&](std::uint64_t n) {
      INFO(n << " by " << number);
      const Divisor::Parts parts = by.divide(n);
      CHECK(parts.quotient == n / number);
      CHECK(parts.rest == n % number);
      const Divisor::Parts wide = by.divide_wide(n);
      CHECK(wide.quotient == n / number);
      CHECK(wide.rest == n % number);
      CHECK(n / by == n / number);
      CHECK(n % by == n % number);
    };
    // Around multiples is where a quotient that is rounded goes wrong.
    for (std::uint64_t k : {std::uint64_t{0}, std::uint64_t{1}, kTop / number / 2, kTop / number})
      for (int d = -1; d <= 1; ++d) check(k * number + static_cast<std::uint64_t>(d));
    for (int i = 0; i < 1000; ++i) check(random() >> random() % 64);
  }
}

TEST_CASE("quotient and rest of 32 bits are those of the host's own division") {
  std::mt19937 random(1);
  constexpr std::uint32_t kTop = ~0u;
  for (std::uint32_t number : {1u, 2u, 3u, 24u, 47u, 64u, 1u << 16, kTop / 2 + 1, kTop}) {
    const model::SmallDivisor by(number);
    const auto check = [&](std::uint32_t n) {
      INFO(n << " by " << number);
      CHECK(by.divide(n).quotient == n / number);
      CHECK(by.divide(n).rest == n % number);
    };
    for (std::uint32_t k : {0u, 1u, kTop / number / 2, kTop / number})
      for (std::uint32_t d : {~0u, 0u, 1u}) check(k * number + d);
    for (int i = 0; i < 1000; ++i) check(static_cast<std::uint32_t>(random()) >> random() % 32);
  }
}

}  // namespace warpmem
