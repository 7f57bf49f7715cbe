#include <fstream>
#include <sstream>

#include "tests/catch.hpp"
#include "validate/deviations.hpp"

using namespace warpmem;
using namespace warpmem::validate;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string source(const std::string& name) {
  std::ifstream in(WARPMEM_VALIDATE_SOURCE "/" + name);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

const std::string kGood =
    "[[deviation]]\nid = \"spin\"\nkernel = \"scan.*\"\nmetric = \"l1tex__t_.*\"\n"
    "reason = \"it spins\"\nmax_error = 0.5\ngpu = \"h200\"\n";

}  // namespace

TEST_CASE("an entry names comparisons by whole-name expressions") {
  const auto list = DeviationList::parse(kGood, "d.toml");
  REQUIRE(list.ok());
  CHECK(list->find("h200", "", "scan_lookback", "l1tex__t_sectors.sum") == 0u);
  CHECK_FALSE(list->find("h200", "", "my_scan", "l1tex__t_sectors.sum"));
  CHECK_FALSE(list->find("h200", "", "scan", "dram__sectors_read.sum"));
  CHECK_FALSE(list->find("a100", "", "scan", "l1tex__t_sectors.sum"));
}

TEST_CASE("a broken list says where and why") {
  struct Row {
    std::string text;
    const char* says;
  };
  for (const Row& r :
       {Row{"[[deviation]]\nid = \"x\"\nkernel = \"(\"\nmetric = \".*\"\nreason = \"r\"\nmax_error "
            "= 0.5\n",
            "kernel"},
        {"[[deviation]]\nid = \"x\"\nkernel = \".*\"\nmetric = \".*\"\nreason = \"r\"\n",
         "without a bound"},
        {"[[deviation]]\nid = \"x\"\nkernel = \".*\"\nmetric = \".*\"\nreason = \"r\"\nmax_error = "
         "300\n",
         "max_error = 300 is more than 100"},
        {"[[deviation]]\nid = \"x\"\nkernel = \".*\"\nmetric = \".*\"\nreason = \"r\"\nmax_error = "
         "1\n",
         "covers every count below the GPU's"},
        {"[[deviation]]\nid = \"x\"\nkernel = \".*\"\nmetric = \".*\"\nreason = \"r\"\nmax_error = "
         "\"1\"\n",
         "max_error = \"1\" is not a number"},
        {"[[deviation]]\nid = 5\n", "id = 5 is not a text in quotes"},
        {"[[deviation]]\nkernel = \".*\"\n", "without id or reason"},
        {"[[deviation]]\nid = \"x\"\nreason = \"r\"\nmax_error = 0.5\nmetric = \".*\"\n",
         "needs \"kernel\""},
        {"[[deviation]]\nid = \"x\"\nkernle = \".*\"\n", "unknown key \"kernle\""},
        {"[other]\na = 1\n", "unknown key \"other\""},
        {"[[deviation\n", ""}}) {
    INFO(r.text);
    const auto list = DeviationList::parse(r.text, "d.toml");
    REQUIRE_FALSE(list.ok());
    CHECK(exit_status(list.error().kind) == 2);
    CHECK_THAT(list.error().message, ContainsSubstring(r.says));
    CHECK_THAT(list.error().place, ContainsSubstring("d.toml, line"));
  }
}

TEST_CASE("the list that ships parses, and each entry is told in DEVIATIONS.md") {
  const auto list = DeviationList::parse(source("deviations.toml"), "deviations.toml");
  INFO((list ? std::string() : list.error().text()));
  REQUIRE(list.ok());
  CHECK(DeviationList::shipped().entries().size() == list->entries().size());
  const std::string page = source("DEVIATIONS.md");
  for (const auto& entry : list->entries()) {
    INFO(entry.id);
    CHECK_THAT(page, ContainsSubstring("\n### " + entry.id + "\n"));
    CHECK(entry.below < 1);  // or no count below the GPU's could exceed it
  }
}
