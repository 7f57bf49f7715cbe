#include "validate/kernel_name.hpp"

#include <cctype>
#include <cstdlib>
#include <memory>

#include <cxxabi.h>

namespace warpmem::validate {
namespace {

// The names that a mangled one begins with: "cutlass::Kernel" of "_ZN7cutlass6KernelI…". There are
// names of 1,500 characters that compilers write and libstdc++ does not read.
std::string scopes_of(std::string_view name) {
  std::string out;
  std::size_t at = name.starts_with("_ZN") ? 3 : 2;
  while (at < name.size() && std::isdigit(static_cast<unsigned char>(name[at]))) {
    std::size_t length = 0;
    for (; at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) &&
           length < name.size();
         ++at)
      length = length * 10 + static_cast<std::size_t>(name[at] - '0');
    if (length == 0 || length > name.size() - at) break;
    if (!out.empty()) out += "::";
    out += name.substr(at, length);
    at += length;
  }
  return out.empty() ? std::string(name) : out;
}

std::string demangled(std::string_view name) {
  std::string text(name);
  if (!text.starts_with("_Z")) return text;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> out(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && out ? std::string(out.get()) : scopes_of(text);
}

void erase_all(std::string& s, std::string_view what, std::string_view by = "") {
  for (auto p = s.find(what); p != std::string::npos; p = s.find(what, p + by.size()))
    s.replace(p, what.size(), by);
}

bool word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Index of the "(" that opens the parameter list: the last one outside <>, or npos.
std::size_t parameters(std::string_view s) {
  int angle = 0, round = 0;
  std::size_t open = std::string_view::npos;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '<') ++angle;
    if (s[i] == '>' && angle > 0 && (i == 0 || s[i - 1] != '-')) --angle;
    if (s[i] == '(' && angle == 0 && round++ == 0) open = i;
    if (s[i] == ')' && angle == 0 && round > 0) --round;
  }
  return open;
}

// Drops "16u", "16ul", "16ll" suffixes; "float4" and "T1" keep their digits.
std::string without_integer_suffixes(std::string_view s) {
  std::string out;
  for (std::size_t i = 0; i < s.size(); ++i) {
    const bool literal =
        std::isdigit(static_cast<unsigned char>(s[i])) && (i == 0 || !word(s[i - 1]));
    if (!literal) {
      out += s[i];
      continue;
    }
    while (i < s.size() && std::isdigit(static_cast<unsigned char>(s[i]))) out += s[i++];
    while (i < s.size() && (s[i] == 'u' || s[i] == 'l' || s[i] == 'U' || s[i] == 'L')) ++i;
    --i;
  }
  return out;
}

}  // namespace

std::string kernel_signature(std::string_view name) {
  std::string s = demangled(name);
  // Both spellings of an unnamed namespace; its "(" is no parameter list.
  erase_all(s, "(anonymous namespace)", "<unnamed>");
  for (std::string_view cast : {"(int)", "(unsigned int)", "(bool)", "(long)", "(unsigned long)",
                                "(short)", "(char)", "(unsigned char)", "(long long)",
                                "(unsigned long long)", "(unsigned short)", "(signed char)"})
    if (const auto at = parameters(s); at != std::string::npos) {
      // Casts stand in template arguments only, so the parameter list is left alone.
      std::string head = s.substr(0, at), tail = s.substr(at);
      erase_all(head, cast);
      s = head + tail;
    } else {
      erase_all(s, cast);
    }
  if (const auto at = parameters(s); at != std::string::npos && at > 0) s.resize(at);
  // The return type: up to the last blank outside <>.
  int angle = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '<') ++angle;
    if (s[i] == '>' && angle > 0) --angle;
    if (s[i] == ' ' && angle == 0 && i + 1 < s.size() && word(s[i + 1])) begin = i + 1;
    if (s[i] == ' ' && angle == 0 && i + 1 < s.size() && s[i + 1] == '<' &&
        s.find("<unnamed>", i) == i + 1)
      begin = i + 1;
  }
  s.erase(0, begin);
  std::string packed;
  for (char c : s)
    if (!std::isspace(static_cast<unsigned char>(c))) packed += c;
  erase_all(packed, "true", "1");
  erase_all(packed, "false", "0");
  return without_integer_suffixes(packed);
}

std::string kernel_base_name(std::string_view name) {
  const std::string s = kernel_signature(name);
  std::string out;
  int angle = 0;
  for (std::size_t i = 0; i < s.size(); ++i) {
    if (s[i] == '<') {
      ++angle;
      continue;
    }
    if (s[i] == '>' && angle > 0) {
      --angle;
      continue;
    }
    if (angle == 0) out += s[i];
  }
  const auto scope = out.rfind("::");
  return scope == std::string::npos ? out : out.substr(scope + 2);
}

}  // namespace warpmem::validate
