// What a part of the memory system takes from a card: its Spec, with every number filled in. A part
// knows its Spec and no card; only here do the two meet (one file a part: card/specs/).
#pragma once

namespace warpmem::host {
struct LinkSpec;  // host/link/spec.hpp
}

namespace warpmem::model {

class Card;
struct ConstantSpec;    // constant/spec.hpp
struct L1Spec;          // cache/spec.hpp
struct L2Spec;          // l2/spec.hpp
struct MemoryPathSpec;  // interconnect/spec.hpp
struct MemorySpec;      // general/memory_spec.hpp
struct SystemSpec;      // system/spec.hpp

template <class Spec>
Spec spec_of(const Card& card);

template <>
ConstantSpec spec_of(const Card& card);
template <>
L1Spec spec_of(const Card& card);
template <>
L2Spec spec_of(const Card& card);
template <>
host::LinkSpec spec_of(const Card& card);
template <>
MemoryPathSpec spec_of(const Card& card);
template <>
MemorySpec spec_of(const Card& card);
template <>
SystemSpec spec_of(const Card& card);

}  // namespace warpmem::model
