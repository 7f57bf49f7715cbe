#include "sweep/knee.hpp"

#include <algorithm>
#include <vector>

namespace warpmem::sweep {
namespace {

// A knee of a curve that rises and bends down, in the unit square.
std::optional<std::size_t> knee_of(const std::vector<double>& x, const std::vector<double>& y,
                                   double sensitivity) {
  const std::size_t n = x.size();
  std::vector<double> d(n);
  for (std::size_t i = 0; i < n; ++i) d[i] = y[i] - x[i];
  const double step = 1.0 / static_cast<double>(n - 1);
  std::optional<std::size_t> best;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    if (!(d[i] >= d[i - 1] && d[i] > d[i + 1])) continue;
    const double threshold = d[i] - sensitivity * step;
    for (std::size_t k = i + 1; k < n; ++k) {
      if (d[k] > d[i]) break;
      if (d[k] >= threshold) continue;
      if (!best || d[i] > d[*best]) best = i;
      break;
    }
  }
  return best;
}

}  // namespace

std::optional<std::size_t> knee(std::span<const double> x, std::span<const double> y,
                                double sensitivity) {
  const std::size_t n = x.size();
  if (n < 3 || y.size() != n) return {};
  const auto [low, high] = std::minmax_element(y.begin(), y.end());
  const double width = x[n - 1] - x[0], height = *high - *low;
  if (width <= 0 || height <= 0) return {};
  std::vector<double> u(n), v(n);
  double above = 0;
  const bool falls = y[n - 1] < y[0];
  for (std::size_t i = 0; i < n; ++i) {
    u[i] = (x[i] - x[0]) / width;
    v[i] = (y[i] - *low) / height;
    if (falls) v[i] = 1 - v[i];
    above += v[i] - u[i];
  }
  if (above >= 0) return knee_of(u, v, sensitivity);
  // It bends up: the same, looked at from its other end.
  std::vector<double> a(n), b(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = 1 - u[n - 1 - i];
    b[i] = 1 - v[n - 1 - i];
  }
  const auto found = knee_of(a, b, sensitivity);
  if (!found) return {};
  return n - 1 - *found;
}

}  // namespace warpmem::sweep
