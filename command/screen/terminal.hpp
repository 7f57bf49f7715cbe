// What stdout and stderr are connected to, and the escape codes that follow from it.
#pragma once

#include "views/style.hpp"

namespace warpmem::command {

bool is_terminal(int descriptor);

// Colour only where a person sees it: a terminal, NO_COLOR unset or empty, TERM not "dumb".
bool use_colour(int descriptor);

// Columns of the terminal behind `descriptor`; 80 when that is not known.
int terminal_width(int descriptor);

using views::Style;
using views::styled;

}  // namespace warpmem::command
