#include "command/card_input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <nlohmann/json.hpp>

namespace warpmem::command {

void add_card_options(CLI::App& app, CardInput& input) {
  app.add_option("--gpu", input.gpu, "GPU card; see warpmem gpus")
      ->type_name("NAME")
      ->capture_default_str();
  add_set_option(app, input);
}

void add_set_option(CLI::App& app, CardInput& input) {
  app.add_option("--set", input.settings,
                 "change a number of the card: --set l1.size=64KiB; a list: --set l2.home_bits=12,13 "
                 "(as [12, 13] or \"12 13\" too)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

Result<model::Card> load_card(const CardInput& input) {
  auto card = model::load_card(input.gpu);
  if (!card) return card;
  std::vector<model::CardSetting> settings;
  for (const std::string& setting : input.settings) {
    const auto equals = setting.find('=');
    if (equals == std::string::npos || equals == 0) {
      return Error{ErrorKind::kUsage, fmt::format("'{}' is no setting", setting), "--set",
                   "write it as KEY=VALUE, for example l1.size=64KiB"};
    }
    settings.push_back({setting.substr(0, equals), setting.substr(equals + 1)});
  }
  if (auto done = card->set(settings); !done) return done.error();
  return card;
}

namespace {

// A number as a number, in the entry's unit; a list as a list.
nlohmann::ordered_json value_json(const model::CardEntry& entry) {
  switch (entry.kind) {
    case model::CardEntry::Kind::kNumber: return entry.numbers.at(0);
    case model::CardEntry::Kind::kList: return entry.numbers;
    case model::CardEntry::Kind::kWord: return entry.value;
    case model::CardEntry::Kind::kInstruction: break;
  }
  return {{"pipe", model::pipe_name(entry.cost.pipe)},
          {"issue", entry.cost.busy},
          {"latency", entry.cost.latency},
          {"wait", entry.cost.variable ? "scoreboard" : "stall"}};
}

}  // namespace

nlohmann::ordered_json card_json(const model::Card& card) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const model::CardEntry& entry : card.entries()) {
    out[entry.key] = {
        {"value", value_json(entry)}, {"unit", entry.unit}, {"source", entry.source}};
  }
  return out;
}

}  // namespace warpmem::command
