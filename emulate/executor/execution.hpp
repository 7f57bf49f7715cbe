// The executor's inside; executor.cpp schedules, execute_*.cpp hold the families of instructions.
#pragma once

#include <atomic>
#include <bit>
#include <deque>
#include <map>
#include <set>

#include "emulate/executor/device_runtime.hpp"
#include "emulate/executor/executor.hpp"
#include "emulate/executor/speculation.hpp"
#include "emulate/executor/texture.hpp"

namespace warpmem::emulate {

// What to do about an instruction of the whole warp that some lanes do not come to.
constexpr const char* kWholeWarp =
    "bring all lanes of the warp there together: no branch by lane around it, and blocks of whole warps";

struct TensorMap;

struct Fault {
  Error error;
};

constexpr std::size_t kMostGroups = 4096;         // at once, where one may wait for another
constexpr std::uint32_t kStuck = 32;              // rounds in vain until lanes no longer wait for those that spin
constexpr std::uint32_t kSpun = 16;               // … and until it counts as waiting for another CTA
constexpr std::uint64_t kFenceWait = 128;         // as turns.cpp counts: until its stores are in the L2
constexpr std::uint64_t kWarpSlice = 1u << 14;    // warp instructions a warp runs at a stretch
constexpr std::uint64_t kGroupSlice = 1u << 23;   // … and a CTA, before the next one starts beside it

class Execution {
 public:
  Execution(const Kernel& kernel, Memory& memory, const LaunchShape& shape, const RunOptions& options, Tracer* tracer, RunStatistics& statistics);
  Result<void> run();
  void end_times();  // RunStatistics::times

 private:
  using Lanes = std::uint64_t[32];

  // parallel.cpp
  bool worth_running_ahead() const;
  Result<std::uint64_t> run_ahead(std::uint64_t first);
  bool run_alone(std::uint64_t number, Tracer* tracer, Speculation::Log& log);
  bool contains(std::uint64_t low, std::uint64_t high);
  void check_shared(const Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes, const Lanes& lanes, Touch touch);
  void watch(const Lanes& lanes, std::uint32_t mask, std::uint32_t bytes, bool writes);
  // executor.cpp: scheduling
  Result<void> run_in_order();
  void start_group(std::uint64_t number);
  void begin_group(Group& group, std::uint64_t number);
  void start_cta(Cta& cta, std::uint64_t number, std::uint32_t rank);
  struct Round {
    bool ran = false, ended = true;        // some warp; all of them
    bool held = false;                     // some could run, but have had their share of this turn
    bool waits = true, stuck = true;       // all that ran waited in vain: for another CTA, for whomever
  };
  Round run_round(Group& group);
  void wake(Group& group);
  bool run_group(Group& group, std::uint64_t budget);  // true: it has ended
  void end_group(Group& group);
  void check_limits();
  // turns.cpp
  bool takes_turns() const;
  std::uint64_t resident_groups() const;
  Result<void> run_in_turns();
  bool take_turn(Group& group);  // true: it has ended
  static std::uint64_t wait_for(const Access& a);
  bool comes_later(Warp& warp, const Access& a, std::uint64_t ahead);
  static bool looks_again(Warp& warp, const Inst& in, std::uint32_t mask, std::uint32_t bytes, const Lanes& host);
  [[noreturn]] void report_deadlock(const Group& group);
  // execute.cpp: one warp
  void run_warp(Warp& warp, std::uint64_t whole);
  bool waits_for_others(Warp& warp, const Access& a, const std::byte* frame, std::uint32_t mask, bool stores = false);
  void run_part(Warp& warp, std::uint64_t& slice);
  // Who of the lanes that wait at a reconvergence point goes on without those that are still to come.
  enum class Parting { kKnown, kAll };
  void leave_loop(Warp& warp, std::int32_t number);
  void go_ahead(Warp& warp, std::size_t waiting);
  void part_company(Warp& warp, Parting which, std::uint32_t lanes = ~0u);
  void end_stalemate(Group& group);
  bool yield(Warp& warp, std::int32_t part);
  std::int32_t new_part(Warp& warp);
  [[noreturn]] void overflow_stack(const char* how);
  void grow_local(Warp& warp, std::uint32_t need);
  void stack(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  std::int32_t new_frame(Warp& warp, const Code& code, std::uint32_t local_base);
  void make_ready(Warp& warp, std::int32_t part);
  void arrive(Warp& warp, std::int32_t part);
  void leave(Warp& warp, std::int32_t part, std::uint32_t lanes, bool exits);
  void settle(Warp& warp, std::int32_t part);
  bool branch(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t taken, std::uint32_t target);
  bool branch_indexed(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask);
  bool call(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask);
  void builtin(Warp& warp, const Part& part, const CallSite& site, std::uint32_t mask);
  std::byte* host_of(Warp& warp, const Inst& in, std::uint32_t lane, std::uint64_t address, std::uint32_t bytes);
  void device_call(Warp& warp, const Part& part, const CallSite& site, std::uint32_t mask);
  void return_values(Warp& warp, std::int32_t part, std::uint32_t lanes);
  // execute_sync.cpp
  bool barrier(Warp& warp, std::int32_t part, const Inst& in, std::uint32_t mask);
  void check_barrier(Cta& cta, std::uint32_t number);
  void check_all_barriers(Cta& cta);
  bool cluster_wait(Warp& warp, std::int32_t part);
  void check_cluster();
  void special(const Warp& warp, const Inst& in, std::byte* frame, std::uint32_t mask);
  // execute_warp.cpp
  void convergent(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  bool act_together(Warp& warp, std::int32_t part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void release_together(Warp& warp);
  bool let_named_go(Warp& warp);
  void rejoin(Warp& warp, std::size_t from);
  // execute_memory.cpp
  void access(Warp& warp, const Part& part, const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask);
  void space_access(Warp& warp, const Part& part, const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask, trace::Space space, Lanes& lanes);
  void addresses(const Access& a, const std::byte* frame, Lanes& lanes) const;
  static Space space_of(const Access& a, const std::byte* frame, std::uint32_t lane);
  // Host addresses of the lanes; faults when one is out of bounds or misaligned.
  void resolve(Warp& warp, const Inst& in, std::uint32_t mask, trace::Space space, std::uint32_t bytes, const char* what, Lanes& lanes, Touch touch = Touch::kOther);
  void param_load(const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask);
  void param_store(const Inst& in, const Access& a, std::byte* frame, std::uint32_t mask);
  void async_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  static bool in_vain(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask, const Lanes& host);
  static void atomics(const Access& a, trace::Space space, std::byte* frame, std::uint32_t mask, const Lanes& host);
  void record(Warp& warp, const Inst& in, const Code& code, trace::Op op, trace::Space space, std::uint32_t bytes, std::uint32_t mask, const Lanes& lanes);
  // … of a lane's bulk copy. The first of its records says that it begins.
  void record_piece(Warp& warp, const Inst& in, const Code& code, trace::Op op, trace::Space space, std::uint32_t bytes, std::uint32_t lane, std::uint64_t address, bool& begun);

  // rounds.cpp
  void count_round(Warp& warp, const Code& code, std::uint32_t line, bool taken);
  // Before a record of this line, or of none.
  void leave_rounds(Warp& warp, const Code* code, std::uint32_t line);

  // instruction_times.cpp
  void begin_times();
  void add_times(const std::vector<std::uint64_t>& entered);

  // execute_texture.cpp
  void texture(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  static std::uint32_t texture_query(const TextureAccess& t, const Texture& object, std::uint32_t level);
  std::uint64_t surface_access(Warp& warp, const Inst& in, const TextureAccess& t, const Texture& object, std::byte* frame, std::uint32_t lane);
  // execute_matrix.cpp, execute_bulk.cpp
  void matrix_access(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void matrix_turn(Warp& warp, const Inst& in, std::byte* frame, std::uint32_t mask);
  void fragment(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void group_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void quad_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void matrix_product(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void map_address(const Inst& in, std::byte* frame, std::uint32_t mask);
  void mbarrier(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  static void reduce_bytes(const Access& a, trace::Space space, std::uint64_t from, std::uint64_t to, std::uint32_t bytes);
  void complete_bytes(Warp& warp, const Inst& in, std::uint32_t lane, const Lanes& barrier, std::uint32_t bytes);
  void async_store(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void rank_of(const Inst& in, std::byte* frame, std::uint32_t mask);
  // execute_tensor.cpp
  void tensor_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void tensor_row(Warp& warp, const Inst& in, const TensorCopy& t, const TensorMap& map, std::uint32_t lane, std::uint64_t tile, std::uint32_t row, std::uint64_t address, std::uint64_t from, std::uint64_t skip, bool traced, bool& begun);
  void tensor_map(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void bulk_copy(Warp& warp, const Part& part, const Inst& in, std::byte* frame, std::uint32_t mask);
  void bulk_prefetch(Warp& warp, const Inst& in, const Code& code, std::byte* frame, std::uint32_t mask);

  const Code& code_of(const Warp& warp, const Part& part) const { return *warp.frames[static_cast<std::size_t>(part.frame)].code; }
  // faults.cpp
  // In CUDA's words, a line for each lane.
  [[noreturn]] void fail_assertion(const Warp& warp, const Inst& in, std::uint32_t mask, const std::string& where, const std::string& what) const;
  [[noreturn]] void fault(const Warp& warp, const Inst& in, std::uint32_t lane, const std::string& message, const std::string& fix, ErrorKind kind = ErrorKind::kMalformed) const;
  Error fault_at(const Warp& warp, const Inst& in, std::uint32_t lane, const std::string& message, const std::string& fix, ErrorKind kind) const;
  std::string thread_name(const Warp& warp, std::uint32_t lane) const;
  std::string place_of(const Code& code, const Inst& in) const;
  std::string nearest_text(std::uint64_t address) const;

  const Kernel& kernel_;
  Memory& memory_;
  const LaunchShape& shape_;
  const RunOptions& options_;
  Tracer* tracer_;
  const std::vector<std::uint8_t>* told_ = nullptr;  // branches of the entry; null: nobody asks
  const std::vector<std::uint32_t>* back_edges_ = nullptr;  // of the entry; null: nobody asks
  RunStatistics& stats_;
  // Times that a warp came to each block, by its first line; and, behind those of all lines, that it called a function
  // which ptxas adds for a line.
  std::vector<std::uint64_t> entered_;
  std::uint32_t threads_ = 0, warps_ = 0, cluster_size_ = 1, shared_bytes_ = 0;
  std::uint64_t groups_ = 0;
  std::deque<Group> active_;
  std::vector<Group> spare_;
  bool turns_ = false;       // CTAs take turns (turns.cpp)
  Places parting_;  // of all groups, where CTAs take turns
  std::uint64_t started_at_ = 0;  // by the clock of those that start now
  Group* group_ = nullptr;   // running now
  Cta* cta_ = nullptr;
  const Code* now_code_ = nullptr;
  bool turn_over_ = false;          // of the warp that runs: the others come first
  std::uint64_t next_check_ = 0;
  std::uint64_t ahead_ = 0;  // warp instructions that the statistics lack
  // The device runtime's: parameters not launched yet by their buffer, the last error, streams and events so far.
  std::map<std::uint64_t, DeviceLaunch> launches_;
  int device_error_ = 0;
  std::uint64_t next_handle_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> found_;  // findings: (what, pc)
  // Of a worker that runs ahead.
  Speculation* speculation_ = nullptr;
  std::set<const Inst*> reported_;  // out of bounds already told of
  const std::atomic<bool>* stop_ = nullptr;
  Speculation::Log* log_ = nullptr;
  std::uint64_t number_ = 0;                  // of the group
  std::uint64_t low_ = 1, high_ = 0;          // the region that the last access was in
};

}  // namespace warpmem::emulate
