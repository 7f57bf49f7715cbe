// What a process of the program's tells `warpmem emulate`, which reads it when the program has
// ended.
#pragma once

#include <string>

namespace warpmem::cudart {

// Adds a line to the file; `status` empty: nobody wants to know. Lines of several processes do not
// mix.
void tell_command(const std::string& status, const std::string& line);

}  // namespace warpmem::cudart
