// Where calls lead that do not say so by a place in the code: through a register (virtual
// functions, pointers to functions), or by a name that nothing in the trace explains (recordings of
// linked code before names became places).
//
// Code holds where functions begin: behind an instruction that never goes on, where nobody jumps to
// and from where a return is reached. Which of them a call goes to its next record says: the path
// to that record leads through the function that it is in (path_graph.hpp). So all functions that
// may be meant are given, less those that are called by their place from elsewhere, such as the
// divisions of ptxas.
//
// Nothing is given for the driver's own functions, which no trace has code of: names that are not
// C++ ones, and addresses that come from constant bank 4 (where linkers put those).
#pragma once

#include <vector>

#include "sim/code/code.hpp"

namespace warpmem::sim {

// Sets `callees` of the calls among `code`, as read_code makes it of `program`.
void find_callees(const trace::DecodedProgram& program, std::vector<CodeLine>& code);

}  // namespace warpmem::sim
