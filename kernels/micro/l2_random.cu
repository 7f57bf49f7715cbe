// Random reads of tables of all sizes: what stays in the L2 when far more is wanted than fits, and
// how many SMs' reads of one line the coalescer joins when nobody walks in step. Read:
// lts__t_{requests,sectors}_srcunit_tex_op_read, its hits, lts__t_sectors_srcunit_ltcfabric and its
// hits, l1tex__m_xbar2l1tex_read_sectors, dram__sectors_{read,write}.
//
// Without arguments: every case. One case: l2_random HOW BYTES TABLE_KIB HOT_KIB SHARE CTAS WARPS
// ROUNDS
//   HOW    own: each warp draws its own places; same: all CTAs draw the same ones; row: a lane
//   reads 96 bytes in a
//          row, 8 at a time, at a drawn place; chain: each place hangs on what was read before
//   BYTES  of a lane's load: 4, 8 or 16; reads go past the L1 (.cg), with a minus through it
//   SHARE  of 16 reads, so many go to the hot table (HOT_KIB) instead of the other one
#include <cstring>
#include <string>

#include "micro.cuh"

namespace {

enum How { kOwn, kSame, kRow, kChain };
const char* const kHow[] = {"own", "same", "row", "chain"};
struct Case {
  How how;
  int bytes;
  u32 table_kib, hot_kib, share;
  int ctas, warps, rounds;
};

__device__ __forceinline__ u32 mixed(u64 n) {
  n ^= n >> 31, n *= 0x7fb5d329728ea185ull;
  n ^= n >> 27, n *= 0x81dadef4bc2dd44dull;
  return static_cast<u32>(n >> 32);
}

template <int kBytes, bool kPast>
__device__ __forceinline__ u32 load(const u8* p) {
  if (kBytes == 4) return kPast ? load_cg(p) : load_ca(p);
  u32 a, b, c = 0, d = 0;
  if (kBytes == 8) {
    if (kPast)
      asm volatile("ld.global.cg.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
    else asm volatile("ld.global.ca.v2.u32 {%0,%1},[%2];" : "=r"(a), "=r"(b) : "l"(p) : "memory");
  } else {
    if (kPast)
      asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3},[%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "l"(p)
                   : "memory");
    else
      asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3},[%4];"
                   : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                   : "l"(p)
                   : "memory");
  }
  return a ^ b ^ c ^ d;
}

}  // namespace

template <int kBytes, bool kPast>
__global__ void read_random(const u8* table, u32 cells, const u8* hot, u32 hot_cells, u32 share,
                            How how, u32 cell, int rounds, u32* out) {
  const u64 thread =
      how == kSame ? threadIdx.x : static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x;
  u32 sum = 0;
#pragma unroll 4
  for (int r = 0; r < rounds; ++r) {
    const u32 h = mixed(thread * 65537 + r + (how == kChain ? (sum & 1) : 0));
    const bool warm = (mixed(h + 0x9e3779b9ull) & 15) < share;
    const u8* const p = warm ? hot + static_cast<u64>(__umulhi(h, hot_cells)) * cell
                             : table + static_cast<u64>(__umulhi(h, cells)) * cell;
    if (how == kRow) {
#pragma unroll
      for (int k = 0; k < 12; ++k) sum += load<kBytes, kPast>(p + k * 8);
    } else {
      sum += load<kBytes, kPast>(p);
    }
  }
  if (sum == 0x12345) out[threadIdx.x] = sum;
}

namespace {

struct Memory {
  u8 *table, *hot;
  u32* out;
};

void run(const Memory& m, const Case& c) {
  const u32 cell = c.how == kRow ? 96 : c.bytes < 0 ? -c.bytes : c.bytes;
  const u32 cells = static_cast<u32>(u64{c.table_kib} * 1024 / cell),
            hot = static_cast<u32>(u64{c.hot_kib} * 1024 / cell);
  label("how=%s bytes=%d table=%u hot=%u share=%u ctas=%d warps=%d rounds=%d", kHow[c.how], c.bytes,
        c.table_kib, c.hot_kib, c.share, c.ctas, c.warps, c.rounds);
  const auto go = [&](auto kernel) {
    kernel<<<c.ctas, c.warps * 32>>>(m.table, cells, m.hot, hot, c.share, c.how, cell, c.rounds,
                                     m.out);
    CHECK(cudaGetLastError());
  };
  switch (c.bytes) {
    case 4: go(read_random<4, true>); break;
    case -4: go(read_random<4, false>); break;
    case 8: go(read_random<8, true>); break;
    case -8: go(read_random<8, false>); break;
    case 16: go(read_random<16, true>); break;
    default: go(read_random<16, false>); break;
  }
  CHECK(cudaDeviceSynchronize());
}

void all(const Memory& m) {
  // How much stays: 16.8 M reads (past 64 MiB; the tables are 512 KiB to 512 MiB).
  for (u32 mib : {8, 16, 20, 24, 28, 32, 36, 40, 48, 56, 64, 80, 96, 128, 240, 512})
    run(m, {kOwn, 4, mib << 10, 0, 0, 264, 32, 62});
  for (int bytes : {8, 16, -8, -16}) run(m, {kOwn, bytes, 240u << 10, 0, 0, 264, 32, 62});
  for (int bytes : {8, -8}) run(m, {kRow, bytes, 240u << 10, 0, 0, 264, 32, 8});
  run(m, {kRow, -8, 36u << 10, 0, 0, 264, 32, 8});
  for (u32 share : {8, 12, 14})
    for (u32 hot : {2, 8, 16, 24, 32, 40})
      run(m, {kOwn, 4, 240u << 10, hot << 10, share, 264, 32, 62});
  for (int ctas : {132, 528})
    run(m, {kOwn, 4, 240u << 10, 16u << 10, 8, ctas, 8, ctas == 132 ? 496 : 124});
  run(m, {kOwn, 4, 240u << 10, 16u << 10, 8, 1, 32, 4096});
  // Who meets whom at the coalescer.
  for (u32 kib : {4, 16, 64, 256, 1024, 4096})
    for (int warps : {1, 4, 16, 32}) run(m, {kOwn, 4, kib, 0, 0, 132, warps, 64});
  for (u32 kib : {256, 4096, 65536})
    for (int warps : {1, 4, 16, 32})
      for (int bytes : {4, -4}) run(m, {kSame, bytes, kib, 0, 0, 132, warps, 64});
  for (u32 kib : {256, 4096}) run(m, {kChain, 4, kib, 0, 0, 132, 8, 64});
}

}  // namespace

int main(int argc, char** argv) {
  Memory m;
  m.table = device_buffer<u8>(512ull << 20);
  m.hot = device_buffer<u8>(64u << 20);
  m.out = device_buffer<u32>(4096);
  if (argc < 9) {
    all(m);
    return 0;
  }
  Case c = {kOwn,
            std::atoi(argv[2]),
            0,
            0,
            0,
            std::atoi(argv[6]),
            std::atoi(argv[7]),
            std::atoi(argv[8])};
  for (int k = 0; k < 4; ++k)
    if (!std::strcmp(argv[1], kHow[k])) c.how = static_cast<How>(k);
  c.table_kib = std::atoi(argv[3]), c.hot_kib = std::atoi(argv[4]), c.share = std::atoi(argv[5]);
  run(m, c);
}
