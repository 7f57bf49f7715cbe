#include "command/ending.hpp"

#include <poll.h>
#include <stdio_ext.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/output_file.hpp"
#include "base/scratch_folder.hpp"
#include "base/tool_run.hpp"

namespace warpmem::command {
namespace {

volatile std::sig_atomic_t g_asked = 0;
volatile std::time_t g_asked_at = 0;

// timeout(1) and terminals send the same request twice.
constexpr std::time_t kOneRequest = 2;

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

std::time_t seconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec;
}

void say(const char* text) {
  const ssize_t written = write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

// Only calls that are safe in a handler.
extern "C" void on_signal(int signal) {
  if (isatty(STDERR_FILENO) == 1) say("\r\x1b[K");
  say(signal == SIGINT    ? "warpmem: interrupted\n"
      : signal == SIGTERM ? "warpmem: ended by SIGTERM\n"
                          : "warpmem: ended by SIGHUP\n");
  end_commands();
  remove_unfinished_outputs();
  remove_scratch_folders();
  _exit(status_of_signal(signal));
}

extern "C" void on_request(int signal) {
  if (g_asked != 0 && seconds() - g_asked_at >= kOneRequest) on_signal(signal);
  if (g_asked != 0) return;
  g_asked_at = seconds();
  g_asked = signal;
}

// `restart`: system calls that it finds waiting go on. Where the signal is only noted they end, so
// that nobody waits for a reader of standard output any longer.
void handle(int signal, void (*handler)(int), bool restart = true) {
  struct sigaction before {};
  if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  struct sigaction ours {};
  ours.sa_handler = handler;
  ours.sa_flags = restart ? SA_RESTART : 0;
  sigaction(signal, &ours, nullptr);
}

}  // namespace

void end_by(int signal) { handle(signal, on_signal); }

PoliteEnding::PoliteEnding() {
  g_asked = 0;
  for (const int signal : kSignals) handle(signal, on_request, false);
}

PoliteEnding::~PoliteEnding() {
  for (const int signal : kSignals) handle(signal, on_signal);
}

int signalled() { return g_asked; }

void flush_printed() {
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (g_asked == 0 || (poll(&out, 1, 0) == 1 && (out.revents & POLLOUT) != 0)) std::fflush(stdout);
  else __fpurge(stdout);
}

int status_of_signal(int signal) { return 128 + signal; }

}  // namespace warpmem::command
