// Embeds the fat binary that nvcc made of patches.cu (WARPMEM_PATCHES_FILE, an absolute path).
#include "traces/record/patches.hpp"

asm(".section .rodata\n"
    ".balign 16\n"
    "warpmem_patches_image:\n"
    ".incbin \"" WARPMEM_PATCHES_FILE
    "\"\n"
    ".previous\n");

extern "C" const unsigned char warpmem_patches_image[] __attribute__((visibility("hidden")));

namespace warpmem::record {

namespace {

struct Patch {
  Sanitizer_InstructionId id;
  const char* function;
};
constexpr Patch kPatches[] = {
    {SANITIZER_INSTRUCTION_BLOCK_ENTER, "warpmem_begin"},
    {SANITIZER_INSTRUCTION_BLOCK_EXIT, "warpmem_exit"},
    {SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "warpmem_global"},
    {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "warpmem_shared"},
    {SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS, "warpmem_local"},
    {SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS, "warpmem_remote"},
    {SANITIZER_INSTRUCTION_BARRIER, "warpmem_barrier"},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "warpmem_async_copy"},
    {SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS, "warpmem_matrix"},
    {SANITIZER_INSTRUCTION_CACHE_CONTROL, "warpmem_prefetch"},
    {SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC, "warpmem_group_product"},
    {SANITIZER_INSTRUCTION_ASYNC_STORE, "warpmem_async_store"},
    {SANITIZER_INSTRUCTION_ASYNC_REDUCTION, "warpmem_async_reduction"},
    {SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED, "warpmem_bulk_load"},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL, "warpmem_bulk_store"},
    {SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED, "warpmem_bulk_shared"},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL, "warpmem_bulk_reduce"},
    {SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED, "warpmem_bulk_reduce_shared"},
};

}  // namespace

SanitizerResult patch_module(const SanitizerApi& api, CUmodule module) {
  for (const Patch& patch : kPatches) {
    api.patch_instructions(patch.id, module, patch.function);  // older APIs lack some
  }
  return api.patch_module(module);
}

const void* patches_image() { return warpmem_patches_image; }

}  // namespace warpmem::record
