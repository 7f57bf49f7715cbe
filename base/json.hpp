// A JSON value: what commands write for other programs, and read back. Members keep their order.
//
// Nothing is allocated when a value goes, so that lack of memory is std::bad_alloc here as
// everywhere else, and not the end of the program in a destructor.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace warpmem {

class Json {
 public:
  class Item;  // of a list in braces
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  // Not in line: each value that goes would be a tree of code.
  Json();
  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <class T>
  requires(std::integral<T> && !std::same_as<T, bool>) Json(T value) {
    if constexpr (std::is_signed_v<T>) {
      if (value < 0) {
        value_ = std::int64_t{value};
        return;
      }
    }
    value_ = static_cast<std::uint64_t>(value);
  }
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  // An array of two.
  template <class A, class B>
  Json(const std::pair<A, B>& two) {
    Array& items = value_.emplace<Array>();
    items.emplace_back(Json(two.first));
    items.emplace_back(Json(two.second));
  }
  // Anything that holds values one after the other; members by name of a map of strings.
  template <class Range>
  requires(!std::convertible_to<const Range&, std::string_view> &&
           !std::derived_from<Range, Json> && requires(const Range& r) { r.begin() != r.end(); })
      Json(const Range& range) {
    if constexpr (requires { typename Range::mapped_type; }) {
      Object& members = value_.emplace<Object>();
      for (const auto& [name, value] : range) members.emplace_back(std::string(name), Json(value));
    } else {
      Array& items = value_.emplace<Array>();
      for (const auto& value : range) items.emplace_back(Json(value));
    }
  }
  // {{"name", value}, …} is an object, {value, …} an array.
  Json(std::initializer_list<Item> items);
  static Json array(std::initializer_list<Item> items = {});
  static Json object();

  bool is_null() const { return std::holds_alternative<std::monostate>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_text() const { return std::holds_alternative<std::string>(value_); }
  // What it is, if it is that; whole numbers are doubles too.
  std::optional<bool> as_bool() const;
  std::optional<std::uint64_t> as_unsigned() const;
  std::optional<std::int64_t> as_whole() const;
  std::optional<double> as_double() const;
  const std::string* as_text() const { return std::get_if<std::string>(&value_); }
  const Array* as_array() const { return std::get_if<Array>(&value_); }
  const Object* as_object() const { return std::get_if<Object>(&value_); }
  // A member by name, of several the last one; nullptr: there is none.
  const Json* find(std::string_view name) const;

  std::size_t size() const;  // of an array or an object
  bool empty() const { return size() == 0; }
  // What is null becomes an array or an object, and anything else has to be one.
  void push_back(Json item);
  void add(std::string name, Json value);   // whether there is one of that name or not
  Json& operator[](std::string_view name);  // added where there is none
  Json& operator[](std::size_t i);
  Json& operator[](int i) { return (*this)[static_cast<std::size_t>(i)]; }

  // One line, or lines that are indented by so many blanks a level. Bytes that are no UTF-8 become
  // U+FFFD, numbers that JSON has not null.
  std::string text(int indent = -1) const;

  // `place`: of the text, for errors, which add the byte.
  static Result<Json> parse(std::string_view text, const std::string& place);

  bool operator==(const Json& other) const { return equals(other); }

 private:
  bool equals(const Json& other) const;

  // Whole numbers from 0 on are unsigned.
  std::variant<std::monostate, bool, std::uint64_t, std::int64_t, double, std::string, Array,
               Object>
      value_;
};

class Json::Item {
 public:
  template <class T>
  requires(std::constructible_from<Json, T> && !std::same_as<std::remove_cvref_t<T>, Item>)
      Item(T&& value)
      : value_(std::forward<T>(value)) {}
  Item(std::initializer_list<Item> items) : value_(items) {}
  Json take() const { return std::move(value_); }
  const Json& get() const { return value_; }

 private:
  mutable Json value_;  // a list's items are constant, and each is used once
};

}  // namespace warpmem
