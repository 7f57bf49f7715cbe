#include "metrics/formula.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace warpmem::metrics {
namespace {

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
// Names hold dots as well: "dram__sectors_read.sum", "card.sm.count".
bool in_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.';
}

// Sums of products of terms, each read where it stands.
class Reader {
 public:
  Reader(std::string_view text, const std::function<Value(std::string_view)>& named)
      : text_(text), named_(named) {}

  Value whole() {
    Value out = sum();
    if (out.known() && !rest().empty()) return broken();
    return out;
  }

 private:
  std::string_view rest() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return text_.substr(at_);
  }
  bool takes(char c) {
    if (rest().empty() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  Value broken() const { return {0, "the formula cannot be read: " + std::string(text_)}; }

  Value sum() {
    Value out = product();
    for (;;) {
      const bool plus = takes('+');
      if (!plus && !takes('-')) return out;
      const Value more = product();
      if (!out.known()) continue;
      if (!more.known()) out = more;
      else out.value += plus ? more.value : -more.value;
    }
  }

  Value product() {
    Value out = term();
    for (;;) {
      const bool times = takes('*');
      if (!times && !takes('/')) return out;
      const std::size_t from = at_;
      const Value by = term();
      if (!out.known()) continue;
      if (!by.known()) out = by;
      else if (times) out.value *= by.value;
      else if (by.value == 0) out = {0, "nothing to divide by: " + shown(from) + " is 0"};
      else out.value /= by.value;
    }
  }

  // What was read from there on, without parentheses around it all.
  std::string shown(std::size_t from) const {
    std::string_view text = text_.substr(from, at_ - from);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (text.size() > 1 && text.front() == '(' && text.back() == ')')
      text = text.substr(1, text.size() - 2);
    return std::string(text);
  }

  Value term() {
    if (takes('(')) {
      Value out = sum();
      return takes(')') ? out : broken();
    }
    const std::string_view text = rest();
    if (text.empty()) return broken();
    if (starts_name(text.front())) {
      const auto end = std::ranges::find_if_not(text, in_name);
      const std::string_view name = text.substr(0, static_cast<std::size_t>(end - text.begin()));
      at_ += name.size();
      return named_(name);
    }
    const std::string number(text.substr(0, text.find_first_not_of("0123456789.")));
    if (number.empty()) return broken();
    at_ += number.size();
    return {std::strtod(number.c_str(), nullptr), {}};
  }

  const std::string_view text_;
  const std::function<Value(std::string_view)>& named_;
  std::size_t at_ = 0;
};

}  // namespace

Value evaluate(std::string_view formula, const std::function<Value(std::string_view)>& named) {
  return Reader(formula, named).whole();
}

std::vector<std::string> names_in(std::string_view formula) {
  std::vector<std::string> names;
  evaluate(formula, [&](std::string_view name) {
    if (std::ranges::find(names, name) == names.end()) names.emplace_back(name);
    return Value{1, {}};
  });
  return names;
}

}  // namespace warpmem::metrics
