#include "sweep/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpmem::sweep {
namespace {

// Of the variance: what a smooth function leaves open, as caches' sizes go in steps.
constexpr double kNoise = 1e-3;
constexpr double kLengths[] = {0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 3.2};

}  // namespace

double GaussianProcess::kernel(const Point& a, const Point& b,
                               const std::vector<double>& lengths) const {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double apart = ordered_[i] ? a[i] - b[i] : a[i] == b[i] ? 0.0 : 1.0;
    square += apart * apart / (lengths[i] * lengths[i]);
  }
  const double r = std::sqrt(5 * square);
  return (1 + r + r * r / 3) * std::exp(-r);
}

double GaussianProcess::likelihood(const std::vector<double>& lengths) {
  const std::size_t n = points_.size();
  factor_.assign(n, std::vector<double>(n));
  double determinant = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = kernel(points_[i], points_[j], lengths) + (i == j ? kNoise : 0);
      for (std::size_t k = 0; k < j; ++k) sum -= factor_[i][k] * factor_[j][k];
      factor_[i][j] = i == j ? std::sqrt(std::max(sum, 1e-12)) : sum / factor_[j][j];
      if (i == j) determinant += std::log(factor_[i][i]);
    }
  weights_ = values_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) weights_[i] -= factor_[i][k] * weights_[k];
    weights_[i] /= factor_[i][i];
  }
  double square = 0;
  for (const double w : weights_) square += w * w;
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) weights_[i] -= factor_[k][i] * weights_[k];
    weights_[i] /= factor_[i][i];
  }
  return -square / 2 - determinant;
}

void GaussianProcess::fit(std::vector<Point> points, std::vector<double> values) {
  const auto n = static_cast<double>(values.size());
  double square = 0;
  mean_ = 0;
  for (const double v : values) mean_ += v / n;
  for (const double v : values) square += (v - mean_) * (v - mean_) / n;
  deviation_ = square > 0 ? std::sqrt(square) : 1;
  for (double& v : values) v = (v - mean_) / deviation_;
  points_ = std::move(points), values_ = std::move(values);
  if (lengths_.empty()) lengths_.assign(ordered_.size(), 0.4);
  // Axis by axis, from where the last fit ended.
  double best = likelihood(lengths_);
  for (std::size_t axis = 0; axis < lengths_.size(); ++axis)
    for (const double length : kLengths) {
      std::vector<double> tried = lengths_;
      tried[axis] = length;
      if (const double now = likelihood(tried); now > best) best = now, lengths_ = tried;
    }
  likelihood(lengths_);
}

GaussianProcess::Likely GaussianProcess::at(const Point& point) const {
  const std::size_t n = points_.size();
  std::vector<double> row(n);
  double mean = 0, known = 0;
  for (std::size_t i = 0; i < n; ++i) {
    row[i] = kernel(point, points_[i], lengths_);
    mean += row[i] * weights_[i];
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) row[i] -= factor_[i][k] * row[k];
    row[i] /= factor_[i][i];
    known += row[i] * row[i];
  }
  return {mean_ + deviation_ * mean, deviation_ * std::sqrt(std::max(1 + kNoise - known, 1e-12))};
}

}  // namespace warpmem::sweep
