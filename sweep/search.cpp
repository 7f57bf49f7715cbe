#include "sweep/search.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "sweep/gaussian_process.hpp"

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

// How much lower than `least` a normally distributed value is expected to come, where it is lower.
double expected_improvement(const GaussianProcess::Likely& at, double least) {
  const double z = (least - at.mean) / at.deviation;
  const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
  const double likely = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return at.deviation * (z * below + likely);
}

class Ego final : public Random {
 public:
  Ego(std::vector<SearchAxis> axes, std::uint64_t seed)
      : Random(std::move(axes), seed), process_(ordered(axes_)), tried_(axes_.size()) {
    for (std::size_t a = 0; a < axes_.size(); ++a) tried_[a].resize(axes_[a].values);
  }

  std::vector<std::uint64_t> next(std::size_t count) override {
    std::vector<std::uint64_t> out;
    std::vector<Told> known = nearby();
    while (out.size() < count && asked_.size() < size_) {
      if (told_.size() < kStart) {
        out.push_back(any());
        continue;
      }
      if (out.empty() || out.size() % kRefit == 0) fit(known);
      out.push_back(chosen());
      // Until it is known, the point is what it is likely to be ("kriging believer").
      const Place at = place(out.back());
      known.push_back({process_.at(scaled(at)).mean, out.back()});
    }
    return out;
  }
  void tell(std::uint64_t point, std::optional<double> value) override {
    const Place at = place(point);
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      ++tried_[a][at[a]].tried;
      if (value) ++tried_[a][at[a]].possible;
    }
    if (!value) return;
    told_.push_back({*value, point});
    positive_ = positive_ && *value > 0;
  }

 private:
  using Told = std::pair<double, std::uint64_t>;  // value, point
  static constexpr std::size_t kStart = 10;       // drawn before there is a process
  static constexpr std::size_t kRefit = 2;        // points from one fit to the next
  static constexpr std::size_t kMostKnown = 160;  // that a fit is from: its cost goes with the cube
  static constexpr std::size_t kDrawn = 400, kNearBest = 400;  // candidates
  static constexpr std::size_t kBest = 6;                      // … near so many points

  struct Tried {
    std::size_t tried = 0, possible = 0;
  };

  static std::vector<bool> ordered(const std::vector<SearchAxis>& axes) {
    std::vector<bool> out;
    for (const SearchAxis& a : axes) out.push_back(a.ordered);
    return out;
  }
  GaussianProcess::Point scaled(const Place& at) const {
    GaussianProcess::Point out;
    for (std::size_t a = 0; a < axes_.size(); ++a)
      out.push_back(axes_[a].ordered && axes_[a].values > 1
                        ? static_cast<double>(at[a]) / static_cast<double>(axes_[a].values - 1)
                        : static_cast<double>(at[a]));
    return out;
  }
  // Costs differ by factors: where all are above 0, their logarithms are what is smooth.
  double level(double value) const { return positive_ ? std::log(value) : value; }

  // The best, and the latest.
  std::vector<Told> nearby() {
    std::vector<Told> out;
    for (const auto& [value, point] : told_) out.push_back({level(value), point});
    if (out.size() <= kMostKnown) return out;
    std::vector<Told> latest(out.end() - kMostKnown / 2, out.end());
    out.resize(out.size() - kMostKnown / 2);
    std::ranges::sort(out);
    out.resize(kMostKnown / 2);
    out.insert(out.end(), latest.begin(), latest.end());
    return out;
  }
  void fit(const std::vector<Told>& known) {
    std::vector<GaussianProcess::Point> points;
    std::vector<double> values;
    for (const auto& [value, point] : known)
      points.push_back(scaled(place(point))), values.push_back(value);
    process_.fit(std::move(points), std::move(values));
  }
  // Of points with one of its values, how many were possible.
  double possible(const Place& at) const {
    double out = 1;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const Tried& t = tried_[a][at[a]];
      out *= (static_cast<double>(t.possible) + 1) / (static_cast<double>(t.tried) + 1);
    }
    return out;
  }
  Place near(const Place& best) {
    Place at = best;
    const std::size_t first = draws_.below(axes_.size());
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      if (a != first && draws_.unit() > 0.3) continue;
      const std::size_t n = axes_[a].values;
      if (!axes_[a].ordered || draws_.unit() < 0.2) {
        at[a] = draws_.below(n);
        continue;
      }
      const std::size_t step = 1 + draws_.below(std::max<std::size_t>(1, n / 4));
      at[a] = draws_.unit() < 0.5 ? at[a] - std::min(at[a], step) : std::min(n - 1, at[a] + step);
    }
    return at;
  }
  std::uint64_t chosen() {
    std::vector<Told> best = told_;
    std::ranges::sort(best);
    const double least = level(best.front().first);
    best.resize(std::min(best.size(), kBest));
    std::optional<std::uint64_t> out;
    double most = -1;
    for (std::size_t c = 0; c < kDrawn + kNearBest; ++c) {
      Place at;
      if (c < kDrawn)
        for (const SearchAxis& a : axes_) at.push_back(draws_.below(a.values));
      else at = near(place(best[c % best.size()].second));
      const std::uint64_t n = number(at);
      if (asked_.contains(n)) continue;
      const double gain = possible(at) * expected_improvement(process_.at(scaled(at)), least);
      if (gain <= most) continue;
      most = gain, out = n;
    }
    if (!out) return any();
    asked_.insert(*out);
    return *out;
  }

  GaussianProcess process_;
  std::vector<std::vector<Tried>> tried_;  // by axis and value
  std::vector<Told> told_;
  bool positive_ = true;
};

}  // namespace

std::unique_ptr<Search> ego(std::vector<SearchAxis> axes, std::uint64_t seed) {
  return std::make_unique<Ego>(std::move(axes), seed);
}

std::unique_ptr<Search> random_search(std::vector<SearchAxis> axes, std::uint64_t seed) {
  return std::make_unique<Random>(std::move(axes), seed);
}

}  // namespace warpmem::sweep
