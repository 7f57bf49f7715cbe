#include "validate/published.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "validate/published_csv.hpp"

namespace warpmem::validate {
namespace {

constexpr std::string_view kPublishedHeading =
    "gpu,rows,equal,within_1,within_5,beyond,times,time_median,time_p90";

// The next line of a text, or the next cell of a line.
std::string_view cut(std::string_view& rest, char by) {
  const std::size_t end = std::min(rest.find(by), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

bool read(std::string_view text, std::size_t& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Result<std::vector<Published>> parse_published(std::string_view text, const std::string& place) {
  std::vector<Published> out;
  std::size_t number = 0;
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kMalformed, what, fmt::format("{}, line {}", place, number),
                 fmt::format("write rows of '{}'", kPublishedHeading)};
  };
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    if (++number == 1) {
      if (line != kPublishedHeading)
        return wrong(fmt::format("the heading is not '{}'", kPublishedHeading));
      continue;
    }
    if (line.empty()) continue;
    Published row;
    row.gpu = cut(line, ',');
    const std::array cells{&row.rows,   &row.equal, &row.within_1,    &row.within_5,
                           &row.beyond, &row.times, &row.time_median, &row.time_p90};
    for (std::size_t* cell : cells)
      if (!read(cut(line, ','), *cell)) return wrong("a cell is no number");
    if (!line.empty()) return wrong("more than 9 cells");
    if (row.equal + row.within_1 + row.within_5 + row.beyond != row.rows)
      return wrong("the numbers do not add up to the rows");
    out.push_back(std::move(row));
  }
  return out;
}

std::span<const Published> published() {
  static const std::vector<Published> kRows = [] {
    auto rows = parse_published(kPublishedCsv, "validate/published.csv");
    return rows ? *std::move(rows) : std::vector<Published>{};
  }();
  return kRows;
}

const Published* published(std::string_view gpu) {
  const auto found = std::ranges::find(published(), gpu, &Published::gpu);
  return found == published().end() ? nullptr : &*found;
}

std::string time_band_text(std::string_view gpu) {
  const Published* const found = published(gpu);
  if (!found || found->times == 0) return {};
  const auto percent = [](std::size_t permille) { return static_cast<double>(permille) / 10; };
  return fmt::format("{:.0f} % off in the median of {} published times, {:.0f} % in one of ten",
                     percent(found->time_median), found->times, percent(found->time_p90));
}

std::string other_cards_times_text() {
  std::size_t cards = 0, least = 0, most = 0;
  for (const Published& p : published()) {
    if (p.times == 0) continue;
    least = cards == 0 ? p.time_median : std::min(least, p.time_median);
    most = std::max(most, p.time_median);
    ++cards;
  }
  if (cards == 0) return "not measured";
  return fmt::format(
      "not measured; {:.0f} to {:.0f} % off in the median on {} other cards whose times were "
      "published",
      static_cast<double>(least) / 10, static_cast<double>(most) / 10, cards);
}

}  // namespace warpmem::validate
