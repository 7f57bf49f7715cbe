// Reading cards and DRAM types from their text.
#include <toml++/toml.h>

#include <algorithm>

#include "model/card/card_fields.hpp"
#include "model/embedded_dram.hpp"

namespace warpmem::model {
namespace {

std::string at(const std::string& file, const toml::source_region& r) {
  return file + ", line " + std::to_string(r.begin.line);
}

std::optional<std::uint64_t> number(const CardField& f, toml::node& v) {
  if (auto i = v.value<std::int64_t>(); i && *i >= 0 && !f.words)
    return static_cast<std::uint64_t>(*i);
  if (auto s = v.value<std::string>()) return parse_card_number(f, *s);
  return std::nullopt;
}

Result<Card::Given> given(const CardField& f, const std::string& key, toml::node& entry,
                          const std::string& file) {
  toml::table* e = entry.as_table();
  if (!e || !e->contains("value") || !e->contains("source"))
    return card_error(at(file, entry.source()), "'" + key + "' needs a value and a source",
                      "write " + key + " = { value = …, source = \"measured: …\" }");
  Card::Given out;
  out.source = e->get("source")->value_or(std::string());
  toml::node& value = *e->get("value");
  if (std::holds_alternative<CardField::One>(f.member)) {
    const auto v = number(f, value);
    if (!v)
      return card_error(at(file, value.source()),
                        f.words ? "'" + key + "' is no " + f.unit + " there is"
                                : "'" + key + "' is not a number of " + f.unit,
                        card_number_fix(f));
    out.values.push_back(*v);
    return out;
  }
  toml::array* list = value.as_array();
  if (!list)
    return card_error(at(file, value.source()), "'" + key + "' is not a list", "write [a, b, …]");
  for (toml::node& item : *list) {
    const auto v = number(f, item);
    if (!v)
      return card_error(at(file, item.source()),
                        "'" + key + "' holds something that is not a number",
                        "write whole numbers");
    out.values.push_back(*v);
  }
  return out;
}

}  // namespace

Result<CardText> read_card_text(std::string_view text, const std::string& file, bool dram_type) {
  CardText out;
  toml::table root;
  try {
    root = toml::parse(text);
  } catch (const toml::parse_error& e) {
    return card_error(at(file, e.source()),
                      std::string("not valid TOML: ") + std::string(e.description()),
                      "correct the line");
  }
  for (auto& [group, node] : root) {
    if (group == "name") {
      out.name = node.value_or(std::string());
      continue;
    }
    if (group == "compute_capability" && !dram_type) {
      out.compute_capability = node.value_or(std::string());
      continue;
    }
    if (group == "isa" && !dram_type) {
      out.isa = node.value_or(std::string());
      continue;
    }
    toml::table* table = node.as_table();
    if (!table)
      return card_error(at(file, node.source()), "unknown key '" + std::string(group.str()) + "'",
                        "put numbers into a group, as [l1] size = …");
    for (auto& [key, entry] : *table) {
      const std::string full = std::string(group.str()) + "." + std::string(key.str());
      const auto index = find_card_field(full);
      if (!index || (dram_type && !card_fields()[*index].of_dram_type))
        return card_error(at(file, entry.source()), "unknown key '" + full + "'",
                          nearest_card_field(full, "remove it"));
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
