// `warpmem gpus`: the cards; `warpmem gpus h200`: every number of one, with unit and source.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/units.hpp"
#include "model/interconnect/topology.hpp"
#include "command/card_input.hpp"
#include "command/command.hpp"
#include "command/output.hpp"
#include "command/table.hpp"

namespace warpmem::command {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t kLongestValue = 40;  // a list of all SMs would push the sources off the page

struct GpusOptions {
  CardInput card;
  OutputOptions output;
  bool topology = false, dot = false, instructions = false;
};

Result<std::vector<model::Card>> all_cards() {
  std::vector<model::Card> cards;
  for (const std::string& name : model::card_names()) {
    auto card = model::load_card(name);
    if (!card) return card.error();
    cards.push_back(std::move(*card));
  }
  return cards;
}

Table card_list(const std::vector<model::Card>& cards) {
  Table table({{"card"},
               {"GPU"},
               {"compute capability", Align::kRight},
               {"SMs", Align::kRight},
               {"L1", Align::kRight},
               {"L2", Align::kRight}});
  for (const model::Card& card : cards) {
    const model::CardNumbers& numbers = card.numbers();
    table.row({card.name(), card.full_name(), card.compute_capability(), grouped(numbers.sm_count),
               byte_size(numbers.l1_bytes), byte_size(numbers.l2_bytes)});
  }
  return table;
}

std::string card_list_csv(const std::vector<model::Card>& cards) {
  Table table({{"card"}, {"gpu"}, {"compute_capability"}, {"sms"}, {"l1_bytes"}, {"l2_bytes"}});
  for (const model::Card& card : cards) {
    const model::CardNumbers& numbers = card.numbers();
    table.row({card.name(), card.full_name(), card.compute_capability(),
               std::to_string(numbers.sm_count), std::to_string(numbers.l1_bytes),
               std::to_string(numbers.l2_bytes)});
  }
  return table.csv();
}

ordered_json list_json(const std::vector<model::Card>& cards) {
  ordered_json out{{"schema", 1}};
  out["cards"] = ordered_json::array();
  for (const model::Card& card : cards) {
    out["cards"].push_back({{"name", card.name()},
                            {"full_name", card.full_name()},
                            {"compute_capability", card.compute_capability()},
                            {"sms", card.numbers().sm_count},
                            {"l1_bytes", card.numbers().l1_bytes},
                            {"l2_bytes", card.numbers().l2_bytes}});
  }
  return out;
}

std::string shortened(const std::string& value) {
  if (value.size() <= kLongestValue) return value;
  return value.substr(0, value.rfind(' ', kLongestValue)) + " …";
}

bool is_instruction(const model::CardEntry& entry) { return entry.key.starts_with("isa."); }

// What instructions cost are many lines: on a page of their own.
Table instruction_table(const model::Card& card) {
  Table table({{"key"}, {"value"}, {"source"}});
  for (const model::CardEntry& entry : card.entries())
    if (is_instruction(entry)) table.row({entry.key, entry.value, entry.source});
  return table;
}

Table card_table(const model::Card& card) {
  Table table({{"key"}, {"value", Align::kRight}, {"unit"}, {"meaning"}, {"source"}});
  for (const model::CardEntry& entry : card.entries()) {
    if (is_instruction(entry)) continue;
    table.row({entry.key, shortened(entry.value), entry.unit, entry.meaning, entry.source});
  }
  return table;
}

// Plain numbers in the entry's unit; lists as TOML has them.
std::string card_csv(const model::Card& card) {
  Table table({{"key"}, {"value"}, {"unit"}, {"meaning"}, {"source"}});
  for (const model::CardEntry& entry : card.entries()) {
    std::string value = entry.value;
    if (entry.kind == model::CardEntry::Kind::kNumber) value = std::to_string(entry.numbers.at(0));
    if (entry.kind == model::CardEntry::Kind::kList)
      value = fmt::format("[{}]", fmt::join(entry.numbers, ", "));
    table.row({entry.key, std::move(value), entry.unit, entry.meaning, entry.source});
  }
  return table.csv();
}

// A number of bytes a cycle, or why there is none.
std::string rate(const model::Topology::Link& link, double bytes) {
  return link.count == 0 ? "unlimited" : bytes > 0 ? fmt::format("{:.1f}", bytes) : "-";
}

std::string topology_csv(const model::Topology& topology) {
  Table table({{"place"}, {"from"}, {"to"}, {"limited"}, {"count"}, {"bytes_per_cycle"}, {"source"}});
  for (const model::Topology::Link& link : topology.links()) {
    table.row({model::name_of(link.place), link.from, link.to, link.count > 0 ? "1" : "0",
               std::to_string(link.count), link.bytes > 0 ? fmt::format("{}", link.bytes) : "n/a",
               link.how});
  }
  return table.csv();
}

Table topology_table(const model::Topology& topology) {
  Table table({{"place"},
               {"from"},
               {"to"},
               {"count", Align::kRight},
               {"bytes a cycle, each", Align::kRight},
               {"all", Align::kRight},
               {"from the card's"}});
  for (const model::Topology::Link& link : topology.links()) {
    table.row({model::name_of(link.place), link.from, link.to,
               link.count ? grouped(link.count) : "-", rate(link, link.bytes),
               rate(link, link.bytes * link.count), link.how});
  }
  return table;
}

ordered_json topology_json(const model::Card& card, const model::Topology& topology) {
  ordered_json out{{"schema", 1}, {"name", card.name()}};
  out["links"] = ordered_json::array();
  for (const model::Topology::Link& link : topology.links()) {
    ordered_json entry{
        {"place", model::name_of(link.place)}, {"from", link.from},   {"to", link.to},
        {"limited", link.count > 0},           {"count", link.count}, {"source", link.how}};
    if (link.bytes > 0) entry["bytes_per_cycle"] = link.bytes;
    out["links"].push_back(std::move(entry));
  }
  return out;
}

ordered_json one_json(const model::Card& card) {
  return {{"schema", 1},
          {"name", card.name()},
          {"full_name", card.full_name()},
          {"compute_capability", card.compute_capability()},
          {"card", card_json(card)}};
}

int list_cards(const GpusOptions& options) {
  const auto cards = all_cards();
  if (!cards) return fail(cards.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  switch (options.output.format) {
    case Format::kTable: output->write(card_list(*cards).text(output->colour())); break;
    case Format::kJson: output->write(list_json(*cards).dump(2) + "\n"); break;
    case Format::kCsv: output->write(card_list_csv(*cards)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

int show_topology(const GpusOptions& options) {
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  const model::Topology topology(*card);
  switch (options.output.format) {
    case Format::kTable:
      output->write(options.dot ? topology.dot(card->name())
                                : topology_table(topology).text(output->colour()));
      break;
    case Format::kJson: output->write(topology_json(*card, topology).dump(2) + "\n"); break;
    case Format::kCsv: output->write(topology_csv(topology)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

int show_card(const GpusOptions& options) {
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  switch (options.output.format) {
    case Format::kTable:
      output->write(fmt::format("{}, compute capability {}\n\n", card->full_name(),
                                card->compute_capability()));
      output->write((options.instructions ? instruction_table(*card) : card_table(*card))
                        .text(output->colour()));
      if (!options.instructions)
        output->write(fmt::format("\nWhat instructions cost: warpmem gpus {} --instructions\n",
                                  card->name()));
      break;
    case Format::kJson: output->write(one_json(*card).dump(2) + "\n"); break;
    case Format::kCsv: output->write(card_csv(*card)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_gpus(CLI::App& app) {
  auto options = std::make_shared<GpusOptions>();
  options->card.gpu.clear();
  CLI::Option* card = app.add_option("card", options->card.gpu, "show every number of this card")
                          ->type_name("NAME");
  add_set_option(app, options->card);
  app.add_flag("--topology", options->topology,
               "what connects to what instead, and how much each place carries")
      ->needs(card);
  app.add_flag("--dot", options->dot, "the same as a graph, for Graphviz")->needs(card);
  app.add_flag("--instructions", options->instructions, "what instructions cost instead")
      ->needs(card);
  add_output_options(app, options->output);
  app.get_option("--dot")->excludes(app.get_option("--format"));
  return [options] {
    if (options->card.gpu.empty()) return list_cards(*options);
    return options->topology || options->dot ? show_topology(*options) : show_card(*options);
  };
}

}  // namespace warpmem::command
