#include "sim/sample/estimate.hpp"

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
