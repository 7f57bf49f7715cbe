// The arithmetic for processors with AVX2 and FMA; chosen by lanes.cpp when the program runs.
#define WARPMEM_LANES lanes_avx2
#include "emulate/executor/lanes/body.hpp"
