#include "base/nearest.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.hpp"

using warpmem::edit_distance;
using warpmem::nearest;

namespace {

// The slow, obvious twin: the recursive definition.
unsigned by_definition(const std::string& a, const std::string& b) {
  if (a.empty()) return static_cast<unsigned>(b.size());
  if (b.empty()) return static_cast<unsigned>(a.size());
  const std::string a1 = a.substr(1), b1 = b.substr(1);
  unsigned best = by_definition(a1, b1) + (a[0] == b[0] ? 0 : 1);
  best = std::min(best, by_definition(a1, b) + 1);
  best = std::min(best, by_definition(a, b1) + 1);
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, by_definition(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

}  // namespace

TEST_CASE("edit distance equals its recursive definition on all short words of two letters") {
  std::vector<std::string> words{""};
  for (std::size_t i = 0; i < words.size() && words[i].size() < 4; ++i) {
    for (const char c : {'a', 'b'}) words.push_back(words[i] + c);
  }
  unsigned differences = 0;
  for (const std::string& a : words) {
    for (const std::string& b : words) {
      if (edit_distance(a, b) != by_definition(a, b)) ++differences;
    }
  }
  CHECK(differences == 0);
}

TEST_CASE("the nearest name is found through a typing error") {
  const std::vector<std::string> known{"info", "dump", "replay", "validate"};
  CHECK(nearest("inof", known) == "info");
  CHECK(nearest("replya", known) == "replay");
  CHECK(nearest("validat", known) == "validate");
}

TEST_CASE("a name far from all known ones has no nearest name") {
  const std::vector<std::string> known{"info", "dump"};
  CHECK(nearest("photosynthesis", known).empty());
  CHECK(nearest("x", known).empty());
  CHECK(nearest("anything", {}).empty());
}
