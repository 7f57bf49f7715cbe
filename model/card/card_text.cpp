// Reading cards and DRAM types from their text.
#include <algorithm>

#include "base/printable.hpp"
#include "base/toml_values.hpp"
#include "model/card/card_advice.hpp"
#include "model/card/card_text.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/embedded_dram.hpp"

namespace warpmem::model {
namespace {

std::string at(const std::string& file, const toml::source_region& r) {
  return file + ", line " + std::to_string(r.begin.line);
}

// A text that can be shown as it is.
Result<std::string> plain_text(const toml::node& node, std::string_view key,
                               const std::string& file) {
  auto text = toml_text(node, key, file);
  if (text && printable(*text) != *text)
    return card_error(
        toml_place(file, node),
        "'" + std::string(key) + "' holds a character that cannot be printed: " + printable(*text),
        "write plain text on one line");
  return text;
}

Result<std::uint64_t> number(const CardField& f, const std::string& key, const toml::node& v,
                             const std::string& file) {
  if (!f.rule.words) return toml_whole(v, key, card_number_range(f), file);
  auto word = plain_text(v, key, file);
  if (!word) return word.error();
  return read_card_number(f, *word, toml_place(file, v));
}

Result<Card::Given> given(const CardField& f, const std::string& key, toml::node& entry,
                          const std::string& file) {
  toml::table* e = entry.as_table();
  if (!e || !e->contains("value") || !e->contains("source"))
    return card_error(at(file, entry.source()), "'" + key + "' needs a value and a source",
                      "write " + key + " = { value = …, source = \"measured: …\" }");
  for (const auto& [attribute, ignored] : *e)
    if (attribute != "value" && attribute != "source")
      return card_error(at(file, attribute.source()),
                        "unknown key '" + key + "." + std::string(attribute.str()) + "'",
                        "a number has a value and a source");
  Card::Given out;
  auto source = plain_text(*e->get("source"), key + ".source", file);
  if (!source) return source.error();
  if (source->empty())
    return card_error(at(file, entry.source()), "the source of '" + key + "' is empty",
                      "say where the number comes from, as \"measured: …\" or \"assumed: …\"");
  out.source = *std::move(source);
  out.place = at(file, entry.source());
  toml::node& value = *e->get("value");
  if (std::holds_alternative<CardField::One>(f.member)) {
    const auto v = number(f, key, value, file);
    if (!v) return v.error();
    out.values.push_back(*v);
    return out;
  }
  toml::array* list = value.as_array();
  if (!list)
    return card_error(at(file, value.source()), "'" + key + "' is not a list", "write [a, b, …]");
  for (toml::node& item : *list) {
    const auto v = number(f, key, item, file);
    if (!v) return v.error();
    out.values.push_back(*v);
  }
  return out;
}

}  // namespace

Result<CardText> read_card_text(std::string_view text, const std::string& file, bool dram_type) {
  CardText out;
  auto root = toml_table(text, file);
  if (!root) return root.error();
  for (auto& [group, node] : *root) {
    std::string* const top = group == "name"                 ? &out.name
                             : dram_type                     ? nullptr
                             : group == "compute_capability" ? &out.compute_capability
                             : group == "chip"               ? &out.chip
                             : group == "year"               ? &out.year
                             : group == "device"             ? &out.device
                             : group == "isa"                ? &out.isa
                             : group == "inherits"           ? &out.inherits
                                                             : nullptr;
    if (top) {
      auto read = plain_text(node, group.str(), file);
      if (!read) return read.error();
      if (read->empty())
        return card_error(toml_place(file, node), "'" + std::string(group.str()) + "' is empty",
                          "write a text, or remove the line");
      if (top == &out.inherits) out.inherits_place = toml_place(file, node);
      *top = *std::move(read);
      continue;
    }
    toml::table* table = node.as_table();
    if (!table)
      return card_error(at(file, node.source()), "unknown key '" + std::string(group.str()) + "'",
                        "put numbers into a group, as [l1] size = …; at the top stand name, "
                        "inherits, compute_capability and isa");
    for (auto& [key, entry] : *table) {
      const std::string full = std::string(group.str()) + "." + std::string(key.str());
      const auto index = find_card_field(full);
      if (!index || (dram_type && !card_fields()[*index].rule.of_dram_type))
        return card_error(at(file, entry.source()), "unknown key '" + full + "'",
                          advice_for_key(full, "remove it"));
      auto read = given(card_fields()[*index], full, entry, file);
      if (!read) return read.error();
      out.given.emplace(*index, std::move(*read));
    }
  }
  return out;
}

const std::vector<std::string>& dram_type_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const EmbeddedText& t : kEmbeddedDram) names.emplace_back(t.name);
    return names;
  }();
  return kNames;
}

Result<Card::GivenFields> dram_type_fields(std::uint64_t type) {
  const EmbeddedText& t = kEmbeddedDram[type];
  auto text = read_card_text(t.text, "dram/" + std::string(t.name) + ".toml", true);
  if (!text) return text.error();
  return std::move(text->given);
}

}  // namespace warpmem::model
