// What the lanes that are there tell each other: of machine code, where no instruction names lanes.
#pragma once

#include "emulate/executor/code.hpp"

namespace warpmem::emulate {

// d: which lanes have the predicate a; d2: whether all (sub 0), some (1), all or none (2) have. Sub
// bit 4: both are uniform.
void vote_lanes(std::byte* frame, const Inst& in, std::uint32_t mask);
void shuffle_lanes(std::byte* frame, const Inst& in, std::uint32_t mask);
void match_lanes(std::byte* frame, const Inst& in, std::uint32_t mask);
void reduce_lanes(std::byte* frame, const Inst& in, std::uint32_t mask);  // to a uniform register
void elect_lane(std::byte* frame, const Inst& in, std::uint32_t mask);
// d: a predicate that the lowest lane alone has.
void first_lane_alone(std::byte* frame, const Inst& in, std::uint32_t mask);
void first_lane_to_all(std::byte* frame, const Inst& in, std::uint32_t mask);
// … and d2: which lanes have something else (sub 1: or had before).
void first_lane_and_others(std::byte* frame, const Inst& in, std::uint32_t mask);
// The state of an mbarrier (bulk.hpp) in a, as hardware has it: bit 63 is the phase, below it stand
// in 20 bits the arrivals to come, counted up to 2^20.
void state_of_mbarrier(std::byte* frame, const Inst& in, std::uint32_t mask);

}  // namespace warpmem::emulate
