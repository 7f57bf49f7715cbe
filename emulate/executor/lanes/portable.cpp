// The arithmetic for any x86-64 processor.
#define WARPMEM_LANES lanes_portable
#include "emulate/executor/lanes/body.hpp"
