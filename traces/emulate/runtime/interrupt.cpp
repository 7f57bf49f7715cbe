#include "traces/emulate/runtime/interrupt.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <csignal>

#include "traces/emulate/runtime/runtime.hpp"

namespace warpmem::cudart {
namespace {

Runtime* g_watched = nullptr;
std::atomic<bool> g_running{false};
volatile std::sig_atomic_t g_signal = 0;

// Sealing allocates and writes, which a signal handler should not; the process is about to die
// anyway, and a trace that is lost for certain is worse. Inside the writer it is left alone: the
// file stays as .partial.
void on_signal(int signal) {
  const bool asked = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  if (asked && g_running.load() && g_signal == 0) {
    g_signal = signal;
    return;  // the executor looks
  }
  std::signal(signal, SIG_DFL);
  if (g_watched && !g_watched->session.busy() && g_watched->mutex.try_lock()) {
    g_watched->session.seal();
    g_watched->mutex.unlock();
  }
  raise(signal);
}

}  // namespace

void watch_signals(Runtime& runtime) {
  g_watched = &runtime;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    struct sigaction now {};
    if (sigaction(signal, nullptr, &now) != 0 || (now.sa_flags & SA_SIGINFO) != 0 ||
        now.sa_handler != SIG_DFL)
      continue;
    struct sigaction ours {};
    ours.sa_handler = on_signal;
    ours.sa_flags = SA_NODEFER;
    sigaction(signal, &ours, nullptr);
  }
}

bool interrupted() { return g_signal != 0; }
void set_kernel_running(bool running) { g_running = running; }

void end_by_interrupt() {
  end_process_now();
  const int signal = g_signal ? g_signal : SIGINT;
  std::signal(signal, SIG_DFL);
  raise(signal);
  ::_exit(128 + signal);
}

}  // namespace warpmem::cudart

// Programs that leave by _exit run no destructors.
extern "C" {
[[noreturn]] void warpmem_leave(int status) {
  warpmem::cudart::end_process_now();
  using Leave = void (*)(int);
  static const auto leave = reinterpret_cast<Leave>(dlsym(RTLD_NEXT, "_exit"));
  if (leave) leave(status);
  __builtin_trap();
}
void _exit(int status) { warpmem_leave(status); }
void _Exit(int status) { warpmem_leave(status); }
}
