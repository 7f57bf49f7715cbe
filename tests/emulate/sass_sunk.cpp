// Loads that ptxas moved behind a branch: only the lanes that go there make them.
#include "tests/catch.hpp"
#include "tests/emulate/mapped.hpp"

namespace warpmem::emulate {
namespace {

// A load, a branch past what needs its value, and a store for all.
constexpr const char* kBody = R"(
  ld.shared.u32 %r1, [%r10];
  @%p1 bra SKIP;
  ld.shared.u32 %r2, [%r11];
  add.s32 %r3, %r1, %r2;
  st.shared.u32 [%r12], %r3;
SKIP:
  st.shared.u32 [%r13], %r4;
  ret;)";
const std::vector<Line> kSunk = {
    {1, "@P1 BRA 0x50"},  {2, "LDS R2, [R11]"}, {0, "LDS R1, [R10]"}, {3, "IADD3 R3, R1, R2, RZ"},
    {4, "STS [R12], R3"}, {5, "STS [R13], R4"}, {6, "EXIT"}};

// `went`: lanes that do not take the branch.
std::string run(Mapped& m, std::uint32_t went, bool listed = false) {
  REQUIRE(m.why.empty());
  m.access(0, 4, kAll, 0x100, 4);
  if (listed) {
    m.records.back().lanes = 0;
    for (std::uint64_t l = 0; l < 32; ++l) m.lanes.push_back(0x100 + l * l * 4);
  }
  trace::Record side;
  side.site = m.sites.number_of(side_site(16, false));
  side.mask = went;
  if (went) m.records.push_back(side);
  if (went) m.access(2, 4, went, 0x200, 4), m.access(4, 4, went, 0x300, 4, trace::Op::kStore);
  m.access(5, 4, kAll, 0x400, 4, trace::Op::kStore);
  return m.run();
}

TEST_CASE("a load behind a branch is made by the lanes that go there") {
  Mapped all(kBody, kSunk);
  CHECK(run(all, kAll) == "10/4 20/4 40/4 50/4");
  Mapped none(kBody, kSunk);
  CHECK(run(none, 0) == "50/4");
  Mapped some(kBody, kSunk);
  CHECK(run(some, 0xf0) == "10/4 20/4 40/4 50/4");
  CHECK(some.records[1].mask == 0xf0);
  Mapped listed(kBody, kSunk);
  CHECK(run(listed, 0x30, true) == "10/4 20/4 40/4 50/4");
  REQUIRE(listed.records[1].mask == 0x30);
  CHECK(listed.lanes[listed.records[1].lanes] == 0x100 + 4 * 4 * 4);
  CHECK(listed.lanes[listed.records[1].lanes + 1] == 0x100 + 5 * 5 * 4);
}

TEST_CASE("a load before the branch, and one behind where its sides meet, are made by all") {
  Mapped before(kBody, {{0, "LDS R1, [R10]"},
                        {1, "@P1 BRA 0x50"},
                        {2, "LDS R2, [R11]"},
                        {3, "IADD3 R3, R1, R2, RZ"},
                        {4, "STS [R12], R3"},
                        {5, "STS [R13], R4"},
                        {6, "EXIT"}});
  CHECK(before.map.told.empty());
  Mapped behind(kBody, {{1, "@P1 BRA 0x40"},
                        {2, "LDS R2, [R11]"},
                        {3, "IADD3 R3, R1, R2, RZ"},
                        {4, "STS [R12], R3"},
                        {0, "LDS R1, [R10]"},
                        {5, "STS [R13], R4"},
                        {6, "EXIT"}});
  CHECK(behind.map.told.empty());
}

TEST_CASE("of a branch the other way round the lanes that take it load") {
  const char* body = R"(
  ld.shared.u32 %r1, [%r10];
  @%p1 bra NEEDS;
  st.shared.u32 [%r13], %r4;
  bra.uni END;
NEEDS:
  st.shared.u32 [%r12], %r1;
END:
  ret;)";
  Mapped m(body, {{1, "@!P1 BRA 0x40"},
                  {0, "LDS R1, [R10]"},
                  {4, "STS [R12], R1"},
                  {-1, "BRA 0x50"},
                  {2, "STS [R13], R4"},
                  {5, "EXIT"}});
  REQUIRE(m.why.empty());
  REQUIRE(m.map.told.size() > 1);
  CHECK(m.map.told[1] == SiteMap::kTaken);
}

}  // namespace
}  // namespace warpmem::emulate
