#include "emulate/executor/printf_text.hpp"

#include <cstdio>
#include <cstring>
#include <optional>

namespace warpmem::emulate {
namespace {

// Whether widths and precisions are such that it is worth trying.
bool fits(const std::string& spec) {
  std::size_t number = 0;
  for (const char c : spec) {
    number = c >= '0' && c <= '9' ? number * 10 + static_cast<std::size_t>(c - '0') : 0;
    if (number > Printed::kMostBytes) return false;
  }
  return true;
}

// As much room as it takes, within limits; nullopt: more.
template <class T>
std::optional<std::string> printed(const std::string& spec, T value) {
  if (!fits(spec)) return std::nullopt;
  const int n = std::snprintf(nullptr, 0, spec.c_str(), value);
  if (n <= 0) return std::string();
  std::string out(static_cast<std::size_t>(n) + 1, '\0');
  std::snprintf(out.data(), out.size(), spec.c_str(), value);
  out.pop_back();
  return out;
}

class Printer {
 public:
  Printer(std::span<const std::byte> arguments, const StringAt& text)
      : arguments_(arguments), text_(text) {}

  Printed print(const std::string& format) {
    for (std::size_t i = 0; i < format.size() && !all_.too_long; ++i) {
      if (format[i] != '%') all_.text += format[i];
      else conversion(format, i);
    }
    return std::move(all_);
  }

 private:
  // The next argument, aligned to its size.
  std::uint64_t take(std::size_t bytes) {
    offset_ = (offset_ + bytes - 1) / bytes * bytes;
    std::uint64_t v = 0;
    if (offset_ + bytes <= arguments_.size()) std::memcpy(&v, arguments_.data() + offset_, bytes);
    offset_ += bytes;
    ++all_.arguments;
    return v;
  }

  // From the percent sign at `i`, which is left at its last character.
  void conversion(const std::string& format, std::size_t& i) {
    std::string spec = "%";
    int longs = 0, shorts = 0;
    for (++i; i < format.size(); ++i) {
      const char c = format[i];
      if (c == 'l' || c == 'j' || c == 'z' || c == 't') {
        longs += c == 'l' ? 1 : 2;
        continue;
      }
      if (c == 'h') {
        ++shorts;
        continue;
      }
      if (c == '*') {
        spec += std::to_string(static_cast<std::int32_t>(take(4)));
        continue;
      }
      spec += c;
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '%') break;
    }
    if (spec.size() > 60) return;
    const char c = spec.back();
    spec.pop_back();
    const auto text = converted(c, spec, longs, shorts);
    all_.too_long = !text || all_.text.size() + text->size() > Printed::kMostBytes;
    if (!all_.too_long) all_.text += *text;
  }

  std::optional<std::string> converted(char c, const std::string& spec, int longs, int shorts) {
    switch (c) {
      case '%': return "%";
      case 'd':
      case 'i': {
        long long v = longs ? static_cast<long long>(take(8)) : static_cast<std::int32_t>(take(4));
        if (shorts) v = shorts == 1 ? static_cast<std::int16_t>(v) : static_cast<std::int8_t>(v);
        return printed(spec + "lld", v);
      }
      case 'u':
      case 'x':
      case 'X':
      case 'o': {
        unsigned long long v = take(longs ? 8 : 4);
        if (shorts) v &= shorts == 1 ? 0xffff : 0xff;
        return printed(spec + "ll" + c, v);
      }
      case 'c': return printed(spec + "c", static_cast<int>(take(4)));
      case 'p': return printed("0x%llx", static_cast<unsigned long long>(take(8)));
      case 's': {
        const std::uint64_t at = take(8);
        return printed(spec + "s", at ? text_(at).c_str() : "(null)");
      }
      case 'e':
      case 'E':
      case 'f':
      case 'F':
      case 'g':
      case 'G':
      case 'a':
      case 'A': {
        const std::uint64_t bits = take(8);
        double v;
        std::memcpy(&v, &bits, 8);
        return printed(spec + c, v);
      }
      default: return "%";  // a conversion that there is not
    }
  }

  std::span<const std::byte> arguments_;
  const StringAt& text_;
  std::size_t offset_ = 0;
  Printed all_;
};

}  // namespace

Printed formatted(const std::string& format, std::span<const std::byte> arguments,
                  const StringAt& text) {
  return Printer(arguments, text).print(format);
}

}  // namespace warpmem::emulate
