#include "base/error.hpp"

#include <cstddef>
#include <string_view>

#include "base/printable.hpp"

namespace warpmem {

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCheckFailed: return 1;
    case ErrorKind::kUsage: return 2;
    case ErrorKind::kMalformed: return 3;
    case ErrorKind::kIncomplete: return 4;
    case ErrorKind::kResources: return 5;
    case ErrorKind::kEnvironment: return 6;
    case ErrorKind::kInternal: return 70;
    case ErrorKind::kInterrupted: return 130;
  }
  return 70;
}

namespace {

// Further lines are indented: a name with a line end in it cannot pass for a message of its own.
std::string shown(const std::string& message) {
  constexpr std::string_view kOurs = "  fix:";
  std::string out;
  const std::string text = printable_lines(message);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool begins = at > 0 && text[at - 1] == '\n';
    if (begins && (text[at] != ' ' || std::string_view(text).substr(at).starts_with(kOurs)))
      out += "  ";
    out += text[at];
  }
  return out;
}

}  // namespace

std::string Error::text() const {
  std::string out = place.empty() ? shown(message) : printable(place) + ": " + shown(message);
  if (!fix.empty()) out += "\n  fix: " + printable(fix);
  return out;
}

}  // namespace warpmem
