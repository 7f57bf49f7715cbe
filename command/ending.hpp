// How SIGINT, SIGTERM and SIGHUP end the command: a line on stderr, nothing half written, and the
// status that the shell expects.
#pragma once

namespace warpmem::command {

// The signal ends the process at once, from inside the handler. A signal that is ignored already
// (nohup) stays so.
void end_by(int signal);

// While one of these lives, the first signal only asks (signalled()), so that a kernel can stop and
// its trace be closed; a second one, after a while, ends the process as end_by does.
class PoliteEnding {
 public:
  PoliteEnding();
  ~PoliteEnding();
  PoliteEnding(const PoliteEnding&) = delete;
  PoliteEnding& operator=(const PoliteEnding&) = delete;
};
int signalled();  // the signal that asked; 0: none

// 130 for SIGINT, 128 + n for the others.
// What was printed goes to standard output; after a signal only if somebody takes it.
void flush_printed();

int status_of_signal(int signal);

}  // namespace warpmem::command
