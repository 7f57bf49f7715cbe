// The counts engine counts what its slow, obvious twin counts, on traces of real kernels.
#include <algorithm>
#include <filesystem>

#include "tests/catch.hpp"
#include "tests/twin/compare.hpp"

namespace warpmem::twin {
namespace {

std::vector<std::string> traces_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(WARPMEM_REFERENCE) + "/" + folder))
    if (entry.path().extension() == ".wmt") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string differences_of(const std::string& path, const model::Card& card) {
  const auto reader = trace::TraceReader::open(path);
  return reader ? differences(*reader, card) : reader.error().text();
}

TEST_CASE("On every reference trace the engine counts what its twin counts") {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  for (const std::string& path : traces_in("h200")) {
    INFO(path);
    CHECK(differences_of(path, *card) == "");
  }
}

TEST_CASE("On every reference trace of another size the engine counts what its twin counts", "[.slow]") {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  for (const std::string& path : traces_in("h200-sizes")) {
    INFO(path);
    CHECK(differences_of(path, *card) == "");
  }
}

}  // namespace
}  // namespace warpmem::twin
