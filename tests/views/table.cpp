// Tables in as many columns as a terminal has: whole words, whole numbers, nothing lost.
#include "views/table.hpp"
#include "tests/catch.hpp"

namespace warpmem::views {
namespace {

const Terminal kWide{200, false, true};

Terminal person(std::size_t width) { return {width, false, true}; }

}  // namespace

TEST_CASE("a table that fits stands as it is, and so does one that no person reads") {
  Table t({{"card"}, {"SMs", Align::kRight}, {"validated"}});
  t.row({"h200", "132", "181 launches, cycles 5.4 % off (median)"});
  const std::string line = "h200  132  181 launches, cycles 5.4 % off (median)\n";
  CHECK(t.text(kWide) == "card  SMs  validated\n" + line);
  CHECK(t.text(Terminal{20, false, false}) == "card  SMs  validated\n" + line);
}

TEST_CASE("cells are broken between words, and numbers stay whole") {
  Table t({{"what"}, {"bytes", Align::kRight}});
  t.row({"one two three", "64 KiB"});
  CHECK(t.text(person(16)) == "what       bytes\none two   64 KiB\nthree\n");
}

TEST_CASE("titles are broken before cells") {
  Table t({{"name"}, {"median error", Align::kRight}});
  t.row({"a b c d", "5 %"});
  CHECK(t.text(person(15)) == "name     median\n          error\na b c d     5 %\n");
}

TEST_CASE("a long name in the first column has a line of its own") {
  Table t({{"metric"}, {"before", Align::kRight}, {"after", Align::kRight}});
  t.row({"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "131,072", "524,288"});
  t.row({"cycles", "1", "2"});
  CHECK(t.text(person(50)) ==
        "metric                             before    after\n"
        "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum\n"
        "                                  131,072  524,288\n"
        "cycles                                  1        2\n");
}

TEST_CASE("a column of sentences that has no room stands below its row, with its title") {
  Table t({{"card"}, {"year", Align::kRight}, {"validated"}});
  t.row({"c2050", "2010", "18 of 18 published counters within 1 %, 12 of them equal"});
  t.row({"p100", "2016", "-"});
  CHECK(t.text(person(30)) ==
        "card   year\n"
        "c2050  2010\n"
        "    validated: 18 of 18\n"
        "      published counters\n"
        "      within 1 %, 12 of\n"
        "      them equal\n"
        "p100   2016\n");
}

}  // namespace warpmem::views
