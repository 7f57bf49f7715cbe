// The parser's lowest part: one token ahead, and what may stand there. Errors are thrown as Failure
// and caught in parse_ptx().
#pragma once

#include <fmt/format.h>

#include <optional>

#include "emulate/ptx/numbers.hpp"
#include "emulate/ptx/scopes.hpp"

namespace warpmem::emulate {

struct Failure {
  Error error;
};

class TokenParser {
 protected:
  static constexpr const char* kCutShort = "the file may have been cut short";

  explicit TokenParser(Module& module) : module_(module), lexer_(*module.source) { advance(); }

  [[noreturn]] void fail(std::size_t at, const std::string& message, const std::string& fix = {}) {
    // Where the text ends, or in its last word, which may be half of one.
    const bool ends =
        module_.source->text().find_first_of(" \t\r\n;,(){}[]", at) == std::string_view::npos;
    throw Failure{module_.source->error_at(at, message, ends ? kCutShort : fix)};
  }
  void advance() { token_ = lexer_.next(); }
  bool accept(std::string_view text) {
    if (!token_.is(text)) return false;
    advance();
    return true;
  }
  std::string shown() const {
    return token_.kind == TokenKind::kEnd ? "the end of the file"
                                          : fmt::format("'{}'", token_.text.substr(0, 60));
  }
  void expect(std::string_view text) {
    if (!accept(text)) fail(token_.at, fmt::format("expected '{}' instead of {}", text, shown()));
  }
  std::string_view word(const char* what) {
    if (token_.kind != TokenKind::kWord)
      fail(token_.at, fmt::format("expected {} instead of {}", what, shown()));
    const std::string_view text = token_.text;
    advance();
    return text;
  }
  std::uint64_t integer(const char* what) {
    const bool minus = accept("-");
    const auto value =
        token_.kind == TokenKind::kNumber ? parse_integer(token_.text) : std::nullopt;
    if (!value) fail(token_.at, fmt::format("expected {} instead of {}", what, shown()));
    advance();
    return minus ? 0 - *value : *value;
  }
  std::uint32_t small(const char* what, std::uint64_t limit = 0xffffffffu) {
    const std::size_t at = token_.at;
    const std::uint64_t value = integer(what);
    if (value > limit) fail(at, fmt::format("{} is too large: at most {}", what, limit));
    return static_cast<std::uint32_t>(value);
  }
  void advance_in(std::size_t opened) {
    if (token_.kind == TokenKind::kEnd)
      fail(opened, "something opened here is never closed", kCutShort);
    advance();
  }

  Module& module_;
  Lexer lexer_;
  Token token_;
  Scopes scopes_;
};

}  // namespace warpmem::emulate
