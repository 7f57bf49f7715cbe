#include "views/words.hpp"

namespace warpmem::views {
namespace {

constexpr Word kWords[] = {
    {"accuracy",
     "how near a counter came to what hardware counted, over the launches of a card's reference"},
    {"array",
     "an allocation that a launch's accesses are in, called by the kernel's argument that points "
     "there",
     true},
    {"bank", "one of the 32 columns of shared memory, 4 bytes wide; gives one word a pass"},
    {"bank conflict", "a pass more than without lanes that want different words of one bank"},
    {"bottleneck",
     "the place between warps and memory that limits a launch, or what warps wait for"},
    {"bypass", "an access that looks in the L1 for nothing and leaves nothing (ld.cg, volatile)"},
    {"card", "a file with every number of a GPU that the model needs, each with its source", true},
    {"carve-out", "the part of an SM's L1 that is shared memory"},
    {"channel", "a part of DRAM with a bus of its own"},
    {"coalesced", "lanes that ask for neighbouring words, so that few sectors hold them"},
    {"counts engine", "replays in an order near the hardware's, without cycles"},
    {"CTA", "cooperative thread array: a block of threads that run on one SM"},
    {"excess", "sectors or passes beyond the ideal ones"},
    {"fabric", "what joins the two sides of the L2"},
    {"hit", "a sector that was looked for and there"},
    {"ideal", "the fewest sectors or passes that hold what the lanes ask for"},
    {"lane", "one of the 32 threads of a warp"},
    {"line", "128 bytes of four sectors, which have a tag together in a cache", true},
    {"local memory", "a thread's own: registers that found no room, arrays with computed indices"},
    {"minimum cut", "the places that together bound how fast a launch's traffic could be at best"},
    {"miss", "a sector that was looked for and not there"},
    {"occupancy", "warps on an SM, of those that it can hold"},
    {"partition", "a part of the L2, or of the memory behind it"},
    {"pass", "what all banks of shared memory give at once; a wavefront"},
    {"port", "an SM's way to the L2, or from it", true},
    {"record", "one warp's execution of one instruction that accesses memory, in a trace", true},
    {"request", "one instruction of one warp with at least one active lane, as the L1 gets it"},
    {"row buffer", "the row of a DRAM bank that is open: others wait for it to be closed"},
    {"sector", "32 bytes: what moves between L1, L2 and DRAM at least"},
    {"set-aside", "the part of the L2 for persisting accesses"},
    {"site", "a static instruction, and what its executions have in common"},
    {"slice", "a piece of the L2 that takes a request at a time"},
    {"SM", "streaming multiprocessor: where CTAs run; has an L1 of its own"},
    {"spill", "a register kept in local memory, as there were not enough"},
    {"stride", "the distance between what neighbouring lanes ask for"},
    {"swizzle", "a layout that moves columns about by row, so that no column is in one bank"},
    {"tag", "which line a place of a cache holds"},
    {"time engine", "replays with cycles: what waits for what, and how long"},
    {"trace", "what the warps of a program's launches did in memory, and its kernels' code"},
    {"under way", "between an access's start and its end"},
    {"warp", "32 threads that run an instruction together"},
    {"wavefront",
     "what the L1's data stage does in a cycle: for shared memory, a pass over the banks"},
    {"window", "a range of addresses whose lines the L2 is to keep, or to let go", true}};

}  // namespace

std::span<const Word> words() { return kWords; }

}  // namespace warpmem::views
