#include "base/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/utf8.hpp"

namespace warpmem {

Json::Json() = default;
// Not the variant's own: libstdc++ 12's takes these types for ones that cannot fail, and destroys
// one that was never made when memory runs out in the middle.
Json::Json(const Json& other) {
  std::visit(
      [this](const auto& value) {
        auto copy = value;
        value_.emplace<std::remove_cvref_t<decltype(value)>>(std::move(copy));
      },
      other.value_);
}
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json& other) {
  Json copy(other);
  value_ = std::move(copy.value_);
  return *this;
}
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;
bool Json::equals(const Json& other) const { return value_ == other.value_; }

Json::Json(std::initializer_list<Item> items) {
  const bool members = std::ranges::all_of(items, [](const Item& item) {
    const Array* const pair = item.get().as_array();
    return pair && pair->size() == 2 && pair->front().is_text();
  });
  if (!members) {
    *this = array(items);
    return;
  }
  Object& object = value_.emplace<Object>();
  for (const Item& item : items) {
    Json pair = item.take();
    Array& two = std::get<Array>(pair.value_);
    object.emplace_back(std::move(std::get<std::string>(two[0].value_)), std::move(two[1]));
  }
}

Json Json::array(std::initializer_list<Item> items) {
  Json out;
  Array& all = out.value_.emplace<Array>();
  all.reserve(items.size());
  for (const Item& item : items) all.push_back(item.take());
  return out;
}

Json Json::object() {
  Json out;
  out.value_.emplace<Object>();
  return out;
}

std::optional<bool> Json::as_bool() const {
  const bool* const value = std::get_if<bool>(&value_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::uint64_t> Json::as_unsigned() const {
  const auto* const value = std::get_if<std::uint64_t>(&value_);
  return value ? std::optional(*value) : std::nullopt;
}

std::optional<std::int64_t> Json::as_whole() const {
  if (const auto* const value = std::get_if<std::int64_t>(&value_)) return *value;
  const auto* const value = std::get_if<std::uint64_t>(&value_);
  if (!value || *value > std::uint64_t{std::numeric_limits<std::int64_t>::max()})
    return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

std::optional<double> Json::as_double() const {
  if (const auto* const value = std::get_if<double>(&value_)) return *value;
  if (const auto* const value = std::get_if<std::int64_t>(&value_))
    return static_cast<double>(*value);
  if (const auto* const value = std::get_if<std::uint64_t>(&value_))
    return static_cast<double>(*value);
  return std::nullopt;
}

const Json* Json::find(std::string_view name) const {
  const Object* const members = as_object();
  if (!members) return nullptr;
  for (auto at = members->rbegin(); at != members->rend(); ++at)
    if (at->first == name) return &at->second;
  return nullptr;
}

std::size_t Json::size() const {
  if (const Array* const items = as_array()) return items->size();
  const Object* const members = as_object();
  return members ? members->size() : 0;
}

void Json::push_back(Json item) {
  if (is_null()) value_.emplace<Array>();
  std::get<Array>(value_).push_back(std::move(item));
}

void Json::add(std::string name, Json value) {
  if (is_null()) value_.emplace<Object>();
  std::get<Object>(value_).emplace_back(std::move(name), std::move(value));
}

Json& Json::operator[](std::string_view name) {
  if (is_null()) value_.emplace<Object>();
  Object& members = std::get<Object>(value_);
  const auto at = std::ranges::find(members, name, &Member::first);
  if (at != members.end()) return at->second;
  return members.emplace_back(std::string(name), Json()).second;
}

Json& Json::operator[](std::size_t i) { return std::get<Array>(value_).at(i); }

namespace {

// As many digits as tell it from all others; a point or an exponent, so that it is no whole number.
void put_double(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  if (std::signbit(value)) out += '-', value = -value;
  if (value == 0) {
    out += "0.0";
    return;
  }
  char buffer[40];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific);
  const std::string_view shown(buffer, static_cast<std::size_t>(end.ptr - buffer));
  const std::size_t e = shown.find('e');
  std::string digits(shown.substr(0, e));
  digits.erase(std::remove(digits.begin(), digits.end(), '.'), digits.end());
  int exponent = 0;
  std::string_view power = shown.substr(e + 1);
  if (power.front() == '+') power.remove_prefix(1);
  std::from_chars(power.data(), power.data() + power.size(), exponent);
  const int count = static_cast<int>(digits.size()), point = exponent + 1;  // digits before it
  constexpr int kMostWhole = 15, kMostZeros = 4;
  if (count <= point && point <= kMostWhole) {
    out += digits;
    out.append(static_cast<std::size_t>(point - count), '0');
    out += ".0";
  } else if (0 < point && point <= kMostWhole) {
    out += digits.substr(0, static_cast<std::size_t>(point)) + "." +
           digits.substr(static_cast<std::size_t>(point));
  } else if (-kMostZeros < point && point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0');
    out += digits;
  } else {
    out += digits.substr(0, 1);
    if (count > 1) out += "." + digits.substr(1);
    const std::string size = std::to_string(std::abs(exponent));
    out += exponent < 0 ? "e-" : "e+";
    if (size.size() < 2) out += '0';
    out += size;
  }
}

void put_text(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const Utf8 c = first_utf8(text);
    if (c.bytes == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(c.skip);
      continue;
    }
    switch (c.code) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\b': out += "\\b"; break;
      case '\f': out += "\\f"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (c.code < 0x20) {
          constexpr char kHex[] = "0123456789abcdef";
          out += "\\u00";
          out += kHex[c.code >> 4];
          out += kHex[c.code & 15];
        } else {
          out += text.substr(0, c.bytes);
        }
    }
    text.remove_prefix(c.bytes);
  }
  out += '"';
}

class Writer {
 public:
  Writer(int indent, std::string& out) : indent_(indent), out_(out) {}

  void put(const Json& json, int level) {
    if (const auto* const items = json.as_array())
      return list(*items, '[', ']', level, [&](const Json& item) { put(item, level + 1); });
    if (const auto* const members = json.as_object())
      return list(*members, '{', '}', level, [&](const Json::Member& member) {
        put_text(out_, member.first);
        out_ += indent_ < 0 ? ":" : ": ";
        put(member.second, level + 1);
      });
    if (const auto* const text = json.as_text()) return put_text(out_, *text);
    if (const auto value = json.as_bool()) out_ += *value ? "true" : "false";
    else if (const auto number = json.as_unsigned()) out_ += std::to_string(*number);
    else if (const auto whole = json.as_whole()) out_ += std::to_string(*whole);
    else if (const auto real = json.as_double()) put_double(out_, *real);
    else out_ += "null";
  }

 private:
  template <class Items, class Put>
  void list(const Items& items, char open, char close, int level, Put&& put) {
    out_ += open;
    bool first = true;
    for (const auto& item : items) {
      if (!std::exchange(first, false)) out_ += ',';
      new_line(level + 1);
      put(item);
    }
    if (!first) new_line(level);
    out_ += close;
  }
  void new_line(int level) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_ * level), ' ');
  }

  int indent_;
  std::string& out_;
};

}  // namespace

std::string Json::text(int indent) const {
  std::string out;
  Writer(indent, out).put(*this, 0);
  return out;
}

}  // namespace warpmem
