#include "traces/emulate/decoder.hpp"

namespace warpmem::emulate {

bool Decoder::bulk(Modifiers&) { return false; }

}  // namespace warpmem::emulate
