#include "command/terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

namespace warpmem::command {

namespace {

const char* escape_code(Style style) {
  switch (style) {
    case Style::kBold: return "\x1b[1m";
    case Style::kDim: return "\x1b[2m";
    case Style::kRed: return "\x1b[1;31m";
    case Style::kYellow: return "\x1b[33m";
    case Style::kGreen: return "\x1b[32m";
  }
  return "";
}

}  // namespace

bool is_terminal(int descriptor) { return isatty(descriptor) == 1; }

bool use_colour(int descriptor) {
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour && *no_colour) return false;
  const char* term = std::getenv("TERM");
  if (term && std::string_view(term) == "dumb") return false;
  return is_terminal(descriptor);
}

int terminal_width(int descriptor) {
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  return 80;
}

std::string styled(std::string_view text, Style style, bool colour) {
  if (!colour) return std::string(text);
  return std::string(escape_code(style)) + std::string(text) + "\x1b[0m";
}

}  // namespace warpmem::command
