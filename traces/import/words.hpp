// Words and numbers of a line.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpmem::imports {

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  // Empty: the line is at its end.
  std::string_view next() {
    const std::size_t from = text_.find_first_not_of(" \t", at_);
    if (from == text_.npos) return {};
    const std::size_t end = text_.find_first_of(" \t", from);
    at_ = end == text_.npos ? text_.size() : end;
    return text_.substr(from, at_ - from);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

template <class T>
std::optional<T> whole_of(std::string_view word, int base = 10) {
  if (base == 16 && (word.starts_with("0x") || word.starts_with("0X"))) word.remove_prefix(2);
  T out = 0;
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), out, base);
  if (code != std::errc() || end != word.data() + word.size() || word.empty()) return std::nullopt;
  return out;
}

}  // namespace warpmem::imports
