// A Gaussian process: what a function is likely to be at places where it was not tried, from those
// where it was (Rasmussen and Williams, "Gaussian Processes for Machine Learning", 2006, chapters
// 2 and 5). Matern's kernel of 5/2, a length for each axis, chosen by the likelihood of what is
// known.
#pragma once

#include <cstddef>
#include <vector>

namespace warpmem::sweep {

class GaussianProcess {
 public:
  // By axis, each from 0 to 1. Of an axis without order: its number, two of which are 1 apart.
  using Point = std::vector<double>;

  // `ordered`: by axis.
  explicit GaussianProcess(std::vector<bool> ordered) : ordered_(std::move(ordered)) {}

  // `values` of `points`; some of each.
  void fit(std::vector<Point> points, std::vector<double> values);

  struct Likely {
    double mean = 0, deviation = 0;
  };
  Likely at(const Point& point) const;

 private:
  double kernel(const Point& a, const Point& b, const std::vector<double>& lengths) const;
  // Of the values with these lengths, its logarithm; leaves the factor and the weights.
  double likelihood(const std::vector<double>& lengths);

  std::vector<bool> ordered_;
  std::vector<Point> points_;
  std::vector<double> values_;  // of mean 0 and deviation 1
  double mean_ = 0, deviation_ = 1;
  std::vector<double> lengths_;
  std::vector<std::vector<double>> factor_;  // Cholesky's, of the points' kernels
  std::vector<double> weights_;
};

}  // namespace warpmem::sweep
