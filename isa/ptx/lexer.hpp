// Cuts PTX into tokens. A word holds its dots ("ld.global.v4.f32", ".reg", "%tid.x") and its "::"
// ("shared::cta"), because only the parser knows which of them mean something.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace warpmem::ptx {

enum class TokenKind : std::uint8_t { kEnd, kWord, kNumber, kString, kPunctuation };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string_view text;  // a part of the source; strings without their quotes
  std::size_t at = 0;     // byte offset in the source
  bool is(std::string_view t) const { return kind != TokenKind::kString && text == t; }
};

// The source text and its name; tokens and errors point into it.
class Source {
 public:
  Source(std::string name, std::string text) : name_(std::move(name)), text_(std::move(text)) {}
  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::uint32_t line_of(std::size_t at) const;
  // "file:line:column", the line itself and a caret under the place.
  Error error_at(std::size_t at, const std::string& message, const std::string& fix = {},
                 ErrorKind kind = ErrorKind::kMalformed) const;

 private:
  std::string name_;
  std::string text_;
};

class Lexer {
 public:
  explicit Lexer(const Source& source) : text_(source.text()) {}
  explicit Lexer(std::string_view text) : text_(text) {}
  Token next();

 private:
  void skip_blanks();
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace warpmem::ptx
