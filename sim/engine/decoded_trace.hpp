// A trace's blocks, decoded once and read by several replays at the same time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.hpp"
#include "traces/format/reader.hpp"

namespace warpmem::sim {

class DecodedTrace {
 public:
  // Blocks of the launches that `wanted` names by their ids (none: of all).
  static Result<DecodedTrace> of(const trace::TraceReader& reader, std::size_t threads,
                                 const std::function<bool(std::uint64_t launch)>& wanted = {});
  // What of() would take at least, in bytes: records without the addresses of listed lanes.
  static std::uint64_t least_bytes(const trace::TraceReader& reader,
                                   const std::function<bool(std::uint64_t launch)>& wanted = {});

  // nullptr: it was not asked for. `rounds`: with the records of loops without accesses.
  const trace::DecodedBlock* block(std::uint32_t number, bool rounds) const;

 private:
  struct Block {
    std::optional<trace::DecodedBlock> whole, without_rounds;  // the latter where they differ
  };
  std::vector<Block> blocks_;
};

// Takes records of loops without accesses out of a block.
void drop_rounds(trace::DecodedBlock& block, std::span<const trace::Site> sites);

}  // namespace warpmem::sim
