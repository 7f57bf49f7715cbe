// The state of the emulated CUDA runtime: one a process, made at the first call, never destroyed
// (the program may call CUDA from its own static destructors).
//
// Everything runs when it is issued, on the thread that issues it: streams and events order what
// has happened already. That is one of the orders CUDA allows. Their times are those that the
// timeline of the card's link gives (host/timeline), where a kernel takes one SM cycle for each
// warp instruction an SM gets. The same program gets the same times each run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "emulate/cudart/abi.hpp"
#include "emulate/cudart/device.hpp"
#include "emulate/cudart/errors.hpp"
#include "emulate/cudart/registry.hpp"
#include "emulate/cudart/session.hpp"
#include "emulate/executor/memory.hpp"
#include "emulate/executor/texture.hpp"
#include "host/timeline/timeline.hpp"

namespace warpmem::cudart {

// A stream capture in progress: what is issued becomes nodes of `graph`.
struct Capture {
  Graph* graph = nullptr;
  Stream* origin = nullptr;
  unsigned long long id = 0;
  bool to_graph = false;  // the program's own graph: not ours to return anew
  int mode = 0;           // 0 global, 1 of this thread, 2 relaxed
  std::thread::id thread;
  bool invalid = false;
};

struct Stream {
  std::uint64_t number = 0;  // in order of creation; 0 the default stream
  unsigned flags = 0;
  int priority = 0;
  std::vector<std::uint32_t> last;  // steps of the timeline that the next one has to follow
  std::map<int, AttributeValue> attributes;
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> frontier;  // what the next captured operation depends on
  bool of_graph = false;             // one of those that a graph's nodes run on
  trace::AccessWindow window() const;
};

struct Event {
  unsigned flags = 0;
  bool recorded = false;
  std::uint32_t step = 0;  // of the timeline
  std::shared_ptr<Capture> capture;
  std::vector<GraphNode*> frontier;
};

struct Array {
  ChannelFormat format{};
  Extent extent{};  // texels; height and depth 0 as the program gave them
  unsigned flags = 0;
  std::uint64_t base = 0;
  std::size_t row = 0, slice = 0, bytes = 0;
  std::size_t texel() const {
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
  }
  std::size_t rows() const { return extent.height ? extent.height : 1; }
  std::size_t slices() const { return extent.depth ? extent.depth : 1; }
};
struct MipmappedArray {
  std::vector<std::unique_ptr<Array>> levels;
};

struct Pool {
  PoolProperties properties{};
  std::map<int, unsigned long long> attributes;
  std::uint64_t used = 0, high = 0;
};

// What the program said of where managed memory should lie. Nothing follows from it but what it is
// told when it asks.
struct Advice {
  static constexpr int kNowhere = -2;  // cudaInvalidDeviceId
  bool read_mostly = false, by_gpu = false, by_host = false;
  int preferred = kNowhere, prefetched = kNowhere;
};

struct Runtime {
  Runtime(SessionOptions options, emulate::Memory gpu)
      : session(std::move(options)), memory(std::move(gpu)), timeline(device().link) {}

  std::recursive_mutex mutex;
  Session session;
  emulate::Memory memory;
  host::Timeline timeline;  // of all that the program has issued
  emulate::TextureTable textures;
  std::unordered_map<std::uint64_t, ResourceDescription> texture_resources;
  std::unordered_map<std::uint64_t, TextureDescription> texture_descriptions;
  std::unordered_map<std::uint64_t, ResourceView> texture_views;

  Stream default_stream;
  std::unordered_set<Stream*> streams;
  std::unordered_map<std::thread::id, Stream*>
      thread_streams;  // cudaStreamPerThread, in streams too
  std::unordered_set<Event*> events;
  std::unordered_set<Array*> arrays;
  std::unordered_set<MipmappedArray*> mipmaps;
  std::unordered_set<Pool*> pools;
  Pool default_pool;
  Pool* current_pool = nullptr;
  std::unordered_map<std::uint64_t, Pool*> pool_of;  // stream-ordered allocations
  std::unordered_map<std::uint64_t, bool>
      graph_memory;  // of allocation nodes: whether it is allocated now
  std::unordered_map<std::uint64_t, unsigned> host_flags;  // pinned memory: its flags
  std::unordered_map<std::uint64_t, Advice> advice;        // by managed allocation
  std::uint64_t next_stream = 1;
  unsigned long long next_capture = 1;

  std::map<int, std::size_t> limits;
  bool visible = true;            // CUDA_VISIBLE_DEVICES leaves the GPU
  bool persisting_reset = false;  // since the launch before
  int cache_config = 0;
  unsigned device_flags = 8;  // cudaDeviceMapHost
  Code sticky = kSuccess;
  std::string printed;  // by kernels, until the host synchronises

  const Device& device() const { return session.options().device; }
  Result<emulate::Kernel*> kernel(Function& f) {
    return registry().kernel(f, memory, device().cc());
  }
  // What ptxas says of it, unless the session is told to take PTX as it is; null: not known.
  const emulate::Resources* resources(Function& f) {
    return session.options().level == emulate::CodeLevel::kPtx || !kernel(f)
               ? nullptr
               : registry().resources(f, device().cc());
  }
  std::string why_ptx(Function& f) { return registry().why_ptx(f, device().cc()); }
  static Registry& registry();  // exists before the runtime does: programs register before main()

  // The stream a handle names: null and cudaStreamLegacy are the default stream,
  // cudaStreamPerThread is the thread's own. Null: there is none.
  Stream* stream(Stream* handle);
  // Puts a step at the end of the stream.
  void issue(Stream& stream, host::Operation what);
  void wait(const std::vector<std::uint32_t>& steps);  // the host does
  void synchronise();                                  // all streams; prints what kernels printed
  void flush_printed();
};

// What belongs to one host thread.
struct CallConfiguration {
  Dim grid, block;
  std::size_t shared;
  Stream* stream;
};
struct ThreadState {
  Code last = kSuccess;
  int capture_mode = 0;
  std::vector<CallConfiguration> configurations;
};
ThreadState& thread_state();

// Null when it could not be made: the reason has been printed.
Runtime* runtime();
// Whether machine code can be read here, and is to be.
bool runs_machine_code(const Runtime& r);

// What a grid or a block beyond the GPU's limits is: it depends on the runtime's version.
Code invalid_configuration();
unsigned runtime_version();  // 13000: CUDA 13.0

inline Code remember(Code code) {
  if (code == kInvalidConfiguration) code = invalid_configuration();
  if (code != kSuccess) thread_state().last = code;
  return code;
}

// Every entry point that needs the device: takes the lock, honours a sticky error, keeps the last
// one.
template <class F>
Code api(F&& body) {
  Runtime* r = runtime();
  if (!r) return remember(kInitialization);
  const std::lock_guard lock(r->mutex);
  if (!r->visible) return remember(kNoDevice);
  if (r->sticky != kSuccess) return remember(r->sticky);
  try {
    return remember(body(*r));
  } catch (const std::bad_alloc&) {
    return remember(kMemoryAllocation);
  }
}

}  // namespace warpmem::cudart
