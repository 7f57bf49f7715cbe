// Loads, stores and atomics of a warp: from the lanes' addresses to the host's, with a fault where
// one of them is out of bounds or misaligned, a record of each, and the values that go to and fro.
#pragma once

#include <set>

#include "emulate/executor/recorder.hpp"
#include "emulate/executor/speculation.hpp"

namespace warpmem::emulate {

class MemoryUnit {
 public:
  MemoryUnit(Running& run, Recorder& recorder) : run_(run), recorder_(recorder) {}

  void access(Warp& warp, const Part& part, const Inst& in, const Access& a, std::byte* frame,
              std::uint32_t mask);
  void space_access(Warp& warp, const Part& part, const Inst& in, const Access& a, std::byte* frame,
                    std::uint32_t mask, trace::Space space, Lanes& lanes);
  void async_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame,
                  std::uint32_t mask);
  // Host addresses of the lanes; faults when one is out of bounds or misaligned.
  void resolve(Warp& warp, const Inst& in, std::uint32_t mask, trace::Space space,
               std::uint32_t bytes, const char* what, Lanes& lanes, Touch touch = Touch::kOther);
  void param_load(const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask) const;
  static void param_store(const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask);

  // Of a worker that runs ahead: who watches what it reads and writes, from now on as group
  // `number`.
  void watched_by(Speculation& speculation) { speculation_ = &speculation; }
  void log_to(Speculation::Log& log, std::uint64_t number) { log_ = &log, number_ = number; }

 private:
  struct Asked;  // an access whose addresses are resolved
  void resolve_shared(const Asked& asked, const Inst& in, Lanes& lanes);
  void resolve_of_cluster(const Asked& asked, const Inst& in, Lanes& lanes);
  void resolve_local(const Asked& asked, const Inst& in, Lanes& lanes);
  void resolve_global(const Asked& asked, const Inst& in, Lanes& lanes);
  void require_no_parameter(const Warp& warp, const Inst& in, std::uint32_t mask,
                            const Lanes& lanes);
  // Faults at the first lane that `bad` says so of.
  template <class Bad>
  void fault_where(const Asked& asked, const Inst& in, const Lanes& lanes, FaultKind kind,
                   const char* how, Bad&& bad);
  void out_of_stack(const Asked& asked, const Inst& in, const Lanes& lanes);
  void out_of_global(const Asked& asked, const Inst& in, const Lanes& lanes);
  void record_access(Warp& warp, const Part& part, const Inst& in, const Access& a,
                     std::uint32_t mask, trace::Space space, const Lanes& lanes);
  bool contains(std::uint64_t low, std::uint64_t high);
  void watch(const Lanes& lanes, std::uint32_t mask, std::uint32_t bytes, bool writes);
  void check_shared(const Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes,
                    const Lanes& lanes, Touch touch);

  Running& run_;
  Recorder& recorder_;
  std::set<std::pair<std::uint32_t, std::uint32_t>> found_;  // findings: (what, pc)
  std::set<const Inst*> reported_;                           // out of bounds already told of
  // Of a worker that runs ahead.
  Speculation* speculation_ = nullptr;
  Speculation::Log* log_ = nullptr;
  std::uint64_t number_ = 0;          // of the group
  std::uint64_t low_ = 1, high_ = 0;  // the region that the last access was in
};

}  // namespace warpmem::emulate
