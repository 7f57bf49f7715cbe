#include "sweep/search.hpp"

#include <cmath>
#include <set>

#include "tests/catch.hpp"

namespace {

using namespace warpmem::sweep;

std::vector<std::size_t> place(std::uint64_t n, const std::vector<SearchAxis>& axes) {
  std::vector<std::size_t> at(axes.size());
  for (std::size_t a = axes.size(); a-- > 0; n /= axes[a].values)
    at[a] = static_cast<std::size_t>(n % axes[a].values);
  return at;
}

template <class Value>
double least(Search& search, const std::vector<SearchAxis>& axes, std::size_t budget,
             Value&& value) {
  double best = 1e300;
  for (std::size_t told = 0; told < budget;) {
    const auto points = search.next(std::min(kRound, budget - told));
    if (points.empty()) break;
    for (const std::uint64_t p : points) {
      const double v = value(place(p, axes));
      best = std::min(best, v);
      search.tell(p, v);
      ++told;
    }
  }
  return best;
}

TEST_CASE("the same seed tries the same points, each once") {
  const std::vector<SearchAxis> axes{{7, true}, {5, false}, {9, true}};
  const auto run = [&](std::uint64_t seed) {
    auto search = ego(axes, seed);
    std::vector<std::uint64_t> all;
    while (all.size() < 100)
      for (const std::uint64_t p : search->next(kRound)) {
        all.push_back(p);
        search->tell(p, static_cast<double>(p % 17));
      }
    return all;
  };
  const auto first = run(3);
  CHECK(first == run(3));
  CHECK(first != run(4));
  CHECK(std::set<std::uint64_t>(first.begin(), first.end()).size() == first.size());
}

TEST_CASE("a space that is at an end gives no more points") {
  auto search = ego({{3, true}, {2, false}}, 1);
  std::set<std::uint64_t> all;
  for (int i = 0; i < 10; ++i)
    for (const std::uint64_t p : search->next(kRound)) {
      CHECK(all.insert(p).second);
      search->tell(p, std::nullopt);
    }
  CHECK(all.size() == 6);
}

TEST_CASE("with as many points the estimator ends lower than random draws on most seeds") {
  // A bowl over four axes of sixteen, of which one value of a fifth axis alone is good.
  const std::vector<SearchAxis> axes{{16, true}, {16, true}, {16, true}, {16, true}, {6, false}};
  const auto bowl = [](const std::vector<std::size_t>& at) {
    double sum = at[4] == 3 ? 0 : 40;
    for (int a = 0; a < 4; ++a)
      sum += std::pow(static_cast<double>(at[static_cast<std::size_t>(a)]) - 11 + 2 * a, 2);
    return sum;
  };
  int wins = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed)
    wins +=
        least(*ego(axes, seed), axes, 80, bowl) < least(*random_search(axes, seed), axes, 80, bowl);
  CHECK(wins >= 17);
}

}  // namespace
