// Searches of a space that is too large to sweep, for the least value of an objective.
//
// Ego: efficient global optimization (Jones, Schonlau and Welch, "Efficient Global Optimization of
// Expensive Black-Box Functions", Journal of Global Optimization 13, 1998). A Gaussian process says
// of every point what it is likely to come to and how sure that is; the point at which most is to
// be expected below the least so far is tried next.
//
// Random: the same number of points, drawn alike; what a method has to be better than.
//
// Points come in rounds of `kRound`, whatever the threads: the same seed gives the same points.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace warpmem::sweep {

constexpr std::size_t kRound = 4;  // points that are chosen at a time

class Search {
 public:
  virtual ~Search() = default;
  // Points to try next, each for the first time; fewer than asked for where the space is at an end.
  virtual std::vector<std::uint64_t> next(std::size_t count) = 0;
  // What one of them came to; nothing: it is no possible GPU.
  virtual void tell(std::uint64_t point, std::optional<double> value) = 0;
};

struct SearchAxis {
  std::size_t values = 0;
  bool ordered = false;  // numbers, in order
};

// `axes`: as of a Space, whose numbers of points these are.
std::unique_ptr<Search> ego(std::vector<SearchAxis> axes, std::uint64_t seed);
std::unique_ptr<Search> random_search(std::vector<SearchAxis> axes, std::uint64_t seed);

}  // namespace warpmem::sweep
