#include "web/answer.hpp"

#include <vector>

#include "base/json.hpp"
#include "model/card/card.hpp"
#include "sim/pattern/parser.hpp"
#include "sim/pattern/pattern.hpp"
#include "views/lanes_json.hpp"
#include "views/pattern.hpp"

namespace warpmem::web {
namespace {

Json refusal(const Error& e) {
  return {{"error", {{"message", e.message}, {"place", e.place}, {"fix", e.fix}}}};
}

Error wrong_question(const std::string& what) {
  return {ErrorKind::kUsage, what, "question", "see web/answer.hpp for what can be asked"};
}

// Members by name: what is absent or of another type has its default.
std::string text_of(const Json& q, const char* name, const std::string& otherwise) {
  const Json* const at = q.find(name);
  return at && at->as_text() ? *at->as_text() : otherwise;
}
std::uint64_t number_of(const Json& q, const char* name) {
  const Json* const at = q.find(name);
  return at ? at->as_unsigned().value_or(0) : 0;
}
Result<Dim3> dims_of(const Json& q, const char* name, Dim3 otherwise) {
  const Json* const at = q.find(name);
  if (!at) return otherwise;
  const Json::Array* const all = at->as_array();
  if (!all || all->size() > 3)
    return wrong_question(std::string(name) + " is no list of three numbers");
  Dim3 out{1, 1, 1};
  for (std::size_t d = 0; d < all->size(); ++d) {
    const auto value = (*all)[d].as_unsigned();
    if (!value || *value > 1u << 30)
      return wrong_question(std::string(name) + " is no list of three numbers");
    out[d] = static_cast<std::uint32_t>(*value);
  }
  return out;
}
const Json::Object& members_of(const Json& q, const char* name) {
  static const Json::Object kNone;
  const Json* const at = q.find(name);
  return at && at->as_object() ? *at->as_object() : kNone;
}

Result<model::Card> card_of(const Json& q, const std::string& gpu) {
  auto card = model::load_card(gpu);
  if (!card) return card;
  std::vector<model::CardSetting> settings;
  for (const auto& [key, value] : members_of(q, "set"))
    settings.push_back({key, value.as_text() ? *value.as_text() : value.text()});
  if (auto done = card->set(settings); !done) return done.error();
  return card;
}

Json cards() {
  Json out = Json::array();
  for (const std::string& name : model::card_names()) {
    const auto card = model::load_card(name);
    if (!card) return refusal(card.error());
    const model::CardNumbers& n = card->numbers();
    out.push_back({{"name", name},
                   {"full_name", card->full_name()},
                   {"year", card->year()},
                   {"capability", card->compute_capability()},
                   {"l1_bytes", n.l1_bytes},
                   {"l2_bytes", n.l2_bytes}});
  }
  return {{"cards", std::move(out)}};
}

Json card(const Json& q) {
  const auto card = card_of(q, text_of(q, "gpu", "h200"));
  if (!card) return refusal(card.error());
  Json entries = Json::array();
  for (const model::CardEntry& e : card->entries())
    if (e.used && e.kind != model::CardEntry::Kind::kInstruction)
      entries.push_back({e.key, e.value, e.unit, e.source, e.meaning, e.overridden});
  return {
      {"name", card->name()}, {"full_name", card->full_name()}, {"entries", std::move(entries)}};
}

Json pattern(const Json& q) {
  sim::pattern::Shape shape;
  const auto block = dims_of(q, "block", {32, 1, 1});
  if (!block) return refusal(block.error());
  const auto grid = dims_of(q, "grid", {1, 1, 1});
  if (!grid) return refusal(grid.error());
  shape.block = *block, shape.grid = *grid;
  for (const auto& [name, value] : members_of(q, "let"))
    if (const auto whole = value.as_whole()) shape.let[name] = *whole;
  const std::string text = text_of(q, "text", "");
  const auto program = sim::pattern::parse(text, shape.let);
  if (!program) return refusal(program.error());
  const Json* const every = q.find("all_gpus");
  const bool all = every && every->as_bool().value_or(false);
  const std::vector<std::string> names =
      all ? model::card_names() : std::vector<std::string>{text_of(q, "gpu", "h200")};
  std::vector<views::PatternOnCard> results;
  for (const std::string& name : names) {
    const auto card = card_of(q, name);
    if (!card) return refusal(card.error());
    views::PatternOnCard& one = results.emplace_back();
    one.gpu = card->name(), one.full_name = card->full_name();
    auto accesses = sim::pattern::on_card(
        *program, shape, *card,
        {number_of(q, "cta"), static_cast<std::uint32_t>(number_of(q, "warp"))});
    if (accesses) one.accesses = std::move(*accesses);
    else if (!all || accesses.error().kind == ErrorKind::kUsage) return refusal(accesses.error());
    else one.failure = accesses.error().message;
  }
  Json drawn = Json::array();
  for (const SiteTraffic& t : results.front().accesses) {
    Json lanes = Json::array();
    if (t.space != "constant")
      for (const LaneAccess& a : t.examples) lanes.push_back(views::lanes_json(a));
    drawn.push_back(std::move(lanes));
  }
  return {{"text", views::pattern_json(text, results)}, {"drawn", std::move(drawn)}};
}

Json answered(const Json& q) {
  if (!q.is_object()) return refusal(wrong_question("the question is no JSON object"));
  const std::string what = text_of(q, "do", "");
  if (what == "cards") return cards();
  if (what == "card") return card(q);
  if (what == "pattern") return pattern(q);
  return refusal(wrong_question("nothing can do '" + what + "'"));
}

}  // namespace

std::string answer(std::string_view question) {
  const auto q = Json::parse(question, "question");
  return answered(q ? *q : Json()).text();
}

}  // namespace warpmem::web
