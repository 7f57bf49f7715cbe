#include "traces/record/session.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "traces/record/origin.hpp"
#include "traces/record/patches.hpp"

namespace warpmem::record {
namespace {

// How long a launch call waits for the launch's records before it returns. A kernel may wait for
// what the program does next (a flag, another kernel): the program must go on then.
constexpr unsigned kPatienceMs = 1000;
constexpr std::size_t kPendingLaunches = 16;  // that may be left to themselves; bounds the memory

struct OpenLaunch {
  std::shared_ptr<LaunchState> state;  // null: not recorded
  const void* function = nullptr;
  std::chrono::steady_clock::time_point since;
};
thread_local std::vector<OpenLaunch> t_open;   // between LAUNCH_BEGIN and LAUNCH_END
thread_local std::vector<OpenLaunch> t_graph;  // kernels of the graph being launched
thread_local bool t_in_graph = false;

std::uint64_t microseconds_since(std::chrono::steady_clock::time_point start) {
  const auto took = std::chrono::steady_clock::now() - start;
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(took).count());
}

std::string nvdisasm_path() {
  const char* path = std::getenv("WARPMEM_NVDISASM");
  return path == nullptr ? "nvdisasm" : path;
}

unsigned thread_count(unsigned wanted) {
  if (wanted != 0) return std::min(wanted, kStreams);
  return std::clamp(std::thread::hardware_concurrency(), 2u, 25u) -
         1;  // the program waits meanwhile
}

std::uint64_t ctas_kept(std::uint64_t ctas, std::uint32_t limit) {
  if (limit == ~0u) return ctas;
  std::uint64_t kept = 0;
  for (std::uint64_t c = 0; c < ctas; ++c)
    kept += trace::cta_hash(static_cast<std::uint32_t>(c)) <= limit ? 1u : 0u;
  return kept;
}

std::uint32_t cta_limit(double fraction) {
  return fraction >= 1 ? ~0u : static_cast<std::uint32_t>(fraction * 4294967295.0);
}

}  // namespace

Session::Session(const RecordOptions& options, const SanitizerApi& api)
    : options_(options),
      api_(api),
      output_([this](const Error& error) { report_failure(error); }),
      times_(options.times, options.force, output_),
      programs_(
          output_,
          [this](const void* module, const char* function, std::uint64_t& pc, std::uint64_t& size) {
            return api_.get_function_pc_and_size(static_cast<CUmodule>(const_cast<void*>(module)),
                                                 function, &pc, &size) == SANITIZER_SUCCESS;
          },
          nvdisasm_path()) {
  if (!options_.kernel.empty())
    kernel_.emplace(options_.kernel, std::regex::ECMAScript | std::regex::optimize);
  write_status("loaded");
}

void Session::report_failure(const Error& error) {
  std::fprintf(stderr, "warpmem: recording stopped: %s\n", error.text().c_str());
  if (options_.strict) _exit(exit_status(error.kind));
}

void Session::module_loaded(const Sanitizer_ResourceModuleData& data) {
  if (closed_) return;
  programs_.module_loaded(data.module, data.pCubin, data.cubinSize);
  const std::lock_guard lock(mutex_);
  Context& context = contexts_[data.context];
  if (!context.patches_added) {
    context.patches_added = true;
    if (const auto r = api_.add_patches(patches_image(), data.context); r != SANITIZER_SUCCESS) {
      output_.fail(sanitizer_error(api_, "loading the recorder's device code", r));
      return;
    }
  }
  if (const auto r = patch_module(api_, data.module); r != SANITIZER_SUCCESS) {
    output_.fail(sanitizer_error(api_, "patching a module", r));
  }
}

void Session::module_unloading(const Sanitizer_ResourceModuleData& data) {
  reap(data.context, nullptr, true);
  programs_.module_unloaded(data.module);
}

bool Session::wanted(std::uint32_t id, const std::string& function) {
  if (closed_ || output_.failed() || id < options_.first_launch || id >= options_.last_launch)
    return false;
  if (!kernel_) return true;
  const auto [it, added] = name_wanted_.try_emplace(function, false);
  if (added) it->second = std::regex_search(demangled(function), *kernel_);
  return it->second;
}

bool Session::set_up(Context& context, CUcontext handle, Sanitizer_StreamHandle stream) {
  if (context.drain) return true;
  const auto chunks = std::bit_floor(static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(options_.buffer_bytes / kChunkBytes, 2 * kStreams, 1u << 16)));
  const std::size_t slots_bytes = kLaunchSlots * sizeof(LaunchSlot);
  const std::size_t cursor_bytes = kStreams * sizeof(unsigned long long);
  void* host = nullptr;
  void* device = nullptr;
  auto r = api_.alloc_host(handle, &host, ChunkRing::bytes_for(chunks));
  if (r == SANITIZER_SUCCESS) r = api_.alloc(handle, &device, slots_bytes + cursor_bytes + 256);
  if (r != SANITIZER_SUCCESS) {
    output_.fail(sanitizer_error(api_, "allocating the recorder's buffers", r));
    return false;
  }
  context.host = static_cast<unsigned char*>(host);
  context.device = static_cast<unsigned char*>(device);
  context.drain = std::make_unique<Drain>(context.host, chunks, output_,
                                          thread_count(options_.threads), options_.max_records);
  std::vector<unsigned char> image(slots_bytes + cursor_bytes + 256, 0);
  LaunchSlot slot = context.drain->ring().slot_template();
  slot.cursors = reinterpret_cast<unsigned long long*>(context.device + slots_bytes);
  slot.ticket = reinterpret_cast<unsigned long long*>(context.device + slots_bytes + cursor_bytes);
  slot.cta_limit = cta_limit(options_.ctas);
  for (std::uint32_t s = 0; s < kLaunchSlots; ++s) {
    slot.slot = s;
    std::memcpy(image.data() + s * sizeof slot, &slot, sizeof slot);
  }
  const auto cursors = context.drain->ring().first_cursors();
  std::memcpy(image.data() + slots_bytes, cursors.data(), cursor_bytes);
  r = api_.memcpy_host_to_device_async(context.device, image.data(), image.size(), stream);
  if (r == SANITIZER_SUCCESS) r = api_.stream_synchronize(stream);
  if (r != SANITIZER_SUCCESS) {
    output_.fail(sanitizer_error(api_, "initialising the recorder's buffers", r));
    return false;
  }
  return true;
}

void Session::open_trace(CUdevice device) {
  if (!claim_output()) {
    options_.output += "." + std::to_string(getpid());
    times_.add_suffix("." + std::to_string(getpid()));
  }
  output_.open(options_.output, options_.force, origin_of(device, options_));
  write_status("begin");
}

Session::Launch Session::describe(std::uint32_t id, const Sanitizer_LaunchData& data,
                                  Context& context) {
  const Programs::Entry& entry = programs_.find(data.module, data.functionName);
  const LaunchAttributes attributes =
      attributes_.current(data.functionName, data.function, data.stream);
  auto state = std::make_shared<LaunchState>();
  trace::Launch& launch = state->launch;
  launch.id = id;
  launch.program = entry.code->program;
  launch.grid = {data.gridDim_x, data.gridDim_y, data.gridDim_z};
  launch.block = {data.blockDim_x, data.blockDim_y, data.blockDim_z};
  launch.cluster = {std::max(data.clusterDim_x, 1u), std::max(data.clusterDim_y, 1u),
                    std::max(data.clusterDim_z, 1u)};
  launch.registers = entry.program.registers;
  launch.static_shared = entry.program.static_shared;
  launch.local_bytes = entry.program.local_bytes;
  launch.dynamic_shared = attributes.dynamic_shared;
  launch.carveout = attributes.carveout;
  launch.window = attributes.window;
  launch.set_aside = attributes_.set_aside();
  launch.fetch_bytes = attributes_.fetch_bytes();
  launch.ends_persisting = attributes_.take_persisting_reset();
  launch.parameters = AttributeTracker::parameters(entry.parameters);
  launch.parameters_at = entry.parameters.at;
  launch.context = context.number;
  launch.stream = streams_.try_emplace(data.hStream, streams_.size()).first->second;
  launch.allocations = allocations_.snapshot();
  state->code = entry.code;
  state->kernel = entry.program.demangled;
  state->context = data.context;
  state->stream = data.hStream;
  const std::uint64_t ctas = std::uint64_t{data.gridDim_x} * data.gridDim_y * data.gridDim_z;
  const std::uint64_t kept = ctas_kept(ctas, cta_limit(options_.ctas));
  state->skipped_ctas = ctas - kept;
  state->threads_expected = kept * state->threads_per_cta();
  return state;
}

void Session::launch_begin(const Sanitizer_LaunchData& data) {
  reap(nullptr, nullptr, false);
  const std::uint32_t id = next_id_++;
  OpenLaunch open{nullptr, data.function, {}};
  const void* user = nullptr;
  {
    const std::lock_guard lock(mutex_);
    Context& context = contexts_[data.context];
    if (context.number == 0) context.number = contexts_.size();
    const bool fits =
        std::uint64_t{data.gridDim_x} * data.gridDim_y * data.gridDim_z <= 0xffffffffu;
    if (wanted(id, data.functionName) && fits) {
      if (!output_.is_open()) open_trace(data.device);
      if (!output_.failed() && set_up(context, data.context, data.hStream) &&
          !context.drain->truncated()) {
        open.state = describe(id, data, context);
        if (context.drain->attach(open.state)) {
          output_.begin_launch(open.state->launch);
          ++launches_recorded_;
          user = context.device + open.state->slot * sizeof(LaunchSlot);
        } else {
          open.state.reset();
          output_.note_missing("launches beyond 1024 in flight at once");
        }
      }
    }
  }
  if (t_in_graph) {
    set_graph_data(data, open.state, user);
  } else {
    api_.set_launch_callback_data(data.hLaunch, data.function, data.hStream, user);
  }
  open.since = std::chrono::steady_clock::now();
  if (open.state) open.state->begun = open.since;
  t_open.push_back(std::move(open));
}

// In a graph the data is the function's: setting it for a launch (H200, driver 580) reaches every
// kernel of the graph. Two kernels of the same function therefore share a slot.
void Session::set_graph_data(const Sanitizer_LaunchData& data, const Launch& state,
                             const void* user) {
  if (state) {
    state->grid = static_cast<std::uint32_t>(data.gridId) & kGridMask;
    state->in_graph = true;
    for (const OpenLaunch& other : t_open) {  // they all begin before the first ends
      if (!other.state || other.function != data.function) continue;
      other.state->siblings.push_back(state);
      return;
    }
  }
  api_.set_callback_data(data.function, user);
}

void Session::launch_end() {
  if (t_open.empty()) return;
  OpenLaunch open = std::move(t_open.back());
  t_open.pop_back();
  if (!open.state) return;
  open.state->returned = std::chrono::steady_clock::now();
  if (t_in_graph) {
    t_graph.push_back(std::move(open));
    return;
  }
  if (settle(open.state)) busy_us_ += microseconds_since(open.since);
}

void Session::graph_begin() {
  t_in_graph = true;
  t_graph.clear();
}

void Session::graph_end() {
  t_in_graph = false;
  bool all = !t_graph.empty();
  for (const OpenLaunch& open : t_graph) all = settle(open.state) && all;
  if (all) busy_us_ += microseconds_since(t_graph.front().since);
  t_graph.clear();
}

// True when the launch is over and written; otherwise it stays pending.
bool Session::settle(const Launch& launch) {
  Drain* drain = nullptr;
  Launch oldest;
  {
    const std::lock_guard lock(mutex_);
    drain = contexts_[static_cast<CUcontext>(const_cast<void*>(launch->context))].drain.get();
    if (pending_.size() >= kPendingLaunches) oldest = pending_.front();
  }
  if (options_.wait && drain->wait(*launch, kPatienceMs)) {
    finish(*launch);
    return true;
  }
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(launch);
  }
  if (oldest) {
    drain->wait(*oldest, kPatienceMs);
    reap(nullptr, nullptr, false);
  }
  return false;
}

void Session::finish(LaunchState& launch) {
  Drain* drain = nullptr;
  {
    const std::lock_guard lock(mutex_);
    drain = contexts_[static_cast<CUcontext>(const_cast<void*>(launch.context))].drain.get();
  }
  drain->finish(launch);
  times_.add(launch, launch.kernel);
  records_ += launch.records.load();
  lost_ += launch.lost.load();
}

// Ends the pending launches that are over: by their own account, or because the program has
// synchronized with them (`ended`).
void Session::reap(CUcontext context, const void* stream, bool ended) {
  std::vector<Launch> over;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(pending_, [&](const Launch& launch) {
      const bool meant = ended && (context == nullptr || launch->context == context) &&
                         (stream == nullptr || launch->stream == stream);
      if (!meant && !launch->all_gone()) return false;
      over.push_back(launch);
      return true;
    });
  }
  for (const Launch& launch : over) finish(*launch);
}

void Session::synchronized(CUcontext context, const void* stream) { reap(context, stream, true); }

void Session::context_ending(CUcontext handle) {
  reap(handle, nullptr, true);
  const std::lock_guard lock(mutex_);
  const auto it = contexts_.find(handle);
  if (it == contexts_.end()) return;
  it->second.drain.reset();  // before the driver frees the memory it reads
  contexts_.erase(it);
}

void Session::close() {
  if (closed_.exchange(true)) return;
  std::vector<Launch> left;
  {
    const std::lock_guard lock(mutex_);
    left = pending_;
  }
  for (const Launch& launch : left) {
    Drain* drain =
        contexts_[static_cast<CUcontext>(const_cast<void*>(launch->context))].drain.get();
    drain->wait(*launch, kPatienceMs);
  }
  reap(nullptr, nullptr, true);
  if (!output_.is_open()) return;
  for (auto& [handle, context] : contexts_) {
    if (context.drain && context.drain->orphans() != 0) {
      output_.note_missing(fmt::format("{} records of kernels launched by the GPU itself",
                                       context.drain->orphans()));
    }
    context.drain.reset();
  }
  times_.close();
  if (!output_.failed()) output_.seal();
  write_status("end");
}

// The first process that records gets the output's own name, its children theirs with their pid.
bool Session::claim_output() {
  const char* status = std::getenv("WARPMEM_RECORD_STATUS");
  if (status == nullptr) return true;
  const int file =
      open((std::string(status) + ".claim").c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return false;
  ::close(file);
  return true;
}

// Lines for the launcher: when the recorder is loaded, at the first recorded launch, at the end.
void Session::write_status(const char* event) {
  const char* path = std::getenv("WARPMEM_RECORD_STATUS");
  if (path == nullptr) return;
  const int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return;
  const std::string line = fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", event, getpid(),
                                       options_.output, launches_recorded_.load(), records_.load(),
                                       lost_.load(), busy_us_.load(), output_.sealed() ? 1 : 0);
  [[maybe_unused]] const ssize_t n = write(file, line.data(), line.size());
  ::close(file);
}

}  // namespace warpmem::record
