#include "sim/sample/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace warpmem::sim {

void Estimate::add(const Stratum& s) {
  const auto n = static_cast<double>(s.seen.size());
  if (n == 0) return;
  double mean = 0;
  for (const double y : s.seen) mean += y / n;
  total_ += s.units * mean;
  if (n >= s.units || n < 2) return;
  double square = 0;
  for (const double y : s.seen) square += (y - mean) * (y - mean) / (n - 1);
  // Units that are all alike say nothing of how rare others are: what happens in none of n happens
  // less than 3 / n times in each, with 95 % confidence (the rule of three; Hanley and
  // Lippman-Hand, "If nothing goes wrong, is everything all right?", JAMA 249, 1983).
  if (mean > 0 && std::ranges::all_of(s.seen, [&](double y) { return y == s.seen.front(); })) {
    may_be_off_by(3 / n * s.units);
    return;
  }
  const double variance = s.units * s.units * (1 - n / s.units) * square / n;
  variance_ += variance;
  squares_ += variance * variance / (n - 1);
}

void Estimate::add(double total, double variance, double freedom) {
  total_ += total;
  variance_ += variance;
  if (variance > 0) squares_ += variance * variance / freedom;
}

double Estimate::freedom() const { return squares_ > 0 ? variance_ * variance_ / squares_ : 0; }

double Estimate::half_width(double confidence) const {
  if (variance_ <= 0) return off_;
  const boost::math::students_t t(freedom());
  return boost::math::quantile(t, 0.5 + confidence / 2) * std::sqrt(variance_) + off_;
}

}  // namespace warpmem::sim
