#include "traces/format/repeats.hpp"

#include <fmt/format.h>

#include <charconv>

namespace warpmem::trace {
namespace {

constexpr std::string_view kLaunch = "launch ", kRan = " ran ",
                           kTimes = " times in a row, and is in the trace once", kThen = "; ",
                           kOtherwise = " of them ran other instructions";

struct Words {
  std::string_view rest;
  bool ok = true;

  void word(std::string_view text) {
    ok = ok && rest.starts_with(text);
    if (ok) rest.remove_prefix(text.size());
  }
  template <class Number>
  void number(Number& out) {
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), out);
    ok = ok && read.ec == std::errc{};
    if (ok) rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
  }
};

}  // namespace

std::string repeats_note(const Repeats& r) {
  std::string text = fmt::format("{}{}{}{}{}", kLaunch, r.launch, kRan, r.ran, kTimes);
  if (r.otherwise != 0) text += fmt::format("{}{}{}", kThen, r.otherwise, kOtherwise);
  return text;
}

std::optional<Repeats> parse_repeats(std::string_view note) {
  Repeats r;
  Words words{note};
  words.word(kLaunch), words.number(r.launch), words.word(kRan), words.number(r.ran),
      words.word(kTimes);
  if (words.ok && !words.rest.empty())
    words.word(kThen), words.number(r.otherwise), words.word(kOtherwise);
  if (!words.ok || !words.rest.empty() || r.ran < 2 || r.otherwise >= r.ran) return std::nullopt;
  return r;
}

}  // namespace warpmem::trace
