// Errors in the command line itself, told with the nearest name that would have been right.
#pragma once

#include <CLI/CLI.hpp>

#include "base/error.hpp"

namespace warpmem::command {

// An option's value that was refused, with what is wrong with it.
struct RefusedValue : CLI::ValidationError {
  explicit RefusedValue(warpmem::Error what)
      : CLI::ValidationError(what.place, what.message), refused(std::move(what)) {}
  warpmem::Error refused;
};

// What a failed parse means: exit status 2, the command's own words, and a fix.
Error usage_error(const CLI::App& app, const CLI::ParseError& error, int argc,
                  const char* const* argv);

}  // namespace warpmem::command
