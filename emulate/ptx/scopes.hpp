// What names mean inside nested braces: registers (ranges such as %r<9> are kept as ranges),
// variables and labels. Labels may be used before they are defined, and inline assembly reuses
// names in braces of its own, so jumps are settled when a block closes.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulate/executor/syntax.hpp"

namespace warpmem::emulate {

class Scopes {
 public:
  struct Pending {  // a use of a label
    std::string_view name;
    std::size_t at;
    std::uint32_t statement, operand;
    bool target_list;
    std::string_view list;
    std::uint32_t item;
  };
  struct Found : Pending {
    std::uint32_t label;
  };

  void open() { scopes_.emplace_back(); }
  std::size_t depth() const { return scopes_.size(); }

  // The uses that no label of the closed block settles.
  std::vector<Pending> close() {
    std::vector<Pending> open;
    for (const Pending& p : scopes_.back().pending) {
      const auto at = scopes_.back().labels.find(p.name);
      if (at == scopes_.back().labels.end()) open.push_back(p);
      else found_.push_back(Found{p, at->second});
    }
    scopes_.pop_back();
    return open;
  }
  void pend(const Pending& p) { scopes_.back().pending.push_back(p); }
  std::vector<Found> take_found() { return std::exchange(found_, {}); }
  bool add_label(std::string_view name, std::uint32_t label) {
    return scopes_.back().labels.emplace(name, label).second;
  }

  void add(std::string_view name, const Variable* v) { scopes_.back().variables[name] = v; }
  void add_registers(std::string_view name, bool range, std::uint32_t first, std::uint32_t count) {
    scopes_.back().registers[name].push_back({first, count, range});
  }

  // ".reg .v4 .f32 %v": four registers that %v names together and %v.x to %v.w (or .r .g .b .a) one
  // by one.
  void add_vector(std::string_view name, std::uint32_t first, std::uint32_t elements) {
    scopes_.back().vectors[name] = {first, elements};
  }
  struct Vector {
    std::uint32_t first, elements;
  };
  std::optional<Vector> vector_named(std::string_view name) const {
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
      if (const auto at = s->vectors.find(name); at != s->vectors.end()) return at->second;
    return std::nullopt;
  }

  const Variable* variable_named(std::string_view name) const {
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s)
      if (const auto at = s->variables.find(name); at != s->variables.end()) return at->second;
    return nullptr;
  }

  std::optional<std::uint32_t> register_named(std::string_view name) const {
    if (const auto element = element_named(name)) return element;
    std::size_t digits = name.size();
    while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
    for (auto s = scopes_.rbegin(); s != scopes_.rend(); ++s) {
      if (s->registers.empty()) continue;
      if (const auto at = s->registers.find(name); at != s->registers.end())
        for (const Range& r : at->second)
          if (!r.range) return r.first;
      // A prefix may itself end in a digit, so every split is tried: "%r1" + "2" as well as "%r" +
      // "12".
      for (std::size_t split = digits; split < name.size(); ++split) {
        const auto at = s->registers.find(name.substr(0, split));
        if (at == s->registers.end()) continue;
        std::uint32_t number = 0;
        const char* begin = name.data() + split;
        const char* end = name.data() + name.size();
        if ((*begin == '0' && end - begin > 1) || std::from_chars(begin, end, number).ptr != end)
          continue;
        for (const Range& r : at->second)
          if (r.range && number < r.count) return r.first + number;
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<std::uint32_t> element_named(std::string_view name) const {
    if (name.size() < 3 || name[name.size() - 2] != '.') return std::nullopt;
    const auto vector = vector_named(name.substr(0, name.size() - 2));
    if (!vector) return std::nullopt;
    for (const std::string_view names : {"xyzw", "rgba"})
      if (const auto at = names.find(name.back()); at < vector->elements)
        return vector->first + static_cast<std::uint32_t>(at);
    return std::nullopt;
  }

  struct Range {
    std::uint32_t first, count;
    bool range;
  };
  struct Scope {
    std::unordered_map<std::string_view, std::vector<Range>> registers;
    std::unordered_map<std::string_view, Vector> vectors;
    std::unordered_map<std::string_view, const Variable*> variables;
    std::unordered_map<std::string_view, std::uint32_t> labels;
    std::vector<Pending> pending;
  };
  std::vector<Scope> scopes_;
  std::vector<Found> found_;
};

}  // namespace warpmem::emulate
