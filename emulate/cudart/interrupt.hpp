// Ends that are no exit(): signals, abort, _exit. The trace is sealed where that is possible.
#pragma once

namespace warpmem::cudart {

struct Runtime;

// Handles SIGINT, SIGTERM, SIGHUP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE and SIGILL where the program
// has left them alone: what is traced is sealed, then the signal takes its course.
void watch_signals(Runtime& runtime);

// Ctrl-C was pressed while a kernel runs: the executor stops at its next look.
bool interrupted();
void set_kernel_running(bool running);

// The kernel has been stopped by Ctrl-C: seals, and ends the process by the signal.
[[noreturn]] void end_by_interrupt();

void end_process_now();  // seals; the process is about to end

}  // namespace warpmem::cudart
