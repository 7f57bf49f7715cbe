#include "views/words.hpp"

namespace warpmem::views {
namespace {

constexpr Word kWords[] = {
    {"accuracy",
     "how near a counter came to what hardware counted, over the launches of a card's reference"},
    {"array",
     "an allocation of memory that a launch uses; named after the kernel's argument that points to "
     "it, where that is known",
     true},
    {"bank",
     "one of the 32 columns of shared memory, 4 bytes wide; it can serve one word at a time"},
    {"bank conflict",
     "two lanes want different words of one bank: the words come in two passes instead of one"},
    {"bottleneck",
     "the place between warps and memory that limits a launch, or what warps wait for"},
    {"bypass", "an access that does not use the L1: it goes straight to the L2 (ld.cg, volatile)"},
    {"card", "a file with every number of a GPU that the model needs, each with its source", true},
    {"carve-out", "the part of an SM's L1 that is shared memory"},
    {"CC", "compute capability: the generation of a GPU, as NVIDIA numbers them (9.0: Hopper)"},
    {"channel", "a part of DRAM with a bus of its own"},
    {"coalesced",
     "neighbouring lanes ask for neighbouring words, so that few sectors hold them all"},
    {"counts engine", "a replay that counts requests, sectors and hits, but no cycles; it is fast"},
    {"CTA", "cooperative thread array: a block of threads that run on one SM"},
    {"excess", "sectors or passes beyond the ideal ones"},
    {"fabric", "what joins the two sides of the L2"},
    {"hit", "the cache has the sector that an access asks for"},
    {"ideal", "the fewest sectors or passes in which all that the lanes ask for could come"},
    {"lane", "one of the 32 threads of a warp"},
    {"line", "128 bytes of four sectors, which have a tag together in a cache", true},
    {"local memory",
     "a thread's own memory: registers for which there is no room, arrays with computed indices"},
    {"minimum cut", "the places that together bound how fast a launch's traffic could be at best"},
    {"miss", "the cache does not have the sector; it is fetched from the next level"},
    {"occupancy", "how many warps an SM holds, as a share of the most that it can hold"},
    {"partition", "a part of the L2, or of the memory behind it"},
    {"pass", "one access to all banks of shared memory at once; also called a wavefront"},
    {"port", "the connection of an SM to the L2, in each direction", true},
    {"record", "one warp's execution of one instruction that accesses memory, in a trace", true},
    {"request", "one instruction of one warp with at least one active lane, as the L1 gets it"},
    {"row buffer", "the row of a DRAM bank that is open; an access to another row closes it first"},
    {"sector", "32 bytes: the smallest piece that moves between L1, L2 and DRAM"},
    {"set-aside", "the part of the L2 for persisting accesses"},
    {"site", "one instruction of the code that accesses memory, whoever runs it"},
    {"slice", "a piece of the L2; it takes one request at a time"},
    {"SM", "streaming multiprocessor: where CTAs run; has an L1 of its own"},
    {"spill", "a register that is kept in local memory, because there are not enough registers"},
    {"stride", "the distance between what neighbouring lanes ask for"},
    {"swizzle",
     "a layout of shared memory that shifts each row, so that a column lies in many banks"},
    {"tag", "says which line a place of a cache holds; a look-up compares it"},
    {"time engine", "a replay with cycles: what waits for what, and how long"},
    {"trace", "what the warps of a program's launches did in memory, and its kernels' code"},
    {"under way", "an access that has begun and is not yet answered; outstanding"},
    {"warp", "32 threads that run an instruction together"},
    {"wavefront",
     "what the L1's data stage does in one cycle; for shared memory, one pass over the banks"},
    {"window", "a range of addresses whose lines the L2 should keep, or give up first", true}};

}  // namespace

std::span<const Word> words() { return kWords; }

}  // namespace warpmem::views
