#include <cstdint>

#include "views/embedded_page.hpp"
#include "views/report.hpp"

namespace warpmem::views {
namespace {

std::string part(std::string_view name) {
  for (const EmbeddedPart& p : kPage)
    if (name == p.name) return p.text;
  return {};
}

// All scripts in the order of their names, in one function, so that none of their names meets a
// browser extension's.
std::string scripts() {
  std::string out = "\"use strict\";\n(function () {\n";
  for (const EmbeddedPart& p : kPage)
    if (std::string_view(p.name).ends_with(".js")) out += p.text;
  return out + "})();\n";
}

std::string base_64(std::string_view bytes) {
  constexpr const char* kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k)
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    for (std::size_t k = 0; k < 4; ++k)
      out += i + k > bytes.size() ? '=' : kDigits[group >> (18 - 6 * k) & 63];
  }
  return out;
}

void replace(std::string& page, std::string_view mark, std::string_view text) {
  if (const std::size_t at = page.find(mark); at != page.npos) page.replace(at, mark.size(), text);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  }
  return out;
}

std::string json_in_html(std::string json) {
  std::string out;
  out.reserve(json.size());
  // In JSON these stand in strings only, where they can be written as escapes.
  for (const char c : json) {
    if (c == '<') out += "\\u003c";
    else out += c;
  }
  return out;
}

std::string report_html(const Report& report, std::string_view wasm) {
  std::string page = part("page.html");
  // What is put in last may hold any text, such as a mark.
  replace(page, "/*STYLE*/", part("style.css"));
  replace(page, "/*SCRIPT*/", scripts());
  replace(page, "/*WASM*/", base_64(wasm));
  const std::size_t at = page.find("/*DATA*/");
  std::string head = page.substr(0, at), tail = page.substr(at + 8);
  replace(head, "<!--TITLE-->", html_text(report.title));
  return head + json_in_html(report_json(report)) + tail;
}

}  // namespace warpmem::views
