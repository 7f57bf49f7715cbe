// The counts engine counts what its slow, obvious twin counts, on traces of real kernels.
#include <algorithm>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/twin/compare.hpp"

namespace warpmem::twin {
namespace {

std::vector<std::string> traces_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(WARPMEM_REFERENCE) + "/" + folder))
    if (entry.path().extension() == ".wmt") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

// Longer traces are for those who have minutes.
constexpr std::uint64_t kShort = 80000;  // records

void compare(const std::string& folder, bool long_ones) {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  std::size_t compared = 0;
  for (const std::string& path : traces_in(folder)) {
    INFO(path);
    const auto reader = trace::TraceReader::open(path);
    REQUIRE(reader);
    if ((reader->quality().records > kShort) != long_ones) continue;
    CHECK(differences(*reader, *card) == "");
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("On short reference traces the engine counts what its twin counts") {
  compare("h200", false);
}

TEST_CASE("On long reference traces the engine counts what its twin counts", "[.slow]") {
  compare("h200", true);
}

TEST_CASE("On reference traces of other sizes the engine counts what its twin counts", "[.slow]") {
  compare("h200-sizes", false);
  compare("h200-sizes", true);
}

}  // namespace
}  // namespace warpmem::twin
