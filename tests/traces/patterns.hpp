// What the warps of well-known kernels do, for tests and benchmarks: one call, one warp's records.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "traces/format/record.hpp"

namespace warpmem::trace::patterns {

struct Warp {
  std::uint64_t cta = 0;
  std::uint32_t warp = 0;
  std::vector<Record> records;
  std::vector<std::uint64_t> lanes;
};

struct Pattern {
  std::string name;
  std::vector<Site> sites;
  std::uint32_t warps_per_cta;
  std::function<void(Warp&, std::mt19937_64&)> fill;  // cta and warp are set; the rest is empty
};

constexpr std::uint64_t kA = 0x7f2000000000, kB = 0x7f2040000000, kC = 0x7f2080000000;

inline Record regular(std::uint32_t site, std::uint64_t base, std::int32_t stride,
                      std::uint32_t mask = ~0u) {
  return {base, stride, mask, site, Record::kRegular};
}

template <class F>
Record listed(Warp& warp, std::uint32_t site, std::uint32_t mask, F&& address) {
  Record record;
  record.site = site;
  record.mask = mask;
  record.lanes = static_cast<std::uint32_t>(warp.lanes.size());
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (mask >> lane & 1) warp.lanes.push_back(address(lane));
  }
  return record;
}

inline std::vector<Site> sites(std::initializer_list<Site> memory) {
  std::vector<Site> all = {{0, Op::kCtaBegin, Space::kNone, 0}};
  all.insert(all.end(), memory);
  all.push_back({0xff0, Op::kCtaEnd, Space::kNone, 0});
  return all;
}

// Fixed but without order, as a GPU hands out its SMs.
inline std::uint64_t sm_of(std::uint64_t cta) { return cta * 2654435761u % 4294967291u % 132; }

// b[i] = a[i], one element a thread, 8 warps a CTA.
inline Pattern streaming() {
  return {"streaming",
          sites({{0x40, Op::kLoad, Space::kGlobal, 4}, {0x60, Op::kStore, Space::kGlobal, 4}}), 8,
          [](Warp& w, std::mt19937_64&) {
            const std::uint64_t at = (w.cta * 8 + w.warp) * 128;
            w.records = {regular(0, sm_of(w.cta), 0), regular(1, kA + at, 4),
                         regular(2, kB + at, 4), regular(3, 0, 0)};
          }};
}

// A grid-stride loop of 64 iterations.
inline Pattern grid_stride() {
  return {"grid stride",
          sites({{0x40, Op::kLoad, Space::kGlobal, 4}, {0x60, Op::kStore, Space::kGlobal, 4}}), 8,
          [](Warp& w, std::mt19937_64&) {
            w.records = {regular(0, sm_of(w.cta), 0)};
            for (std::uint64_t k = 0; k < 64; ++k) {
              const std::uint64_t at = (k * 132 * 64 + w.cta * 8 + w.warp) * 128;
              w.records.push_back(regular(1, kA + at, 4));
              w.records.push_back(regular(2, kB + at, 4));
            }
            w.records.push_back(regular(3, 0, 0));
          }};
}

// Naive transpose of a 4096 x 4096 matrix in 32 x 32 tiles, 8 warps a CTA, four rows a warp.
inline Pattern transpose() {
  return {"transpose (2-D, strided)",
          sites({{0x40, Op::kLoad, Space::kGlobal, 4}, {0x60, Op::kStore, Space::kGlobal, 4}}), 8,
          [](Warp& w, std::mt19937_64&) {
            const std::uint64_t x = w.cta % 128 * 32, y = w.cta / 128 * 32;
            w.records = {regular(0, sm_of(w.cta), 0)};
            for (std::uint64_t j = 0; j < 32; j += 8) {
              const std::uint64_t row = y + w.warp + j;
              w.records.push_back(regular(1, kA + (row * 4096 + x) * 4, 4));
              w.records.push_back(regular(2, kB + (x * 4096 + row) * 4, 4096 * 4));
            }
            w.records.push_back(regular(3, 0, 0));
          }};
}

// Tiled matrix product, 2048 wide, tiles of 16 x 16: two rows of the tile per warp, so the lanes of
// a load are two runs and come listed.
inline Pattern matmul() {
  return {"matmul, tiles of 16",
          sites({{0x40, Op::kLoad, Space::kGlobal, 4},
                 {0x50, Op::kLoad, Space::kGlobal, 4},
                 {0x60, Op::kStore, Space::kShared, 4},
                 {0x70, Op::kStore, Space::kShared, 4},
                 {0x80, Op::kBarrier, Space::kNone, 0},
                 {0x90, Op::kLoad, Space::kShared, 4},
                 {0xa0, Op::kLoad, Space::kShared, 4},
                 {0xb0, Op::kStore, Space::kGlobal, 4}}),
          8, [](Warp& w, std::mt19937_64&) {
            const std::uint64_t bx = w.cta % 128 * 16, by = w.cta / 128 % 128 * 16, y = w.warp * 2;
            const auto two_rows = [&](std::uint32_t site, std::uint64_t base, std::uint64_t pitch) {
              return listed(w, site, ~0u, [&](unsigned lane) {
                return base + (lane / 16 + y) * pitch + lane % 16 * 4;
              });
            };
            w.records = {regular(0, sm_of(w.cta), 0)};
            for (std::uint64_t t = 0; t < 128; ++t) {
              w.records.push_back(two_rows(1, kA + (by * 2048 + t * 16) * 4, 8192));
              w.records.push_back(two_rows(2, kB + (t * 16 * 2048 + bx) * 4, 8192));
              w.records.push_back(regular(3, y * 64, 4));
              w.records.push_back(regular(4, 1024 + y * 64, 4));
              w.records.push_back(regular(5, 0, 0));
              for (std::uint64_t k = 0; k < 16; k += 4) {
                w.records.push_back(
                    listed(w, 6, ~0u, [&](unsigned lane) { return (lane / 16 + y) * 64 + k * 4; }));
                w.records.push_back(listed(
                    w, 7, ~0u, [&](unsigned lane) { return 1024 + k * 64 + lane % 16 * 4; }));
              }
              w.records.push_back(regular(5, 0, 0));
            }
            w.records.push_back(two_rows(8, kC + (by * 2048 + bx) * 4, 8192));
            w.records.push_back(regular(9, 0, 0));
          }};
}

// A stencil's right edge: partial masks at row ends, three neighbours.
inline Pattern stencil() {
  return {"stencil, partial masks",
          sites({{0x40, Op::kLoad, Space::kGlobal, 4},
                 {0x50, Op::kLoad, Space::kGlobal, 4},
                 {0x60, Op::kLoad, Space::kGlobal, 4},
                 {0x70, Op::kStore, Space::kGlobal, 4}}),
          4, [](Warp& w, std::mt19937_64&) {
            const std::uint64_t at = (w.cta * 4 + w.warp) * 128;
            const bool edge = (w.cta * 4 + w.warp) % 31 == 30;
            const std::uint32_t mask = edge ? 0x0007ffff : ~0u;
            w.records = {regular(0, sm_of(w.cta), 0),  regular(1, kA + at - 4, 4, mask),
                         regular(2, kA + at, 4, mask), regular(3, kA + at + 4, 4, mask),
                         regular(4, kB + at, 4, mask), regular(5, 0, 0)};
          }};
}

// y += A x in CSR, a row a thread, rows of 1 to 16 entries: shrinking masks and gathers with some
// locality.
inline Pattern spmv() {
  return {"SpMV, a row a thread",
          sites({{0x40, Op::kLoad, Space::kGlobal, 4},
                 {0x50, Op::kLoad, Space::kGlobal, 4},
                 {0x60, Op::kLoad, Space::kGlobal, 4},
                 {0x70, Op::kStore, Space::kGlobal, 4}}),
          8, [](Warp& w, std::mt19937_64& random) {
            const std::uint64_t row = (w.cta * 8 + w.warp) * 32;
            w.records = {regular(0, sm_of(w.cta), 0), regular(1, kA + row * 4, 4)};
            std::vector<std::uint64_t> start(33, row * 8);
            for (unsigned i = 0; i < 32; ++i) start[i + 1] = start[i] + 1 + random() % 16;
            for (std::uint64_t k = 0;; ++k) {
              std::uint32_t mask = 0;
              for (unsigned i = 0; i < 32; ++i)
                mask |= (start[i] + k < start[i + 1] ? 1u : 0u) << i;
              if (mask == 0) break;
              w.records.push_back(
                  listed(w, 2, mask, [&](unsigned l) { return kB + (start[l] + k) * 4; }));
              w.records.push_back(listed(
                  w, 3, mask, [&](unsigned l) { return kC + (row + l + random() % 1024) * 4; }));
            }
            w.records.push_back(regular(4, kA + row * 4 + (1 << 28), 4));
            w.records.push_back(regular(5, 0, 0));
          }};
}

// One lane follows pointers through 1 GiB: a random base per record.
inline Pattern chase() {
  return {"pointer chase, one lane", sites({{0x40, Op::kLoad, Space::kGlobal, 8}}), 1,
          [](Warp& w, std::mt19937_64& random) {
            w.records = {regular(0, sm_of(w.cta), 0)};
            for (int k = 0; k < 100; ++k) {
              w.records.push_back(regular(1, kA + random() % (1 << 27) * 8, 0, 1));
            }
            w.records.push_back(regular(2, 0, 0));
          }};
}

// 32 random words of 256 MiB: 26 random bits a lane, 104 bytes a record at the least.
inline Pattern gather() {
  return {"gather", sites({{0x40, Op::kLoad, Space::kGlobal, 4}}), 8,
          [](Warp& w, std::mt19937_64& random) {
            for (int k = 0; k < 4; ++k) {
              w.records.push_back(
                  listed(w, 1, ~0u, [&](unsigned) { return kA + random() % (1 << 26) * 4; }));
            }
          }};
}

inline std::vector<Pattern> all() {
  return {streaming(), grid_stride(), transpose(), matmul(), stencil(), spmv(), chase(), gather()};
}

}  // namespace warpmem::trace::patterns
