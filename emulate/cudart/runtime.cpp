#include "emulate/cudart/runtime.hpp"

#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "emulate/cudart/interrupt.hpp"
#include "emulate/toolkit/toolkit.hpp"

namespace warpmem::cudart {
namespace {

Runtime* g_runtime = nullptr;
pid_t g_process = 0;  // a vforked child shares our memory, and leaves by _exit

bool names_first_gpu(std::string_view list);

Runtime* make_runtime() {
  auto options = options_from_environment();
  if (!options) {
    std::fputs(fmt::format("warpmem: error: {}\n", options.error().text()).c_str(), stderr);
    return nullptr;
  }
  const std::uint64_t limit = options->device.memory_bytes;
  auto memory = emulate::Memory::create(limit);
  Result<void> made;
  if (!memory) made = memory.error();
  else if (!memory->same_addresses())
    made = Error{ErrorKind::kEnvironment,
                 "the range of addresses of the emulated GPU's memory is taken in this process", "",
                 "run the program without a sanitizer or another emulator"};
  if (!made) {
    Session(std::move(*options)).note_error(made.error());
    return nullptr;
  }
  Runtime::registry().set_level(options->level);
  auto* made_runtime = new Runtime(std::move(*options), std::move(*memory));
  const char* list = std::getenv("CUDA_VISIBLE_DEVICES");
  made_runtime->visible = list == nullptr || names_first_gpu(list);
  if (!made_runtime->visible)
    made_runtime->session.note_warning(
        {ErrorKind::kUsage,
         fmt::format("CUDA_VISIBLE_DEVICES={} leaves no GPU, so that each call fails as on a "
                     "machine without one",
                     list),
         "", "unset it, or put 0 first: the emulated one is number 0"});
  return made_runtime;
}

// Of a list of numbers and of UUIDs ("GPU-…", or as much of it as is needed) CUDA takes those up to
// the first that is not there.
bool names_first_gpu(std::string_view list) {
  std::string_view first = list.substr(0, list.find(','));
  while (first.starts_with(' ')) first.remove_prefix(1);
  while (first.ends_with(' ')) first.remove_suffix(1);
  if (first.starts_with("GPU-") && first.size() > 4) return uuid_text().starts_with(first);
  return !first.empty() && first.find_first_not_of('0') == first.npos;
}

void seal_at_exit() {
  if (!g_runtime || getpid() != g_process) return;
  const std::lock_guard lock(g_runtime->mutex);
  g_runtime->flush_printed();
  g_runtime->session.seal();
}

void in_forked_child() {
  if (g_runtime) g_runtime->session.forget();
}

}  // namespace

Registry& Runtime::registry() {
  static auto* registry = new Registry;
  return *registry;
}

Runtime* runtime() {
  static std::once_flag once;
  std::call_once(once, [] {
    g_process = getpid();
    g_runtime = make_runtime();
    if (!g_runtime) return;
    pthread_atfork(nullptr, nullptr, in_forked_child);
    watch_signals(*g_runtime);
  });
  return g_runtime;
}

ThreadState& thread_state() {
  static thread_local ThreadState state;
  return state;
}

trace::AccessWindow Stream::window() const {
  trace::AccessWindow w;
  const auto at = attributes.find(kAttributeWindow);
  if (at == attributes.end() || at->second.window.bytes == 0) return w;
  const AccessPolicyWindow& a = at->second.window;
  w.base = reinterpret_cast<std::uint64_t>(a.base), w.bytes = a.bytes, w.hit_ratio = a.hit_ratio;
  w.hit = static_cast<std::uint8_t>(a.hit), w.miss = static_cast<std::uint8_t>(a.miss);
  return w;
}

Stream* Runtime::stream(Stream* handle) {
  if (handle == nullptr || handle == legacy_stream()) return &default_stream;
  if (handle == thread_stream()) {  // each thread has one, as a stream that it has made
    Stream*& own = thread_streams[std::this_thread::get_id()];
    if (!own) {
      own = *streams.insert(new Stream).first;
      own->number = next_stream++;
    }
    return own;
  }
  return streams.contains(handle) ? handle : nullptr;
}

namespace {

// Streams are in no order that is the same in each run.
std::vector<std::uint32_t> in_order(std::vector<std::uint32_t> steps) {
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

}  // namespace

void Runtime::issue(Stream& stream, host::Operation what) {
  what.stream = stream.number;
  what.called = !stream.of_graph;
  what.after = in_order(std::move(stream.last));
  session.note_step(what);
  stream.last = {timeline.add(what)};
}

void Runtime::wait(const std::vector<std::uint32_t>& steps) {
  if (steps.empty()) return;
  host::Operation what;
  what.step = host::Step::kWait;
  what.after = in_order(steps);
  session.note_step(what);
  timeline.add(what);
}

void Runtime::synchronise() {
  std::vector<std::uint32_t> all = default_stream.last;
  for (const Stream* s : streams) all.insert(all.end(), s->last.begin(), s->last.end());
  wait(all);
  flush_printed();
}

void Runtime::flush_printed() {
  if (printed.empty()) return;
  std::fwrite(printed.data(), 1, printed.size(), stdout);
  printed.clear();
}

// Runs when the library is unloaded, which is after the program's own destructors: the program's
// libraries are finished before those they need.
// By then this thread's thread_local objects are gone, and the writer has some: another thread
// seals.
__attribute__((destructor)) static void at_unload() {
  if (!g_runtime || getpid() != g_process) return;
  try {
    std::thread(seal_at_exit).join();
  } catch (const std::system_error& error) {
    g_runtime->session.note_error({ErrorKind::kResources,
                                   fmt::format("the trace cannot be closed: {}", error.what()), "",
                                   "allow more threads (ulimit -u)"});
  }
}

bool runs_machine_code(const Runtime& r) {
  return emulate::wants_machine_code(Runtime::registry().level(), r.device().cc()) &&
         emulate::find_nvdisasm().ok();
}

void end_process_now() { seal_at_exit(); }

}  // namespace warpmem::cudart
