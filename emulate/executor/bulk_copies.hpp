// Bulk copies, what arrives at mbarriers, and addresses of a cluster's other CTAs.
#pragma once

#include "emulate/executor/memory_unit.hpp"

namespace warpmem::emulate {

// The address of the same variable in another CTA of the cluster; and whose an address is.
void map_address(const Inst& in, std::byte* frame, std::uint32_t mask);
void rank_of(const Running& run, const Inst& in, std::byte* frame, std::uint32_t mask);

class BulkCopies {
 public:
  BulkCopies(Running& run, Recorder& recorder, MemoryUnit& memory)
      : run_(run), recorder_(recorder), memory_unit_(memory) {}
  void mbarrier(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void bulk_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                 std::uint32_t mask);
  void async_store(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                   std::uint32_t mask);
  // Bytes of an asynchronous copy arrive at the mbarrier of lane l.
  void complete_bytes(Warp& warp, const Inst& in, std::uint32_t l, const Lanes& barrier,
                      std::uint32_t bytes);

 private:
  void bulk_prefetch(Warp& warp, const Inst& in, const Code& code, std::byte* frame,
                     std::uint32_t mask);

  Running& run_;
  Recorder& recorder_;
  MemoryUnit& memory_unit_;
};

}  // namespace warpmem::emulate
