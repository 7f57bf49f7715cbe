// Division by a number that is known only once the card is: two multiplications, where the host's
// own division takes several times as long. Exact for every numerator.
//
// Loops over a warp's lines (base/wide_hosts.hpp) have no product of 128 bits: it is put together
// of four of 64 there.
#pragma once

#include <cstdint>

namespace warpmem::model {

class Divisor {
 public:
  struct Parts {
    std::uint64_t quotient, rest;
  };

  explicit Divisor(std::uint64_t number = 1)
      : number_(number), inverse_(~std::uint64_t{0} / number) {}

  Parts divide(std::uint64_t n) const { return correct(n, upper_half(n, inverse_)); }
  // The same, for vectorised loops.
  Parts divide_wide(std::uint64_t n) const { return correct(n, upper_half_wide(n, inverse_)); }
  std::uint64_t number() const { return number_; }

  friend std::uint64_t operator/(std::uint64_t n, const Divisor& d) { return d.divide(n).quotient; }
  friend std::uint64_t operator%(std::uint64_t n, const Divisor& d) { return d.divide(n).rest; }

 private:
  // The inverse is rounded down by less than one unit of 2^-64, so the first guess at the quotient
  // is right or one too small.
  Parts correct(std::uint64_t n, std::uint64_t quotient) const {
    std::uint64_t rest = n - quotient * number_;
    const bool one_more = rest >= number_;
    quotient += one_more;
    rest -= one_more ? number_ : 0;
    return {quotient, rest};
  }
  // Of the 128 bits of a product.
  static std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
  }
  static std::uint64_t upper_half_wide(std::uint64_t a, std::uint64_t b) {
    constexpr std::uint64_t kLow = 0xffffffff;
    const std::uint64_t a0 = a & kLow, a1 = a >> 32, b0 = b & kLow, b1 = b >> 32;
    const std::uint64_t middle = (a0 * b0 >> 32) + (a0 * b1 & kLow) + (a1 * b0 & kLow);
    return a1 * b1 + (a0 * b1 >> 32) + (a1 * b0 >> 32) + (middle >> 32);
  }

  std::uint64_t number_, inverse_;
};

// The same for numerators of 32 bits.
class SmallDivisor {
 public:
  struct Parts {
    std::uint32_t quotient, rest;
  };

  explicit SmallDivisor(std::uint32_t number = 1) : number_(number), inverse_(~0u / number) {}

  Parts divide(std::uint32_t n) const {
    auto quotient = static_cast<std::uint32_t>(std::uint64_t{n} * inverse_ >> 32);
    std::uint32_t rest = n - quotient * number_;
    const bool one_more = rest >= number_;
    quotient += one_more;
    rest -= one_more ? number_ : 0;
    return {quotient, rest};
  }
  // Of 2^32: the upper half of a product with it is the quotient or one less.
  std::uint32_t inverse() const { return inverse_; }

 private:
  std::uint32_t number_, inverse_;
};

}  // namespace warpmem::model
