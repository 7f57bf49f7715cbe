#include "sweep/search.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace warpmem::sweep {
namespace {

// SplitMix64: the same numbers on every host, as the standard library's distributions are not.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) {
    return std::min(n - 1, static_cast<std::size_t>(unit() * static_cast<double>(n)));
  }

 private:
  std::uint64_t state_;
};

using Place = std::vector<std::size_t>;  // by axis

class Random : public Search {
 public:
  Random(std::vector<SearchAxis> axes, std::uint64_t seed) : axes_(std::move(axes)), draws_(seed) {
    for (const SearchAxis& a : axes_)
      if (__builtin_mul_overflow(size_, a.values, &size_)) size_ = ~std::uint64_t{0};
  }
  std::vector<std::uint64_t> next(std::size_t count) override {
    std::vector<std::uint64_t> out;
    while (out.size() < count && asked_.size() < size_) out.push_back(any());
    return out;
  }
  void tell(std::uint64_t, std::optional<double>) override {}

 protected:
  std::uint64_t number(const Place& at) const {
    std::uint64_t n = 0;
    for (std::size_t a = 0; a < axes_.size(); ++a) n = n * axes_[a].values + at[a];
    return n;
  }
  Place place(std::uint64_t n) const {
    Place at(axes_.size());
    for (std::size_t a = axes_.size(); a-- > 0; n /= axes_[a].values)
      at[a] = static_cast<std::size_t>(n % axes_[a].values);
    return at;
  }
  // One that was not asked for yet; there is one. After many draws in vain the next one by number.
  std::uint64_t any() {
    std::uint64_t n = 0;
    for (int tries = 0; tries < 64; ++tries) {
      Place at;
      for (const SearchAxis& a : axes_) at.push_back(draws_.below(a.values));
      n = number(at);
      if (asked_.insert(n).second) return n;
    }
    while (!asked_.insert(n).second) n = (n + 1) % size_;
    return n;
  }

  std::vector<SearchAxis> axes_;
  Draws draws_;
  std::uint64_t size_ = 1;
  std::set<std::uint64_t> asked_;
};

// How likely each value of an axis is among some points: a kernel around each of them, and one
// point's weight spread over all.
std::vector<double> density(const SearchAxis& axis, const std::vector<std::size_t>& seen) {
  const std::size_t n = axis.values;
  std::vector<double> out(n, 1.0 / static_cast<double>(n));
  const double width = std::max(
      0.5, static_cast<double>(n) / (2.0 * std::sqrt(static_cast<double>(seen.size()) + 1.0)) / 2);
  for (const std::size_t at : seen) {
    if (!axis.ordered) {
      out[at] += 1;
      continue;
    }
    std::vector<double> kernel(n);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double d = (static_cast<double>(i) - static_cast<double>(at)) / width;
      sum += kernel[i] = std::exp(-d * d / 2);
    }
    for (std::size_t i = 0; i < n; ++i) out[i] += kernel[i] / sum;
  }
  double sum = 0;
  for (const double p : out) sum += p;
  for (double& p : out) p /= sum;
  return out;
}

class Tpe final : public Random {
 public:
  using Random::Random;

  std::vector<std::uint64_t> next(std::size_t count) override {
    std::vector<std::uint64_t> out;
    while (out.size() < count && asked_.size() < size_)
      out.push_back(told_.size() < kStart ? any() : chosen());
    return out;
  }
  void tell(std::uint64_t point, std::optional<double> value) override {
    // What is no GPU is worse than all that are.
    told_.push_back({value.value_or(std::numeric_limits<double>::infinity()), point});
  }

 private:
  static constexpr std::size_t kStart = 10;  // drawn before there are densities
  static constexpr std::size_t kCandidates = 24;
  static constexpr double kGood = 0.25;

  std::uint64_t chosen() {
    std::stable_sort(told_.begin(), told_.end());
    const auto good = static_cast<std::size_t>(
        std::max(2.0, std::ceil(kGood * static_cast<double>(told_.size()))));
    std::vector<std::vector<double>> of_good, of_bad;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      std::vector<std::size_t> ins, outs;
      for (std::size_t i = 0; i < told_.size(); ++i)
        (i < good ? ins : outs).push_back(place(told_[i].second)[a]);
      of_good.push_back(density(axes_[a], ins));
      of_bad.push_back(density(axes_[a], outs));
    }
    std::optional<std::uint64_t> best;
    double most = 0;
    for (std::size_t c = 0; c < kCandidates; ++c) {
      Place at;
      double ratio = 0;
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        at.push_back(drawn(of_good[a]));
        ratio += std::log(of_good[a][at.back()] / of_bad[a][at.back()]);
      }
      const std::uint64_t n = number(at);
      if (asked_.contains(n) || (best && ratio <= most)) continue;
      best = n;
      most = ratio;
    }
    if (!best) return any();
    asked_.insert(*best);
    return *best;
  }

  std::size_t drawn(const std::vector<double>& density) {
    double left = draws_.unit();
    for (std::size_t i = 0; i + 1 < density.size(); ++i)
      if ((left -= density[i]) < 0) return i;
    return density.size() - 1;
  }

  std::vector<std::pair<double, std::uint64_t>> told_;  // value, point
};

}  // namespace

std::unique_ptr<Search> tpe(std::vector<SearchAxis> axes, std::uint64_t seed) {
  return std::make_unique<Tpe>(std::move(axes), seed);
}

std::unique_ptr<Search> random_search(std::vector<SearchAxis> axes, std::uint64_t seed) {
  return std::make_unique<Random>(std::move(axes), seed);
}

}  // namespace warpmem::sweep
