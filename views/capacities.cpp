#include <fmt/format.h>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "views/sweep.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

std::string tenths_share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : percent(static_cast<double>(part) / static_cast<double>(whole));
}

std::string need(const CapacityResult& r, const CapacityCurve& c) {
  return c.needs ? byte_size(r.shapes[*c.needs].bytes) : "none of these";
}

// Names, what they need, and their hits with the least and the most.
std::string curves(const CapacityResult& r, const std::vector<CapacityCurve>& of, const char* title,
                   const Terminal& terminal) {
  if (of.empty()) return {};
  Table table({{title},
               {"sectors", Align::kRight},
               {"hits with " + byte_size(r.shapes.front().bytes), Align::kRight},
               {"with " + byte_size(r.shapes.back().bytes), Align::kRight},
               {"needs", Align::kRight}});
  for (const CapacityCurve& c : of)
    table.row({c.name, grouped(c.sectors), tenths_share(c.hits.front(), c.sectors),
               tenths_share(c.hits.back(), c.sectors), need(r, c)});
  return "\n" + table.text(terminal);
}

}  // namespace

std::string capacities_text(const CapacityResult& r, const Terminal& terminal) {
  Table table({{r.level, Align::kRight},
               {"sets", Align::kRight},
               {"ways", Align::kRight},
               {"hits", Align::kRight},
               {"of sectors read", Align::kRight},
               {""}});
  for (std::size_t i = 0; i < r.shapes.size(); ++i)
    table.row({byte_size(r.shapes[i].bytes), grouped(r.shapes[i].sets), grouped(r.shapes[i].ways),
               grouped(r.all.hits[i]), tenths_share(r.all.hits[i], r.all.sectors),
               r.all.needs == i ? "95 % of the hits of the largest" : ""});
  std::string out = table.text(terminal);
  out += curves(r, r.lines, "source line", terminal) + curves(r, r.arrays, "array", terminal);
  out += r.one_pass ? "\nAll capacities in one pass (stack distances).\n"
                    : fmt::format("\nA replay for each capacity: {}.\n", printable(r.why));
  for (const std::string& n : r.notes) out += "note: " + printable(n) + "\n";
  return out;
}

std::string capacities_csv(const CapacityResult& r) {
  std::string out = "level,of,name,bytes,sets,ways,sectors,hits\n";
  const auto rows = [&](const char* of, const CapacityCurve& c) {
    for (std::size_t i = 0; i < r.shapes.size(); ++i)
      out +=
          fmt::format("{},{},{},{},{},{},{},{}\n", r.level, of, csv_cell(c.name), r.shapes[i].bytes,
                      r.shapes[i].sets, r.shapes[i].ways, c.sectors, c.hits[i]);
  };
  rows("all", r.all);
  for (const CapacityCurve& c : r.lines) rows("line", c);
  for (const CapacityCurve& c : r.arrays) rows("array", c);
  return out;
}

std::string capacities_json(const CapacityResult& r) {
  Json out{{"schema", 1}, {"level", r.level}, {"one_pass", r.one_pass}};
  if (!r.one_pass) out["why"] = r.why;
  for (const CacheShape& s : r.shapes)
    out["shapes"].push_back({{"bytes", s.bytes}, {"sets", s.sets}, {"ways", s.ways}});
  const auto curve = [&](const CapacityCurve& c) {
    Json one{{"name", c.name}, {"sectors", c.sectors}, {"hits", c.hits}};
    if (c.needs) one["needs"] = r.shapes[*c.needs].bytes;
    return one;
  };
  out["all"] = curve(r.all);
  out["lines"] = Json::array();
  for (const CapacityCurve& c : r.lines) out["lines"].push_back(curve(c));
  out["arrays"] = Json::array();
  for (const CapacityCurve& c : r.arrays) out["arrays"].push_back(curve(c));
  return out.text(2) + "\n";
}

}  // namespace warpmem::views
