// One process being recorded: its contexts, launches in flight, and the trace. Callbacks of the
// driver come in on the program's own threads; nothing here may throw into them or call CUDA.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "traces/record/allocations.hpp"
#include "traces/record/drain.hpp"
#include "traces/record/launch_attributes.hpp"
#include "traces/record/launch_times.hpp"
#include "traces/record/options.hpp"
#include "traces/record/output.hpp"
#include "traces/record/programs.hpp"
#include "traces/record/sanitizer_api.hpp"

namespace warpmem::record {

class Session {
 public:
  Session(const RecordOptions& options, const SanitizerApi& api);

  void module_loaded(const Sanitizer_ResourceModuleData& data);
  void module_unloading(const Sanitizer_ResourceModuleData& data);
  void context_ending(CUcontext context);
  // Between begin and end the launch is this thread's; end() waits for it unless told not to.
  void launch_begin(const Sanitizer_LaunchData& data);
  void launch_end();
  // A graph's kernels all begin before the graph runs: collect them, wait when it is launched.
  void graph_begin();
  void graph_end();
  void synchronized(CUcontext context, const void* stream);  // stream null: the whole context
  void close();  // ends and seals the trace; nothing is recorded afterwards

  Allocations& allocations() { return allocations_; }
  AttributeTracker& attributes() { return attributes_; }

 private:
  using Launch = std::shared_ptr<LaunchState>;
  struct Context {
    std::uint64_t number = 0;
    bool patches_added = false;
    unsigned char* host = nullptr;    // the ring
    unsigned char* device = nullptr;  // LaunchSlots, then cursors, then the ticket
    std::unique_ptr<Drain> drain;
  };

  bool wanted(std::uint32_t id, const std::string& function);
  bool set_up(Context& context, CUcontext handle, Sanitizer_StreamHandle stream);
  void open_trace(CUdevice device);
  Launch describe(std::uint32_t id, const Sanitizer_LaunchData& data, Context& context);
  void set_graph_data(const Sanitizer_LaunchData& data, const Launch& state, const void* user);
  bool settle(const Launch& launch);
  void finish(LaunchState& launch);
  void reap(CUcontext context, const void* stream, bool ended);
  void report_failure(const Error& error);
  bool claim_output();
  void write_status(const char* event);

  RecordOptions options_;
  SanitizerApi api_;
  std::optional<std::regex> kernel_;
  Output output_;
  LaunchTimes times_;
  Programs programs_;
  Allocations allocations_;
  AttributeTracker attributes_;

  std::mutex mutex_;  // of what follows
  std::map<CUcontext, Context> contexts_;
  std::map<std::string, bool> name_wanted_;
  std::map<const void*, std::uint64_t> streams_;
  std::vector<Launch> pending_;  // launches whose caller went on without waiting
  std::atomic<std::uint32_t> next_id_{0};
  std::atomic<bool> closed_{false};
  std::atomic<std::uint64_t> launches_recorded_{0}, records_{0}, lost_{0};
  std::atomic<std::uint64_t> busy_us_{0};  // from a recorded launch's begin to its records' end
};

}  // namespace warpmem::record
