#include "emulate/cudart/interrupt.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <ctime>

#include "emulate/cudart/runtime.hpp"

namespace warpmem::cudart {
namespace {

Runtime* g_watched = nullptr;
std::atomic<bool> g_running{false};
volatile std::sig_atomic_t g_signal = 0;

std::time_t g_asked_at = 0;
int g_dying_of = 0;

// The same request comes twice where a terminal or timeout(1) signals the whole process group and
// somebody passes it on: seconds apart it is one of an impatient user.
constexpr std::time_t kOneRequest = 3;
// To seal; what was interrupted may hold a lock that sealing needs (malloc's), and never let go.
constexpr unsigned kSealSeconds = 20;

std::time_t now() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec;
}

void die(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void on_alarm(int) { die(g_dying_of); }

// Sealing allocates and writes, which a signal handler should not; the process is about to die
// anyway, and a trace that is lost for certain is worse. Inside the writer it is left alone, and so
// it is if a lock is in the way: the file stays as .partial.
void on_signal(int signal) {
  const bool asked = signal == SIGINT || signal == SIGTERM || signal == SIGHUP;
  if (asked && g_running.load()) {
    if (g_signal == 0) {
      g_asked_at = now();
      g_signal = signal;
      return;  // the executor looks
    }
    if (now() - g_asked_at < kOneRequest) return;
  }
  std::signal(signal, SIG_DFL);
  if (g_watched && !g_watched->session.busy() && g_watched->mutex.try_lock()) {
    g_dying_of = signal;
    std::signal(SIGALRM, on_alarm);
    alarm(kSealSeconds);
    g_watched->session.seal();
    alarm(0);
    g_watched->mutex.unlock();
  }
  die(signal);
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
  for (;;) syscall(SYS_exit_group, status);
}
void _exit(int status) { warpmem_leave(status); }
void _Exit(int status) { warpmem_leave(status); }
}
