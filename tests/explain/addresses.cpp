// What addresses alone say: the memory system's own counters, and the fewest that would do.
#include "sim/explain/address_pass.hpp"
#include "sim/explain/arrays.hpp"
#include "sim/explain/recognise.hpp"
#include "sim/replay.hpp"
#include "tests/catch.hpp"
#include "tests/sim/reference_traces.hpp"

namespace warpmem::sim {
namespace {

model::WarpLanes strided(std::uint64_t base, std::int32_t stride) {
  return {~0u, stride, base, nullptr};
}

AccessPlan load_of(std::uint32_t bytes) {
  AccessPlan plan;
  plan.action = Action::kGlobalLoad;
  plan.bytes = bytes;
  return plan;
}

AccessPlan shared_load_of(std::uint32_t bytes) {
  AccessPlan plan;
  plan.action = Action::kShared;
  plan.bytes = bytes;
  return plan;
}

SiteAddresses of(const AccessPlan& plan, std::initializer_list<model::WarpLanes> accesses) {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  AddressPass pass;
  AddressCounter counter(trace::Launch(), {plan}, *card, pass);
  for (const model::WarpLanes& a : accesses) counter.add(0, a, 0, 0);
  return pass.sites[0];
}

Recognised recognised(const AccessPlan& plan, const SiteAddresses& site) {
  const auto card = model::load_card("h200");
  return recognise(plan, site, {0x1000, 0}, card->numbers());
}

}  // namespace

TEST_CASE("sectors and wavefronts of each launch are what the memory system counts") {
  const auto card = model::load_card("h200");
  REQUIRE(card);
  for (const std::string& path : reference_traces(20000)) {
    INFO(path);
    const auto reader = trace::TraceReader::open(path);
    REQUIRE(reader);
    const auto replayed = replay(*reader, *card);
    REQUIRE(replayed);
    for (std::uint32_t i = 0; i < reader->launches().size(); ++i) {
      const auto code = reader->code(reader->launches()[i].launch.program);
      const auto plans = plan_sites(*card, reader->sites(i), *code);
      const auto pass = pass_addresses(*reader, i, *card, plans);
      REQUIRE(pass);
      std::uint64_t loads = 0, stores = 0, wavefronts = 0;
      bool other = false;  // asynchronous copies take the shared side with the global one
      for (std::size_t s = 0; s < plans.size(); ++s) {
        const SiteAddresses& a = pass->sites[s];
        CHECK(a.ideal_sectors <= a.sectors);
        CHECK(a.ideal_wavefronts <= a.wavefronts);
        if (plans[s].action == Action::kGlobalLoad) loads += a.sectors;
        if (plans[s].action == Action::kGlobalStore) stores += a.sectors;
        if (plans[s].action == Action::kAsyncRead || plans[s].action == Action::kProductRead)
          other = true;
        wavefronts += a.wavefronts;
      }
      const model::LaunchCounters& c = replayed->details[i].counters;
      if (!other) CHECK(loads == c.global_ld.sectors);
      CHECK(stores == c.global_st.sectors);
      if (!other) CHECK(wavefronts == c.shared_wavefronts);
    }
  }
}

// Sums of memory_l1_wavefronts_shared and …_ideal that Nsight Compute 2025.3 gave on an H100 for
// loads of shared memory 4 words apart, of 16 bytes a lane in a column, and of columns of tiles.
TEST_CASE("ideal wavefronts are the profiler's") {
  const SiteAddresses apart = of(shared_load_of(4), {strided(0, 16)});
  CHECK(apart.wavefronts == 4);
  CHECK(apart.ideal_wavefronts == 1);
  const SiteAddresses wide = of(shared_load_of(16), {strided(0, 16)});
  CHECK(wide.wavefronts == 4);
  CHECK(wide.ideal_wavefronts == 4);
  const SiteAddresses column = of(shared_load_of(16), {strided(0, 128)});
  CHECK(column.wavefronts == 32);
  CHECK(column.ideal_wavefronts == 4);
  const SiteAddresses tile = of(shared_load_of(4), {strided(0, 128)});
  CHECK(tile.wavefronts == 32);
  CHECK(tile.ideal_wavefronts == 1);
}

TEST_CASE("ideal sectors are what the lanes' bytes fill, and no more than there are") {
  CHECK(of(load_of(4), {strided(0, 4)}).ideal_sectors == 4);
  CHECK(of(load_of(4), {strided(0, 128)}).ideal_sectors == 4);
  CHECK(of(load_of(8), {strided(0, 24)}).ideal_sectors == 8);
  CHECK(of(load_of(16), {strided(0, 16)}).ideal_sectors == 16);
  CHECK(of(load_of(4), {strided(64, 0)}).ideal_sectors == 1);  // one word for all
}

TEST_CASE("patterns are named") {
  const auto name = [](const AccessPlan& plan, std::initializer_list<model::WarpLanes> accesses) {
    return recognised(plan, of(plan, accesses)).pattern;
  };
  CHECK(name(load_of(4), {strided(0x1000, 4)}) == AddressPattern::kFine);
  CHECK(name(load_of(4), {strided(0x1004, 4)}) == AddressPattern::kMisaligned);
  CHECK(name(load_of(4), {strided(0x1000, 8), strided(0x1100, 8)}) == AddressPattern::kStrided);
  CHECK(name(load_of(4), {strided(0x1000, 4096), strided(0x1004, 4096)}) ==
        AddressPattern::kColumn);
  CHECK(name(load_of(4), {strided(0x1000, 4096)}) == AddressPattern::kStrided);
  CHECK(name(shared_load_of(4), {strided(0, 128)}) == AddressPattern::kBankStride);
  CHECK(name(shared_load_of(4), {strided(0, 132)}) == AddressPattern::kFine);
  std::uint64_t scattered[32];
  for (std::uint64_t l = 0; l < 32; ++l) scattered[l] = 0x1000 + l * l * l % 37 * 512;
  CHECK(name(load_of(4), {{~0u, 0, 0, scattered}}) == AddressPattern::kScattered);
  CHECK(name(shared_load_of(4), {{~0u, 0, 0, scattered}}) != AddressPattern::kFine);
}

TEST_CASE("a stride that does not divide the array is no row of a matrix") {
  const auto card = model::load_card("h200");
  const SiteAddresses site = of(load_of(4), {strided(0x1000, 592), strided(0x1004, 592)});
  CHECK(recognise(load_of(4), site, {0x1000, 592 * 64}, card->numbers()).pattern ==
        AddressPattern::kColumn);
  CHECK(recognise(load_of(4), site, {0x1000, 65536}, card->numbers()).pattern ==
        AddressPattern::kStrided);
}

TEST_CASE("a misaligned access says by how much, a column its rows, banks their lanes") {
  CHECK(recognised(load_of(4), of(load_of(4), {strided(0x1004, 4)})).offset == 4);
  const Recognised column =
      recognised(load_of(4), of(load_of(4), {strided(0x1000, 4096), strided(0x1008, 4096)}));
  CHECK(column.stride == 4096);
  CHECK(column.sentence.find("1,024 elements") != std::string::npos);
  const Recognised banks = recognised(shared_load_of(4), of(shared_load_of(4), {strided(0, 16)}));
  CHECK(banks.sentence.find("4 words apart, so that 4 of them are in one bank") !=
        std::string::npos);
}

TEST_CASE("local memory: the code says whether it is an array or a spilled register") {
  CHECK(local_place(trace::DecodedLine("STL [R1+0x8c], R4 (*\"SpillRefill\"*)")) ==
        LocalPlace::kSpill);
  CHECK(local_place(trace::DecodedLine("STL.128 [R1+0x10], R8")) == LocalPlace::kConstant);
  CHECK(local_place(trace::DecodedLine("LDL R3, [R20]")) == LocalPlace::kComputed);
  CHECK(local_place(trace::DecodedLine("LDG.E R3, [R2.64]")) == LocalPlace::kNotKnown);
}

TEST_CASE("arguments of a kernel are told apart") {
  CHECK(argument_types("f(float*, const int*, int)") ==
        std::vector<std::string>{"float*", "const int*", "int"});
  CHECK(argument_types("void g<S<int, 2>, (int)3>(S<int, 2>, float*)") ==
        std::vector<std::string>{"S<int, 2>", "float*"});
  CHECK(argument_types("no_arguments").empty());
}

}  // namespace warpmem::sim
