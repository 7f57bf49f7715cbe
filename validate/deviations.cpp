#include "validate/deviations.hpp"

#include <algorithm>
#include <array>
#include <regex>

#include <fmt/format.h>

#include "base/toml_values.hpp"
#include "validate/deviations_toml.hpp"

namespace warpmem::validate {
namespace {

constexpr std::size_t kLongestName = 4096;  // std::regex recurses over its input
constexpr std::array<std::string_view, 9> kKeys{
    "id", "gpu", "run", "kernel", "metric", "reason", "max_error", "max_below", "of"};

struct Pattern {
  std::regex expression;
  bool any = true;
  bool matches(std::string_view text) const {
    if (any) return true;
    text = text.substr(0, kLongestName);
    return std::regex_match(text.begin(), text.end(), expression);
  }
};

struct Rule {
  Pattern gpu, run, kernel, metric;
};

Error bad(const std::string& place, const toml::node& node, std::string message, std::string fix) {
  return {ErrorKind::kUsage, std::move(message),
          fmt::format("{}, line {}", place, node.source().begin.line), std::move(fix)};
}

}  // namespace

struct DeviationList::State {
  std::vector<Deviation> entries;
  std::vector<Rule> rules;
};

DeviationList::DeviationList() : state_(std::make_unique<State>()) {}
DeviationList::~DeviationList() = default;
DeviationList::DeviationList(DeviationList&&) noexcept = default;
DeviationList& DeviationList::operator=(DeviationList&&) noexcept = default;

const std::vector<Deviation>& DeviationList::entries() const { return state_->entries; }

Result<DeviationList> DeviationList::parse(std::string_view text, const std::string& place) {
  DeviationList list;
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& e) {
    return Error{ErrorKind::kUsage, std::string(e.description()),
                 fmt::format("{}, line {}", place, e.source().begin.line), "correct the TOML"};
  }
  for (const auto& [key, node] : root)
    if (key.str() != "deviation" || !node.is_array_of_tables())
      return bad(place, node, fmt::format("unknown key \"{}\"", key.str()),
                 "only [[deviation]] tables stand in this file");
  const auto* tables = root["deviation"].as_array();
  if (!tables) return list;
  for (const auto& node : *tables) {
    const toml::table& table = *node.as_table();
    for (const auto& [key, value] : table)
      if (std::find(kKeys.begin(), kKeys.end(), key.str()) == kKeys.end())
        return bad(place, value, fmt::format("unknown key \"{}\"", key.str()),
                   "known keys: id, gpu, run, kernel, metric, reason, max_error, max_below, of");
    Deviation entry;
    for (const auto& [key, to] : {std::pair{"id", &entry.id}, {"reason", &entry.reason}}) {
      const toml::node* value = table.get(key);
      if (!value)
        return bad(place, table, "a deviation without id or reason", "give both, as text");
      auto given = toml_text(*value, key, place);
      if (!given) return given.error();
      if (given->empty())
        return bad(place, *value, "a deviation without id or reason", "give both, as text");
      *to = *std::move(given);
    }
    const toml::node* bound = table.get("max_error");
    if (!bound)
      return bad(place, table, fmt::format("deviation \"{}\" without a bound", entry.id),
                 "set max_error to the largest error it may have: 0.1 for 10 % of the GPU's count");
    auto error = toml_real(*bound, "max_error", {0, 100, true}, place);
    if (!error) return error.error();
    entry.above = entry.below = *error;
    if (const toml::node* below = table.get("max_below")) {
      auto given = toml_real(*below, "max_below", {0, 0.99, true}, place);
      if (!given) return given.error();
      entry.below = *given;
    }
    if (entry.below >= 1)
      return bad(place, *bound,
                 fmt::format("deviation \"{}\" covers every count below the GPU's", entry.id),
                 "set max_below to less than 1: a bound that nothing can exceed hides what is new");
    if (const toml::node* of = table.get("of")) {
      auto given = toml_text(*of, "of", place);
      if (!given) return given.error();
      entry.of = *std::move(given);
    }
    Rule rule;
    const auto compile = [&](const char* key, bool required, Pattern& out) -> Result<void> {
      const auto value = table[key].value<std::string>();
      if (!value && (required || table.contains(key)))
        return bad(place, table, fmt::format("deviation \"{}\" needs \"{}\"", entry.id, key),
                   "give a regular expression that matches the whole name, \".*\" for all");
      if (!value) return {};
      try {
        out = {std::regex(*value, std::regex::ECMAScript | std::regex::optimize), false};
      } catch (const std::regex_error& e) {
        return bad(place, table, fmt::format("deviation \"{}\", {}: {}", entry.id, key, e.what()),
                   "correct the regular expression");
      }
      return {};
    };
    for (const auto& done :
         {compile("gpu", false, rule.gpu), compile("run", false, rule.run),
          compile("kernel", true, rule.kernel), compile("metric", true, rule.metric)})
      if (!done) return done.error();
    list.state_->entries.push_back(std::move(entry));
    list.state_->rules.push_back(std::move(rule));
  }
  return list;
}

const DeviationList& DeviationList::shipped() {
  static const DeviationList list = [] {
    auto parsed = parse(kDeviationsToml, "validate/deviations.toml");
    // A test parses the same text, so a build with a broken list does not pass its tests.
    return parsed ? std::move(parsed).value() : DeviationList();
  }();
  return list;
}

std::optional<std::size_t> DeviationList::find(std::string_view gpu, std::string_view run,
                                               std::string_view kernel,
                                               std::string_view metric) const {
  for (std::size_t i = 0; i < state_->rules.size(); ++i) {
    const Rule& rule = state_->rules[i];
    if (rule.metric.matches(metric) && rule.kernel.matches(kernel) && rule.run.matches(run) &&
        rule.gpu.matches(gpu))
      return i;
  }
  return std::nullopt;
}

}  // namespace warpmem::validate
