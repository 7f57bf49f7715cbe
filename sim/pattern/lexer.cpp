#include "sim/pattern/lexer.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace warpmem::sim::pattern {
namespace {

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Signs of two letters before those of one.
constexpr std::array<std::string_view, 15> kLong{"<<", ">>", "<=", ">=", "==", "!=", "&&", "||",
                                                 "..", "+=", "-=", "*=", "++", "--", "::"};

}  // namespace

Error error_at(std::string_view text, std::size_t at, const std::string& message,
               const std::string& fix) {
  at = std::min(at, text.size());
  const std::size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
  const std::string line(text.substr(begin, text.find('\n', begin) - begin));
  return {ErrorKind::kUsage,
          message + "\n    " + line + "\n    " + std::string(at - begin, ' ') + "^",
          "pattern, column " + std::to_string(at - begin + 1), fix};
}

Result<std::vector<Token>> tokens_of(std::string_view text) {
  std::vector<Token> out;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
      continue;
    }
    Token t;
    t.at = i;
    if (begins_name(c)) {
      t.kind = Token::Kind::kName;
      // "threadIdx.x" is one word; "0..8" is none.
      while (i < text.size() &&
             (begins_name(text[i]) || is_digit(text[i]) ||
              (text[i] == '.' && i + 1 < text.size() && begins_name(text[i + 1]))))
        t.text += text[i++];
    } else if (is_digit(c)) {
      t.kind = Token::Kind::kNumber;
      const bool hex =
          c == '0' && i + 1 < text.size() && (text[i + 1] == 'x' || text[i + 1] == 'X');
      const char* const first = text.data() + i + (hex ? 2 : 0);
      const char* const last = text.data() + text.size();
      const auto [end, wrong] = std::from_chars(first, last, t.value, hex ? 16 : 10);
      // It would take "0x-1" for a number.
      if (wrong != std::errc() || *first == '-')
        return error_at(text, i, "this is no whole number",
                        "write it with digits, at most 9,223,372,036,854,775,807");
      i = static_cast<std::size_t>(end - text.data());
      while (i < text.size() && std::string_view("uUlL").find(text[i]) != std::string_view::npos)
        ++i;
      t.text = std::string(text.substr(t.at, i - t.at));
    } else {
      t.kind = Token::Kind::kSign;
      t.text = c;
      for (const std::string_view sign : kLong)
        if (text.substr(i).starts_with(sign)) t.text = sign;
      if (t.text.size() == 1 &&
          std::string_view("+-*/%()[]{}<>=!~&|^?:;,").find(c) == std::string_view::npos)
        return error_at(text, i, "this letter means nothing here",
                        "use names, whole numbers and the operators of C");
      i += t.text.size();
    }
    out.push_back(std::move(t));
  }
  out.push_back({Token::Kind::kEnd, "", 0, text.size()});
  return out;
}

}  // namespace warpmem::sim::pattern
