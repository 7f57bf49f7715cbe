// The rules for a line's set, a row each (policy/table.hpp).
#pragma once

#define WARPMEM_SET_RULES(ROW) \
  ROW(xor_matrix, kXorMatrix)  \
  ROW(mixed_rows, kMixedRows)  \
  ROW(low_bits, kLowBits)      \
  ROW(xor_fermi, kXorFermi)    \
  ROW(add_pascal, kAddPascal)
