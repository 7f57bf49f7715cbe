#include "traces/emulate/decoder.hpp"

namespace warpmem::emulate {

bool Decoder::matrix(Modifiers&) { return false; }

}  // namespace warpmem::emulate
