// `warpmem gpus`: the cards; `warpmem gpus h200`: every number of one, with unit and source;
// `warpmem gpus diff A B`: what two have different.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/scratch_folder.hpp"
#include "base/units.hpp"
#include "command/command.hpp"
#include "command/gpus/view.hpp"
#include "command/inputs/card_input.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"
#include "model/topology/topology.hpp"

namespace warpmem::command {

namespace {

struct GpusOptions {
  CardInput card;
  OutputOptions output;
  std::vector<std::string> words;  // NAME; show NAME; diff A B
  bool topology = false, dot = false, instructions = false, ladder = false;
};

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
    table.row({entry.key, short_value(entry.value), entry.unit, entry.meaning, entry.source});
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
  Table table(
      {{"place"}, {"from"}, {"to"}, {"limited"}, {"count"}, {"bytes_per_cycle"}, {"source"}});
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

Json topology_json(const model::Card& card, const model::Topology& topology) {
  Json out{{"schema", 1}, {"name", card.name()}};
  out["links"] = Json::array();
  for (const model::Topology::Link& link : topology.links()) {
    Json entry{{"place", model::name_of(link.place)}, {"from", link.from},   {"to", link.to},
               {"limited", link.count > 0},           {"count", link.count}, {"source", link.how}};
    if (link.bytes > 0) entry["bytes_per_cycle"] = link.bytes;
    out["links"].push_back(std::move(entry));
  }
  return out;
}

Json one_json(const model::Card& card) {
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
  output->write(card_list_view(*cards, options.output.format, output->terminal()));
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

// Two cards, or the ladder of one.
int show_diff(const GpusOptions& options) {
  CardInput first = options.card, second = options.card;
  first.gpu = options.words[1], second.gpu = options.words[2];
  const auto a = load_card(first);
  if (!a) return fail(a.error());
  const auto b = load_card(second);
  if (!b) return fail(b.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  output->write(card_diff_view(*a, *b, options.output.format, output->terminal()));
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

int show_ladder(const GpusOptions& options) {
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  const auto folder = ScratchFolder::create();
  if (!folder) return fail(folder.error());
  const auto effective = sim::probe::ladder_of(*card, folder->file("ladder.wmt"));
  if (!effective) return fail(effective.error());
  output->write(ladder_view(*card, *effective, options.output.format, output->terminal()));
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

int show_topology(const GpusOptions& options) {
  const auto card = load_card(options.card);
  if (!card) return fail(card.error());
  OutputOptions place = options.output;
  place.for_program = options.dot;
  auto output = Output::open(place);
  if (!output) return fail(output.error());
  const model::Topology topology(*card);
  switch (options.output.format) {
    case Format::kTable:
      output->write(options.dot ? topology.dot(card->name())
                                : topology_table(topology).text(output->terminal()));
      break;
    case Format::kJson: output->write(topology_json(*card, topology).text(2) + "\n"); break;
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
      output->write(fmt::format("{}, compute capability {}{}{}\n\n", card->full_name(),
                                card->compute_capability(),
                                card->chip().empty() ? "" : ", " + card->chip(),
                                card->year().empty() ? "" : ", " + card->year()));
      output->write((options.instructions ? instruction_table(*card) : card_table(*card))
                        .text(output->terminal()));
      if (!options.instructions)
        output->write(fmt::format("\nWhat instructions cost: warpmem gpus {} --instructions\n",
                                  printable(card->argument())));
      break;
    case Format::kJson: output->write(one_json(*card).text(2) + "\n"); break;
    case Format::kCsv: output->write(card_csv(*card)); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

// The words behind `gpus`: NAME, show NAME, diff A B.
Result<void> read_words(GpusOptions& options) {
  std::vector<std::string>& words = options.words;
  const std::string verb = words.empty() ? "" : words[0];
  const auto wrong = [](const std::string& message, const std::string& fix) {
    return Error{ErrorKind::kUsage, message, "gpus", fix};
  };
  if (verb == "diff") {
    if (words.size() != 3)
      return wrong(fmt::format("diff takes two cards, not {}", words.size() - 1),
                   "name both: warpmem gpus diff v100 a100_40");
    if (options.ladder || options.topology || options.dot || options.instructions)
      return wrong("diff shows the cards' numbers and nothing else", "leave the other option out");
    return {};
  }
  if (verb == "show" && words.size() == 1)
    return wrong("show takes a card", "name it: warpmem gpus show v100");
  if (verb == "show") words.erase(words.begin());
  if (words.size() > 1)
    return wrong(fmt::format("'{}' is one card too many", printable(words[1])),
                 "name one, or compare two: warpmem gpus diff A B");
  options.card.gpu = words.empty() ? "" : words[0];
  return {};
}

}  // namespace

std::string short_value(const std::string& value) {
  constexpr std::size_t kLongest = 40;
  if (value.size() <= kLongest) return value;
  return value.substr(0, value.rfind(' ', kLongest)) + " …";
}

Run setup_gpus(CLI::App& app) {
  auto options = std::make_shared<GpusOptions>();
  CLI::Option* card =
      app.add_option(
             "card", options->words,
             "show every number of this card: a name, or a card of your own; `show NAME` is "
             "the same, `diff A B` what two cards have different")
          ->type_name("NAME|FILE")
          ->expected(0, 3);
  add_set_option(app, options->card);
  app.add_flag("--topology", options->topology,
               "what connects to what instead, and how much each place carries")
      ->needs(card);
  app.add_flag("--dot", options->dot, "the same as a graph, for Graphviz")->needs(card);
  app.add_flag("--instructions", options->instructions, "what instructions cost instead")
      ->needs(card);
  app.add_flag("--ladder", options->ladder,
               "bandwidths from registers to host memory instead: what the card's numbers come to, "
               "what a replayed kernel reaches, and what was measured")
      ->needs(card);
  add_output_options(app, options->output);
  option_named(app, "--dot")->excludes(option_named(app, "--format"));
  return [options] {
    if (auto read = read_words(*options); !read) return fail(read.error());
    if (!options->words.empty() && options->words[0] == "diff") return show_diff(*options);
    if (options->card.gpu.empty()) return list_cards(*options);
    if (options->ladder) return show_ladder(*options);
    return options->topology || options->dot ? show_topology(*options) : show_card(*options);
  };
}

}  // namespace warpmem::command
