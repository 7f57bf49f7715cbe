#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/json.hpp"
#include "base/units.hpp"
#include "command/gpus/view.hpp"
#include "command/screen/table.hpp"
#include "validate/accuracy.hpp"
#include "validate/published.hpp"

namespace warpmem::command {
namespace {

// GB/s of all pins.
double peak_bandwidth(const model::CardNumbers& n) {
  return static_cast<double>(n.dram_channels * n.dram_width_bits * n.dram_rate_mbps) / 8e3;
}

// What was counted on one and compared with the model.
struct Validated {
  std::size_t launches = 0;  // of our reference
  double cycles = -1;        // the median error of their cycles; -1: none were counted
  const validate::Published* others = nullptr;
};

Validated validated(const std::string& card) {
  Validated out;
  for (const validate::Accuracy& a : validate::measured_accuracy()) {
    if (a.gpu != card) continue;
    out.launches = std::max(out.launches, a.launches);
    if (a.engine == "time" && a.metric == "sm__cycles_elapsed.max") out.cycles = a.median;
  }
  out.others = validate::published(card);
  return out;
}

std::string validated_text(const Validated& v) {
  std::string out;
  if (v.launches > 0) out = fmt::format("{} launches", v.launches);
  if (v.cycles >= 0) out += fmt::format(", cycles {:.1f} % off (median)", 100 * v.cycles);
  if (v.others && v.others->rows > 0)
    out += fmt::format("{}{} of {} published counters within 1 %, {} of them equal",
                       out.empty() ? "" : "; ", v.others->equal + v.others->within_1,
                       v.others->rows, v.others->equal);
  if (v.others && v.others->times > 0)
    out += fmt::format("{}{} published times, {:.0f} % off (median)", out.empty() ? "" : "; ",
                       v.others->times, static_cast<double>(v.others->time_median) / 10);
  return out.empty() ? "not measured" : out;
}

// With the shared memory that it shares its banks with. Before 2.0 there is shared memory alone.
std::uint64_t l1_bytes(const model::Card& card) {
  return card.capability() >= 20 ? card.numbers().l1_bytes : 0;
}

std::string size_or_none(std::uint64_t bytes) { return bytes == 0 ? "-" : byte_size(bytes); }

Table as_table(const std::vector<model::Card>& cards) {
  Table table({{"card"},
               {"GPU"},
               {"chip"},
               {"CC", Align::kRight},
               {"year", Align::kRight},
               {"SMs", Align::kRight},
               {"L1", Align::kRight},
               {"L2", Align::kRight},
               {"DRAM, GB/s", Align::kRight},
               {"validated"}});
  for (const model::Card& card : cards) {
    const model::CardNumbers& n = card.numbers();
    table.row({card.name(), card.full_name(), card.chip(), card.compute_capability(), card.year(),
               grouped(n.sm_count), size_or_none(l1_bytes(card)), size_or_none(n.l2_bytes),
               fmt::format("{:.0f}", peak_bandwidth(n)), validated_text(validated(card.name()))});
  }
  return table;
}

std::string as_csv(const std::vector<model::Card>& cards) {
  Table table({{"card"},
               {"gpu"},
               {"chip"},
               {"compute_capability"},
               {"year"},
               {"sms"},
               {"l1_bytes"},
               {"l2_bytes"},
               {"dram_gbps"},
               {"validated"}});
  for (const model::Card& card : cards) {
    const model::CardNumbers& n = card.numbers();
    table.row({card.name(), card.full_name(), card.chip(), card.compute_capability(), card.year(),
               std::to_string(n.sm_count), std::to_string(l1_bytes(card)),
               std::to_string(n.l2_bytes), fmt::format("{:.1f}", peak_bandwidth(n)),
               validated_text(validated(card.name()))});
  }
  return table.csv();
}

std::string as_json(const std::vector<model::Card>& cards) {
  Json out{{"schema", 1}};
  out["cards"] = Json::array();
  for (const model::Card& card : cards) {
    const model::CardNumbers& n = card.numbers();
    const Validated v = validated(card.name());
    Json one{{"name", card.name()},           {"full_name", card.full_name()},
             {"chip", card.chip()},           {"compute_capability", card.compute_capability()},
             {"year", card.year()},           {"sms", n.sm_count},
             {"l1_bytes", l1_bytes(card)},    {"l2_bytes", n.l2_bytes},
             {"dram_gbps", peak_bandwidth(n)}};
    Json how{{"launches", v.launches}};
    if (v.cycles >= 0) how["cycles_median_error"] = v.cycles;
    if (v.others)
      how["published"] = {{"rows", v.others->rows},
                          {"equal", v.others->equal},
                          {"within_1", v.others->within_1},
                          {"within_5", v.others->within_5},
                          {"beyond", v.others->beyond}};
    one["validated"] = std::move(how);
    out["cards"].push_back(std::move(one));
  }
  return out.text(2) + "\n";
}

}  // namespace

Result<std::vector<model::Card>> all_cards() {
  std::vector<model::Card> cards;
  for (const std::string& name : model::card_names()) {
    auto card = model::load_card(name);
    if (!card) return card.error();
    cards.push_back(std::move(*card));
  }
  std::ranges::sort(cards, {}, [](const model::Card& c) {
    return std::tuple(c.year(), c.capability(), c.name());
  });
  return cards;
}

std::string card_list_view(const std::vector<model::Card>& cards, Format format,
                           const views::Terminal& terminal) {
  switch (format) {
    case Format::kTable: return as_table(cards).text(terminal);
    case Format::kJson: return as_json(cards);
    case Format::kCsv: return as_csv(cards);
  }
  return {};
}

}  // namespace warpmem::command
