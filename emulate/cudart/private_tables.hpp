// NVIDIA's libraries ask the driver for tables of functions that are not public (cuGetExportTable).
// The emulated driver has none. Compilers go on without them, wherever they are linked in.
// Libraries of kernels (cuFFT) refuse to start, with a status that says nothing: so the command
// names them, where the program failed.
#pragma once

namespace warpmem::cudart {

// `caller`: an address in the code that asked. Notes its library, if that brings kernels.
void tables_refused(const void* caller);

}  // namespace warpmem::cudart
