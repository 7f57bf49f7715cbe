// Errors in the command line itself, told with the nearest name that would have been right.
#pragma once

#include "base/error.hpp"

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace warpmem::command {

// What a failed parse means: exit status 2, the command's own words, and a fix.
Error usage_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                  const char* const* argv);

}  // namespace warpmem::command
