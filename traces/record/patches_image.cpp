// Embeds the fat binary that nvcc made of patches.cu (WARPMEM_PATCHES_FILE, an absolute path).
#include "traces/record/patches.hpp"

asm(".section .rodata\n"
    ".balign 16\n"
    "warpmem_patches_image:\n"
    ".incbin \"" WARPMEM_PATCHES_FILE "\"\n"
    ".previous\n");

extern "C" const unsigned char warpmem_patches_image[] __attribute__((visibility("hidden")));

namespace warpmem::record {

const void* patches_image() { return warpmem_patches_image; }

}  // namespace warpmem::record
