// The threads that read what the GPU writes, and compress it, while the kernels run.
//
// Each thread owns some of the multiprocessors' streams, so a warp's records pass through one
// thread and stay in order. Memory: two batches and a block per thread, whatever the trace's
// length.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "traces/record/batch.hpp"
#include "traces/record/chunk_ring.hpp"
#include "traces/record/crew.hpp"
#include "traces/record/launch_state.hpp"
#include "traces/record/output.hpp"

namespace warpmem::record {

class Drain {
 public:
  // `max_records`: the whole trace's; at that many the ring is stopped.
  Drain(unsigned char* memory, std::uint32_t chunks, Output& output, unsigned threads,
        std::uint64_t max_records);
  ~Drain();  // stops the threads; what they hold is lost unless finish() was called

  ChunkRing& ring() { return ring_; }
  // A free slot for the launch, or false when too many are in flight.
  bool attach(const std::shared_ptr<LaunchState>& launch);
  // Waits until all threads of the launch are gone, but no longer than `patience` milliseconds: a
  // kernel may itself be waiting for what the program does next, and record its polling meanwhile.
  bool wait(const LaunchState& launch, unsigned patience);
  // Reads and writes all there is of the launch, ends it in the trace, and frees its slot. Only
  // when its kernel has ended.
  void finish(LaunchState& launch);

  std::uint64_t records() const { return read_.load(std::memory_order_relaxed); }
  // Records that belong to no launch we know of.
  std::uint64_t orphans() const { return orphans_.load(); }
  bool truncated() const { return full_.load(std::memory_order_relaxed); }

 private:
  // What one thread holds of one launch. Used again for later launches, to keep its memory.
  struct Held {
    Batch batch;
    std::optional<trace::BlockBuilder> builder;
    bool written = false;  // blocks of it are in the trace
  };
  // What one thread writes a part of a launch with; kept for its memory.
  struct Piece {
    const Batch* batch;
    Batch::Run run;
  };
  struct Range {
    std::vector<Piece> pieces;
    trace::BlockBuilder builder{0};
    Batch::Scratch scratch;
    std::vector<trace::EncodedBlock> blocks;
  };
  class Departures;
  struct Worker {
    std::mutex mutex;  // of the streams and of what is held
    std::vector<StreamReader> streams;
    std::array<std::unique_ptr<Held>, kLaunchSlots> held;
    std::unique_ptr<Held> spare;
    std::uint64_t allowance = 0;  // records it may still take of the trace's maximum
    std::thread thread;
  };

  void run(Worker& worker);
  template <class F>
  void guarded(F&& action);
  bool may_record(Worker& worker);
  void write_in_order(std::vector<std::unique_ptr<Held>>& parts);
  void encode_range(const std::vector<std::unique_ptr<Held>>& parts, std::uint64_t first_cta,
                    std::uint64_t end_cta, Range& range);
  std::size_t consume(Worker& worker);
  Held* held_for(Worker& worker, std::uint32_t place);
  void encode(Held& held);
  void flush(Held& held);
  void end_in_trace(const LaunchState& launch);

  ChunkRing ring_;
  Crew crew_;  // for what is done once a launch is over
  std::mutex ranges_mutex_;
  std::vector<Range> ranges_;
  Output& output_;
  std::atomic<std::uint64_t> left_;  // of the maximum, not given to a worker yet
  std::array<std::shared_ptr<LaunchState>, kLaunchSlots> launches_;
  std::array<std::atomic<LaunchState*>, kLaunchSlots> by_slot_{};
  std::mutex slots_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<bool> quit_{false};
  std::atomic<bool> full_{false};
  std::atomic<std::uint32_t> active_{0};
  std::atomic<std::uint32_t> epoch_{0};  // launches attached so far
  std::atomic<std::uint64_t> read_{0};
  std::atomic<std::uint64_t> orphans_{0};
  std::mutex wake_mutex_;
  std::condition_variable wake_, gone_;
};

}  // namespace warpmem::record
