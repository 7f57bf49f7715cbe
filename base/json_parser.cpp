// JSON from text (RFC 8259). Depth is limited, as each level is a call of the parser.
#include <charconv>
#include <cmath>
#include <utility>

#include "base/json.hpp"
#include "base/utf8.hpp"

namespace warpmem {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // False: it is no JSON at at().
  bool all(Json& out) {
    if (!value(out, 0)) return false;
    blanks();
    return at_ == text_.size();
  }
  std::size_t at() const { return at_; }

 private:
  static constexpr int kMostLevels = 200;

  void blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
      ++at_;
  }
  bool accept(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted, Json value, Json& out) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    out = std::move(value);
    return true;
  }

  bool value(Json& out, int level) {
    blanks();
    if (at_ == text_.size() || level > kMostLevels) return false;
    switch (text_[at_]) {
      case '{': return object(out, level);
      case '[': return array(out, level);
      case '"': {
        std::string read;
        if (!string(read)) return false;
        out = Json(std::move(read));
        return true;
      }
      case 't': return word("true", Json(true), out);
      case 'f': return word("false", Json(false), out);
      case 'n': return word("null", Json(), out);
      default: return number(out);
    }
  }

  bool object(Json& out, int level) {
    out = Json::object();
    ++at_;
    blanks();
    if (accept('}')) return true;
    while (true) {
      std::string name;
      blanks();
      if (!string(name)) return false;
      blanks();
      Json member;
      if (!accept(':') || !value(member, level + 1)) return false;
      out.add(std::move(name), std::move(member));
      blanks();
      if (accept('}')) return true;
      if (!accept(',')) return false;
    }
  }

  bool array(Json& out, int level) {
    out = Json::array();
    ++at_;
    blanks();
    if (accept(']')) return true;
    while (true) {
      Json item;
      if (!value(item, level + 1)) return false;
      out.push_back(std::move(item));
      blanks();
      if (accept(']')) return true;
      if (!accept(',')) return false;
    }
  }

  bool number(Json& out) {
    const std::size_t from = at_;
    const auto digits = [&] {
      const std::size_t first = at_;
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
      return at_ - first;
    };
    const bool minus = accept('-');
    const std::size_t whole_at = at_;
    const std::size_t whole = digits();
    if (whole == 0 || (whole > 1 && text_[whole_at] == '0')) return false;
    bool real = false;
    if (accept('.')) {
      real = true;
      if (digits() == 0) return false;
    }
    if (accept('e') || accept('E')) {
      real = true;
      if (!accept('+')) accept('-');
      if (digits() == 0) return false;
    }
    const char *const first = text_.data() + from, *const end = text_.data() + at_;
    if (!real && !minus) {
      std::uint64_t value = 0;
      if (std::from_chars(first, end, value).ec == std::errc()) return out = Json(value), true;
    } else if (!real) {
      std::int64_t value = 0;
      if (std::from_chars(first, end, value).ec == std::errc()) return out = Json(value), true;
    }
    double value = 0;
    const auto read = std::from_chars(first, end, value);
    if (read.ec != std::errc() || !std::isfinite(value)) return false;
    out = Json(value);
    return true;
  }

  bool string(std::string& out) {
    if (!accept('"')) return false;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (static_cast<unsigned char>(c) < 0x20) return false;
      if (c == '\\') {
        if (!escape(out)) return false;
        continue;
      }
      const Utf8 next = first_utf8(text_.substr(at_));
      if (next.bytes == 0) return false;
      out += text_.substr(at_, next.bytes);
      at_ += next.bytes;
    }
    return false;
  }

  bool escape(std::string& out) {
    constexpr std::string_view kNames = "\"\\/bfnrt", kCodes = "\"\\/\b\f\n\r\t";
    ++at_;
    if (at_ == text_.size()) return false;
    const char c = text_[at_++];
    if (const auto at = kNames.find(c); at != kNames.npos) return out += kCodes[at], true;
    std::uint32_t code = 0, low = 0;
    if (c != 'u' || !hex(code)) return false;
    if (code >= 0xdc00 && code <= 0xdfff) return false;
    if (code >= 0xd800 && code <= 0xdbff) {  // the first of two
      if (!accept('\\') || !accept('u') || !hex(low) || low < 0xdc00 || low > 0xdfff) return false;
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(out, code);
    return true;
  }

  bool hex(std::uint32_t& code) {
    if (text_.size() - at_ < 4) return false;
    const char* const first = text_.data() + at_;
    if (*first == '-' || std::from_chars(first, first + 4, code, 16).ptr != first + 4) return false;
    at_ += 4;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<Json> Json::parse(std::string_view text, const std::string& place) {
  Parser parser(text);
  Json out;
  if (!parser.all(out))
    return Error{ErrorKind::kMalformed, "this is not valid JSON",
                 place + ", byte " + std::to_string(parser.at()),
                 "give a file that a program wrote as JSON, as a whole"};
  return out;
}

}  // namespace warpmem
