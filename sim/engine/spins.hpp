// Warps that wait for others by looking at a word again and again: which of a launch's accesses are
// such looks.
//
// A look is a load that asks what others have written (volatile, relaxed, acquire), a
// compare-and-swap, an exchange, or an addition of nothing whose result is used. One that its warp
// has made before, with the same lanes at the same addresses and no access of another kind in
// between, is a look again. How often a warp looks says how long it waited where the trace was
// made, and not what another GPU would do: a recording slows programs down, an emulator lets warps
// take turns. Looks across the border of two blocks of a trace are not compared.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "isa/decoded_program.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

class Spins {
 public:
  Spins(std::span<const trace::Site> sites, const trace::DecodedProgram& program);

  bool any() const { return any_; }  // of the launch's instructions could look
  // Looks again among a block's records.
  std::uint64_t count(const trace::DecodedBlock& block) const;
  // Takes them out.
  void drop(trace::DecodedBlock& block) const;

 private:
  template <class Each>
  void for_each(const trace::DecodedBlock& block, const trace::Segment& segment, Each&& each) const;

  std::vector<bool> looks_;  // by site
  bool any_ = false;
};

// A launch's looks, and those that look again.
struct SpinCount {
  std::uint64_t records = 0, again = 0;
};
Result<SpinCount> count_spins(const trace::TraceReader& reader, std::uint32_t launch,
                              const Spins& spins);

}  // namespace warpmem::sim
