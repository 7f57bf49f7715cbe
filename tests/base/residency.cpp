// Numbers worked out by hand from the limits of compute capability 9.0.
#include "base/residency.hpp"

#include "tests/catch.hpp"

using warpmem::CtaNeeds;
using warpmem::resident_ctas;
using warpmem::SmLimits;

namespace {

// An H200's, as the device reports them.
constexpr SmLimits kH200{.warps = 64,
                         .threads = 2048,
                         .ctas = 32,
                         .registers = 65536,
                         .register_unit = 256,
                         .shared = 233472,
                         .shared_reserved = 1024,
                         .shared_unit = 128,
                         .schedulers = 4};

}  // namespace

TEST_CASE("CTAs an SM holds at once: what runs out first decides") {
  const SmLimits& sm = kH200;
  CHECK(resident_ctas(sm, {256, 32, 0}) == 8);          // threads
  CHECK(resident_ctas(sm, {32, 16, 0}) == 32);          // CTAs
  CHECK(resident_ctas(sm, {256, 64, 0}) == 4);          // registers
  CHECK(resident_ctas(sm, {256, 32, 48 * 1024}) == 4);  // shared memory, with the driver's own
  CHECK(resident_ctas(sm, {33, 32, 0}) == 32);          // two warps
  CHECK(resident_ctas(sm, {1024, 65, 0}) == 0);         // registers for 28 warps of 32
  CHECK(resident_ctas(sm, {1024, 0, 0}) == 2);          // registers not known
  CHECK(resident_ctas(sm, {0, 32, 0}) == 0);
}

TEST_CASE("registers are given by scheduler") {
  // 104 x 32 is 13 units of 256; a scheduler's 16,384 registers hold 4 such warps, an SM 16: three
  // CTAs of five warps.
  CHECK(resident_ctas(kH200, {160, 104, 0}) == 3);
}
