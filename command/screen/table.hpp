// Tables, as the views have them.
#pragma once

#include "views/style.hpp"
#include "views/table.hpp"

namespace warpmem::command {

using views::Align;
using views::Column;
using views::display_width;
using views::Table;

}  // namespace warpmem::command
