#include "validate/csv_scan.hpp"

#include <algorithm>
#include <cstdint>

namespace warpmem::validate {
namespace {

void append_utf8(std::string& out, std::uint32_t c) {
  const auto byte = [&](std::uint32_t b) { out += static_cast<char>(b); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

std::string from_utf16(std::string_view bytes, bool little) {
  std::string out;
  std::uint32_t high = 0;  // a pending high surrogate
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) {
    const auto a = static_cast<std::uint8_t>(bytes[i]), b = static_cast<std::uint8_t>(bytes[i + 1]);
    const std::uint32_t unit = little ? a | (b << 8) : b | (a << 8);
    if (unit >= 0xD800 && unit < 0xDC00) {
      high = unit;
    } else if (unit >= 0xDC00 && unit < 0xE000) {
      append_utf8(out, high ? 0x10000 + ((high - 0xD800) << 10) + (unit - 0xDC00) : 0xFFFD);
      high = 0;
    } else {
      append_utf8(out, unit);
      high = 0;
    }
  }
  return out;
}

}  // namespace

std::string to_plain_utf8(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE")) return from_utf16(bytes.substr(2), true);
  if (bytes.starts_with("\xFE\xFF")) return from_utf16(bytes.substr(2), false);
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  return std::string(bytes);
}

std::size_t next_line(std::string_view text, std::size_t at) {
  const auto newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

std::optional<CsvRecord> read_record(std::string_view text, std::size_t at, char delimiter,
                                     const RecordLimits& limits, std::size_t& end) {
  CsvRecord record;
  const std::size_t stop = std::min(text.size(), at + limits.bytes);
  std::size_t i = at;
  while (true) {
    std::string field;
    bool quoted = false;
    if (i < stop && text[i] == '"') {
      quoted = true;
      ++i;
      bool closed = false;
      while (i < stop && !closed) {
        if (text[i] != '"') {
          if (text[i] == '\n') ++record.lines;
          field += text[i++];
        } else if (i + 1 < stop && text[i + 1] == '"') {
          field += '"';
          i += 2;
        } else {
          closed = true;
          ++i;
        }
      }
      if (!closed) return std::nullopt;
    }
    // Unquoted text, or what follows the closing quote.
    while (i < stop && text[i] != delimiter && text[i] != '\n') {
      if (text[i] != '\r') {
        if (quoted) record.trailing = true;
        else field += text[i];
      }
      ++i;
    }
    if (record.fields.size() == limits.fields) return std::nullopt;
    record.fields.push_back(std::move(field));
    if (i >= stop || text[i] == '\n') break;
    ++i;  // the delimiter
  }
  end = next_line(text, i);
  return record;
}

}  // namespace warpmem::validate
