#include "command/inputs/card_input.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/json.hpp"
#include "base/printable.hpp"
#include "base/run_files.hpp"
#include "base/units.hpp"
#include "sim/engine/lacking.hpp"

namespace warpmem::command {

void add_card_options(CLI::App& app, CardInput& input) {
  add_gpu_option(app, input.gpu);
  add_set_option(app, input);
}

void add_gpu_option(CLI::App& app, std::string& gpu) {
  app.add_option("--gpu", gpu, "GPU card (see warpmem gpus), or a card of your own: FILE.toml")
      ->type_name("NAME|FILE")
      ->capture_default_str();
}

void add_set_option(CLI::App& app, CardInput& input) {
  app.add_option(
         "--set", input.settings,
         "change a number of the card: --set l1.size=64KiB; a list: --set l2.home_bits=12,13 "
         "(as [12, 13] or \"12 13\" too)")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
}

Result<std::string> read_card_file(const std::string& path) {
  constexpr std::size_t kMost = 1 << 20;  // far more than any card has
  const auto refused = [&](const std::string& why) {
    return Error{ErrorKind::kUsage, "cannot read the card: " + why, printable(path),
                 "give a readable file, or the name of a built-in card (warpmem gpus)"};
  };
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) return refused("it is a folder");
  std::ifstream file = open_to_read(path);
  if (!file) return refused(std::strerror(errno));
  std::string text(kMost + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) return refused("reading it failed");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMost) return refused("it is larger than " + byte_size(kMost));
  return text;
}

Result<model::Card> load_card(const std::string& gpu) {
  return model::load_card(gpu, read_card_file);
}

Result<model::Card> load_card(const CardInput& input) {
  auto card = load_card(input.gpu);
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
Json value_json(const model::CardEntry& entry) {
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

Result<void> require_features(const model::Card& card, const trace::TraceReader& reader) {
  for (std::uint32_t i = 0; i < reader.launches().size(); ++i) {
    const auto lacking = sim::lacking_notes(reader, i, card);
    if (!lacking) return lacking.error();
    if (lacking->empty()) continue;
    return Error{ErrorKind::kUsage, lacking->front(),
                 fmt::format("card {}, launch {}", card.name(), reader.launches()[i].launch.id),
                 "compare with a card that has it: --gpu"};
  }
  return {};
}

Json card_json(const model::Card& card) {
  Json out = Json::object();
  for (const model::CardEntry& entry : card.entries()) {
    out[entry.key] = {{"value", value_json(entry)}, {"unit", entry.unit}, {"source", entry.source}};
    if (!entry.used) out[entry.key]["used"] = false;
  }
  return out;
}

}  // namespace warpmem::command
