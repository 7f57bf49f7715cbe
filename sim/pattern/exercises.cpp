// The exercises of docs/learn/, in the order of its lessons.
#include <array>

#include "sim/pattern/exercise.hpp"

namespace warpmem::sim::pattern {
namespace {

constexpr std::array kExercises{
    Exercise{.title = "Coalescing",
             .page = "learn/01-coalescing.md",
             .question =
                 "A warp is to read row 5 of m, a matrix of 32 x 32 floats that lies row by row.\n"
                 "m[threadIdx.x*32 + 5] reads column 5. Which index reads the row?",
             .hint = "neighbouring lanes are to ask for neighbouring floats",
             .pattern = "m[{}]",
             .elements = "5*32 + threadIdx.x",
             .any_order = true},
    Exercise{.title = "Alignment",
             .page = "learn/02-alignment.md",
             .question = "How many sectors does the load a[threadIdx.x + 1] of floats move?",
             .hint = "draw the 128 bytes over sectors of 32, beginning 4 bytes late",
             .pattern = "a[threadIdx.x + 1]"},
    Exercise{.title = "Caches",
             .page = "learn/03-caches.md",
             .question = "for k in 0..4: a[threadIdx.x*4 + k] asks for 16 sectors four times.\n"
                         "How many of these 64 are in the L1 already?",
             .hint = "the first of the four loads brings every sector that the others want",
             .pattern = "for k in 0..4: a[threadIdx.x*4 + k]",
             .figure = Figure::kL1Hits},
    Exercise{.title = "Structures",
             .page = "learn/04-structures.md",
             .question =
                 "p holds 32 particles of four floats: x, y, z, w. Laid out as an array of\n"
                 "structures, field y of particle i is p[i*4 + 1]. Lay it out as a structure of\n"
                 "arrays: x of all particles, then y of all, and so on. Which index is y of\n"
                 "particle threadIdx.x?",
             .hint = "32 values of x stand in front",
             .pattern = "p[{}]",
             .elements = "32 + threadIdx.x"},
    Exercise{.title = "Unrolling",
             .page = "learn/05-unrolling.md",
             .question = "32 CTAs of 128 threads read 16,384 floats, each thread four of them:\n"
                         "for k in 0..4: a[k*4096 + blockIdx.x*128 + threadIdx.x].\n"
                         "How many sectors do their loads move when the loop is unrolled?",
             .hint = "unrolling changes when loads are issued, not what they ask for",
             .pattern = "for k in 0..4: a[k*4096 + blockIdx.x*128 + threadIdx.x]",
             .grid = {32, 1, 1},
             .block = {128, 1, 1}},
    Exercise{
        .title = "Transposes",
        .page = "learn/06-transposes.md",
        .question =
            "A CTA of 32 x 32 threads has read a tile of a 128 x 128 matrix: row threadIdx.y,\n"
            "column threadIdx.x of it are in[(blockIdx.y*32 + threadIdx.y)*128 + blockIdx.x*32\n"
            "+ threadIdx.x]. Now thread (x, y) holds tile[x][y] and is to store it where it\n"
            "belongs in the transpose. Which index of out is that?",
        .hint = "tile[x][y] came from row blockIdx.y*32 + x, column blockIdx.x*32 + y; in the "
                "transpose these change places",
        .pattern = "shared float tile[32][33]; out[{}] = tile[threadIdx.x][threadIdx.y]",
        .elements = "(blockIdx.x*32 + threadIdx.y)*128 + blockIdx.y*32 + threadIdx.x",
        .grid = {4, 4, 1},
        .block = {32, 32, 1}},
    Exercise{.title = "Partition camping",
             .page = "learn/07-camping.md",
             .question =
                 "On a GTX 280, eight CTAs each write a float of column 0 of a matrix with 2,048\n"
                 "columns, 32 rows apart: out[blockIdx.x*32*2048]. In how many of the eight\n"
                 "partitions do these addresses lie?",
             .hint = "partitions change every 256 bytes, and come round after eight of them",
             .pattern = "out[blockIdx.x*32*2048] = 0",
             .figure = Figure::kPartitions,
             .grid = {8, 1, 1},
             .block = {1, 1, 1},
             .gpu = "gtx280"},
    Exercise{.title = "Banks",
             .page = "learn/08-banks.md",
             .question =
                 "t[threadIdx.x][0] of `shared float t[32][32]` takes 32 passes. How many columns\n"
                 "must the rows have instead so that it takes one?",
             .hint = "rows 0 to 31 have to begin in 32 different banks",
             .pattern = "shared float t[32][{}]; t[threadIdx.x][0]",
             .fits = "shared float t[32][{}]; t[31][31]",
             .else_wrong = "no two lanes share a bank, but the tile's 32 columns do not fit",
             .figure = Figure::kPasses},
    Exercise{.title = "Tiles",
             .page = "learn/09-tiles.md",
             .question =
                 "A matrix product of 64 x 64 takes 16,384 requests of global loads when each of\n"
                 "its threads reads a row and a column. How many are left with tiles of 16 x 16\n"
                 "in shared memory?",
             .hint = "a thread loads one element of either tile, four times; count warps",
             .pattern =
                 "for t in 0..4: { a[(blockIdx.y*16 + threadIdx.y)*64 + t*16 + threadIdx.x]; "
                 "b[(t*16 + threadIdx.y)*64 + blockIdx.x*16 + threadIdx.x] }",
             .figure = Figure::kRequests,
             .grid = {4, 4, 1},
             .block = {16, 16, 1}},
    Exercise{.title = "Constant and texture",
             .page = "learn/10-constant-and-texture.md",
             .question =
                 "A warp reads c[threadIdx.x % 4] of constant memory. How many times does the\n"
                 "constant cache have to answer?",
             .hint = "it answers one address at a time, to all lanes that want it",
             .pattern = "constant float c[64]; c[threadIdx.x % 4]",
             .figure = Figure::kAddresses},
    Exercise{
        .title = "Atomics",
        .page = "learn/11-atomics.md",
        .question =
            "Lane l adds 1 to bin l % 8 of a histogram in shared memory: four lanes want each\n"
            "bin, and the atomic takes four passes. Keep several histograms of eight bins one\n"
            "behind the other in h, so that no two lanes of a warp want the same word. Which\n"
            "index does lane threadIdx.x take?",
        .hint = "lanes of one bin need a histogram each: 8 bins further on for each of them",
        .pattern = "shared int h[256]; atomicAdd(&h[{}])",
        .elements = "threadIdx.x % 8",
        .modulo = 8,
        .figure = Figure::kPasses},
    Exercise{.title = "Beyond the chip",
             .page = "learn/12-beyond-the-chip.md",
             .question =
                 "On an H200, how many times as long does it take to read data in the host's\n"
                 "memory as in the GPU's own? (To 10 %.)",
             .hint = "warpmem gpus h200 --ladder has both bandwidths",
             .pattern = "",
             .figure = Figure::kLinkRatio,
             .tolerance = 0.1},
};

}  // namespace

std::span<const Exercise> exercises() { return kExercises; }

}  // namespace warpmem::sim::pattern
