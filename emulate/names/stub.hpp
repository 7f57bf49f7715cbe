// A function that jumps to one of another name: arguments and results are those of the two who
// meet.
#pragma once

#if defined(__x86_64__)
#define WARPMEM_JUMP(name) "jmp " #name "@PLT\n"
#else
#define WARPMEM_JUMP(name) "b " #name "\n"
#endif
// `binding`: ".weak", which gives way to a function of the name, or ".globl".
#define WARPMEM_STUB(binding, name, other)                                  \
  __asm__(".text\n" binding " " #name "\n.type " #name ",%function\n" #name \
          ": " WARPMEM_JUMP(other) ".size " #name ", .-" #name "\n");
