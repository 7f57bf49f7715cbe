// Calls of the driver's own functions, whose instructions no trace has.
#include "tests/catch.hpp"
#include "tests/sim/time_support.hpp"

using namespace warpmem;
using namespace warpmem::testing;
using sim::DriverCall;

namespace {

// One store after the call, by so many lanes of so many warps.
std::uint64_t cycles(const std::string& call, std::uint32_t lanes, std::uint32_t threads = 32) {
  Kernel k = kernel(1, threads);
  k.code = lines({{"IADD3 R4, R4, R5, RZ ;", control(4)},
                  {call, control(5)},
                  {"STG.E desc[UR4][R2.64], R4 ;", control(2, kNone, 0)},
                  {"EXIT ;"}});
  k.sites = {{0x20, Op::kStore, Space::kGlobal, 4}};
  k.text.resize(1);
  k.fill = [=](Warp& w) {
    trace::Record r = regular(0, kA, 4);
    r.mask = lanes == 32 ? ~0u : (1u << lanes) - 1;
    w.records.push_back(r);
  };
  return timed(k, h200()).time->cycles;
}

}  // namespace

TEST_CASE("time: calls of malloc, free and printf are told by the function's name") {
  const auto code = read_code(program({{"CALL.ABS.NOINC R2 `(malloc) ;"},
                                       {"CALL.ABS.NOINC `(free) ;"},
                                       {"CALL.ABS.NOINC R2 `(vprintf) ;"},
                                       {"CALL.ABS.NOINC `(_Z1fv) ;"},
                                       {"CALL.ABS.NOINC R2 ;"}}));
  const DriverCall expected[] = {DriverCall::kMalloc, DriverCall::kFree, DriverCall::kPrint,
                                 DriverCall::kNone, DriverCall::kNone};
  for (std::size_t i = 0; i < code.size(); ++i) CHECK(code[i].driver == expected[i]);
  trace::Program p =
      without_control({"call.uni (retval0), malloc, (param0) ;", "call.uni free, (param0) ;",
                       "call.uni (retval0), vprintf, (param0, param1) ;",
                       "call.uni (retval0), mymalloc, (param0) ;"},
                      trace::Level::kPtx);
  const auto ptx = read_code(p);
  const DriverCall of_ptx[] = {DriverCall::kMalloc, DriverCall::kFree, DriverCall::kPrint,
                               DriverCall::kNone};
  for (std::size_t i = 0; i < ptx.size(); ++i) CHECK(ptx[i].driver == of_ptx[i]);
}

TEST_CASE("time: the driver's functions take their callers what the card says") {
  const model::Card card = h200();
  const model::CardNumbers& n = card.numbers();
  const std::uint64_t none = cycles("CALL.ABS.NOINC R2 ;", 1);
  for (const auto& [call, cost] : {std::pair{"CALL.ABS.NOINC R2 `(malloc) ;", n.driver_malloc},
                                   {"CALL.ABS.NOINC R2 `(free) ;", n.driver_free},
                                   {"CALL.ABS.NOINC R2 `(vprintf) ;", n.driver_print}}) {
    INFO(call);
    REQUIRE(cost.size() == 5);
    const auto near = [&](std::uint64_t took, std::uint64_t expected) {
      CHECK(took > expected - 100);
      CHECK(took < expected + 100);
    };
    near(cycles(call, 1) - none, cost[4] + cost[0]);
    near(cycles(call, 9) - cycles(call, 1), 8 * cost[1]);
    // All lanes of 32 warps wait for what is the GPU's, where that takes longer.
    const std::uint64_t alone = cost[4] + cost[0] + 31 * cost[1],
                        all = 32 * (cost[2] + 32 * cost[3]);
    near(cycles(call, 32, 1024) - none, std::max(alone, all));
  }
}
