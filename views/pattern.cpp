#include "views/pattern.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/units.hpp"
#include "views/lanes.hpp"
#include "views/table.hpp"

namespace warpmem::views {
namespace {

std::string each(std::uint64_t n, std::uint64_t requests) {
  return requests ? fmt::format("{:.4g}", static_cast<double>(n) / static_cast<double>(requests))
                  : "-";
}
std::string or_none(std::uint64_t n) { return n ? grouped(n) : "-"; }

std::string name_of_access(const SiteTraffic& t) {
  return fmt::format("{} {}", t.op, t.instruction);
}

// Of shared memory, of constants, or of the rest: a table has the columns that say something.
// The first column is the access, or the card that it runs on.
Table columns(const char* first) {
  return Table({{first},
                {"requests", Align::kRight},
                {"sectors", Align::kRight},
                {"ideal", Align::kRight},
                {"each", Align::kRight},
                {"passes", Align::kRight},
                {"ideal", Align::kRight},
                {"each", Align::kRight}});
}

std::vector<std::string> cells(const SiteTraffic& t, const std::string& first) {
  const bool shared = t.space == "shared", constant = t.space == "constant";
  const std::uint64_t passes = constant ? t.addresses : t.wavefronts;
  const std::uint64_t ideal = constant ? t.requests : t.ideal_wavefronts;
  const bool has_sectors = !shared && !constant;
  return {first,
          grouped(t.requests),
          has_sectors ? or_none(t.sectors) : "-",
          has_sectors ? or_none(t.ideal_sectors) : "-",
          has_sectors ? each(t.sectors, t.requests) : "-",
          passes ? grouped(passes) : "-",
          passes ? grouped(ideal) : "-",
          passes ? each(passes, t.requests) : "-"};
}

Json access_json(const SiteTraffic& t) {
  Json out{{"access", t.instruction},
           {"array", t.array},
           {"space", t.space},
           {"op", t.op},
           {"bytes", t.bytes},
           {"requests", t.requests},
           {"lanes", t.lanes},
           {"sectors", t.sectors},
           {"ideal_sectors", t.ideal_sectors},
           {"wavefronts", t.wavefronts},
           {"ideal_wavefronts", t.ideal_wavefronts},
           {"bank_conflicts", t.wavefronts - t.ideal_wavefronts},
           {"addresses", t.addresses},
           {"l1_hits", t.l1_hits},
           {"l2_reads", t.l2_reads},
           {"l2_read_hits", t.l2_read_hits},
           {"l2_writes", t.l2_writes},
           {"l1_cycles", t.l1_cycles}};
  out["pattern"] = name_of(t.pattern), out["sentence"] = t.sentence;
  out["lanes_in_words"] =
      t.examples.empty() ? Json(nullptr) : Json(lanes_words(t.examples.front()));
  return out;
}

std::string drawing(const SiteTraffic& t, const Terminal& terminal) {
  if (t.examples.empty() || t.space == "constant") return {};
  const LaneAccess& e = t.examples.front();
  std::string out = "\n" + styled(fmt::format("{} of {} bytes a lane: CTA {}, warp {}\n",
                                              printable(name_of_access(t)), t.bytes, e.cta, e.warp),
                                  Style::kBold, terminal.colour);
  out += lanes_text(e, terminal) + wrapped(lanes_words(e), terminal.width, 0);
  if (!t.sentence.empty())
    out += wrapped(fmt::format("{}: {}", name_of(t.pattern), t.sentence), terminal.width, 2);
  return out;
}

}  // namespace

std::string pattern_text(const PatternOnCard& result, const Terminal& terminal) {
  std::string out = fmt::format("on {} ({})\n", result.gpu, result.full_name);
  Table table = columns("access");
  for (const SiteTraffic& t : result.accesses) table.row(cells(t, name_of_access(t)));
  out += table.text(terminal);
  out += wrapped(
      "sectors: of 32 bytes, global memory. passes: of shared memory's banks, or addresses of "
      "constants. "
      "each: a request.",
      terminal.width, 0);
  for (const SiteTraffic& t : result.accesses) out += drawing(t, terminal);
  return out;
}

std::string pattern_table(const std::vector<PatternOnCard>& results, const Terminal& terminal) {
  std::string out, failures;
  std::size_t accesses = 0;
  for (const PatternOnCard& r : results) {
    if (!r.failure.empty())
      failures += wrapped(fmt::format("{}: n/a ({})", r.gpu, r.failure), terminal.width, 2);
    accesses = std::max(accesses, r.accesses.size());
  }
  // A table for each access, a row for each card.
  for (std::size_t a = 0; a < accesses; ++a) {
    Table table = columns("card");
    std::string title;
    for (const PatternOnCard& r : results) {
      if (a >= r.accesses.size()) continue;
      if (title.empty()) title = printable(name_of_access(r.accesses[a]));
      table.row(cells(r.accesses[a], r.gpu));
    }
    out += (a > 0 ? "\n" : "") + styled(title, Style::kBold, terminal.colour) + "\n" +
           table.text(terminal);
  }
  return out + failures;
}

std::string pattern_csv(const std::vector<PatternOnCard>& results) {
  Table table({{"card"},
               {"access"},
               {"space"},
               {"op"},
               {"bytes"},
               {"requests"},
               {"sectors"},
               {"ideal_sectors"},
               {"wavefronts"},
               {"ideal_wavefronts"},
               {"addresses"},
               {"l1_hits"},
               {"l2_reads"},
               {"l2_read_hits"},
               {"l2_writes"},
               {"l1_cycles"},
               {"pattern"}});
  for (const PatternOnCard& r : results)
    for (const SiteTraffic& t : r.accesses)
      table.row(
          {r.gpu, t.instruction, t.space, t.op, std::to_string(t.bytes), std::to_string(t.requests),
           std::to_string(t.sectors), std::to_string(t.ideal_sectors), std::to_string(t.wavefronts),
           std::to_string(t.ideal_wavefronts), std::to_string(t.addresses),
           std::to_string(t.l1_hits), std::to_string(t.l2_reads), std::to_string(t.l2_read_hits),
           std::to_string(t.l2_writes), std::to_string(t.l1_cycles), name_of(t.pattern)});
  return table.csv();
}

std::string pattern_json(const std::string& text, const std::vector<PatternOnCard>& results) {
  Json out{{"schema", 1}, {"pattern", text}};
  out["cards"] = Json::array();
  for (const PatternOnCard& r : results) {
    Json card{{"gpu", r.gpu}};
    if (!r.failure.empty()) card["failure"] = r.failure;
    card["accesses"] = Json::array();
    for (const SiteTraffic& t : r.accesses) card["accesses"].push_back(access_json(t));
    out["cards"].push_back(std::move(card));
  }
  return out.text(2) + "\n";
}

std::string pattern_svg(const PatternOnCard& result) {
  std::vector<LaneDrawing> all;
  for (const SiteTraffic& t : result.accesses)
    if (!t.examples.empty() && t.space != "constant")
      all.push_back({&t.examples.front(), fmt::format("{}, {} bytes a lane, {}", name_of_access(t),
                                                      t.bytes, result.gpu)});
  return lanes_svg(all);
}

}  // namespace warpmem::views
