// Division by a number that is known only once the card is: two multiplications, where the host's
// own division takes several times as long. Exact for every numerator.
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

  // The inverse is rounded down by less than one unit of 2^-64, so the first guess at the quotient
  // is right or one too small.
  Parts divide(std::uint64_t n) const {
    std::uint64_t quotient = upper_half(n, inverse_);
    std::uint64_t rest = n - quotient * number_;
    const bool one_more = rest >= number_;
    quotient += one_more;
    rest -= one_more ? number_ : 0;
    return {quotient, rest};
  }
  std::uint64_t number() const { return number_; }

  friend std::uint64_t operator/(std::uint64_t n, const Divisor& d) { return d.divide(n).quotient; }
  friend std::uint64_t operator%(std::uint64_t n, const Divisor& d) { return d.divide(n).rest; }

 private:
  // Of the 128 bits of a product.
  static std::uint64_t upper_half(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<std::uint64_t>(static_cast<Wide>(a) * b >> 64);
  }

  std::uint64_t number_, inverse_;
};

}  // namespace warpmem::model
