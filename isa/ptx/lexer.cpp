#include "isa/ptx/lexer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/printable.hpp"

namespace warpmem::ptx {
namespace {

constexpr std::size_t kMostShown = 300;  // bytes of a line that a message quotes

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

}  // namespace

std::uint32_t Source::line_of(std::size_t at) const {
  const auto end = text_.begin() + static_cast<std::ptrdiff_t>(std::min(at, text_.size()));
  return 1 + static_cast<std::uint32_t>(std::count(text_.begin(), end, '\n'));
}

Error Source::error_at(std::size_t at, const std::string& message, const std::string& fix,
                       ErrorKind kind) const {
  at = std::min(at, text_.size());
  std::size_t begin = at == 0 ? std::string::npos : text_.rfind('\n', at - 1);
  begin = begin == std::string::npos ? 0 : begin + 1;
  const std::size_t end = std::min(text_.find('\n', at), text_.size());
  const std::string shown =
      printable_lines(std::string_view(text_).substr(begin, std::min(end - begin, kMostShown)));
  std::string caret;
  for (const char c : printable_lines(std::string_view(text_).substr(begin, at - begin)))
    if ((static_cast<unsigned char>(c) & 0xc0u) != 0x80u) caret += c == '\t' ? '\t' : ' ';
  if (caret.size() > kMostShown) caret.clear();
  return Error{kind, fmt::format("{}\n    {}\n    {}^", message, shown, caret),
               fmt::format("{}:{}:{}", name_, line_of(at), at - begin + 1), fix};
}

void Lexer::skip_blanks() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\0') {
      ++at_;
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '/') {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (c == '/' && at_ + 1 < text_.size() && text_[at_ + 1] == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

Token Lexer::next() {
  skip_blanks();
  Token token{TokenKind::kEnd, {}, at_};
  if (at_ >= text_.size()) return token;
  const std::size_t begin = at_;
  const char c = text_[begin];
  if (c == '"') {
    std::size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] != '\n')
      end += text_[end] == '\\' ? 2u : 1u;
    end = std::min(end, text_.size());
    at_ = std::min(end + 1, text_.size());
    return {TokenKind::kString, text_.substr(begin + 1, end - begin - 1), begin};
  }
  if (!is_word(c)) {
    ++at_;
    return {TokenKind::kPunctuation, text_.substr(begin, 1), begin};
  }
  std::size_t end = begin;
  while (end < text_.size()) {
    if (c == '.' && end > begin && text_[end] == '.') break;  // .reg.b32 is two directives
    if (is_word(text_[end])) {
      ++end;
    } else if (text_[end] == ':' && end + 2 < text_.size() && text_[end + 1] == ':' &&
               is_word(text_[end + 2])) {
      end += 2;
    } else if ((text_[end] == '+' || text_[end] == '-') && is_digit(c) &&
               (text_[end - 1] == 'e' || text_[end - 1] == 'E') && text_.substr(begin, 2) != "0x" &&
               text_.substr(begin, 2) != "0f" && text_.substr(begin, 2) != "0d" &&
               text_.substr(begin, 2) != "0X" && text_.substr(begin, 2) != "0F" &&
               text_.substr(begin, 2) != "0D") {
      ++end;  // 1.5e-3
    } else {
      break;
    }
  }
  at_ = end;
  return {is_digit(c) ? TokenKind::kNumber : TokenKind::kWord, text_.substr(begin, end - begin),
          begin};
}

}  // namespace warpmem::ptx
