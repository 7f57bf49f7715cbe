// What an instruction asks of the memory system beside addresses: how its access is cached and
// ordered, what an atomic does. PTX is put in the terms of what ptxas makes of it.
#pragma once

#include <cstdint>

#include "isa/decoded_program.hpp"
#include "isa/ptx/instruction.hpp"
#include "isa/sass/instruction.hpp"

namespace warpmem::trace {

struct Access {
  std::uint32_t bytes = 0;  // per lane, of machine code; 0: not said
  bool generic = false;     // the address decides about the space
  // What the instruction itself says of results, beside the record's operation.
  bool returns = false, returns_nothing = false;
  Scope scope = Scope::kWeak;
  Eviction eviction = Eviction::kNormal;
  bool bypass = false;            // an asynchronous copy past the L1
  bool asks_l1 = false;           // ld.ca
  bool read_only = false;         // .CONSTANT, ld.global.nc
  bool uniform = false;           // Fermi's LDU: one address for all lanes, by the constant cache
  std::uint32_t l2_prefetch = 0;  // bytes fetched into the L2
  bool multicast = false;         // a bulk copy to several CTAs
  // Of prefetches: by the copy engine; lines of the L2 that are to stay, to be as others, or to go.
  bool bulk_prefetch = false, persists = false, normal = false, discards = false;
  bool compare_and_swap = false, attempts = false;  // .CAS, .CAST
  bool adds_floats = false;
  bool counts = false;  // ATOMS.POPC.INC: one for each lane
  // Textures and surfaces.
  std::uint32_t dimensions = 0;  // without layers; 0: not said
  bool texel_by_number = false;  // TLD
  bool gathers = false;          // TLD4
};

Access access_of(const SassInstruction& in);
Access access_of(const ptx::Instruction& in);

// Whether a load (else an atomic) is a way to look at what others write.
bool polls(const DecodedLine& line, bool load);

}  // namespace warpmem::trace
