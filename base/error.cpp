#include "base/error.hpp"

namespace warpmem {

int exit_status(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCheckFailed: return 1;
    case ErrorKind::kUsage: return 2;
    case ErrorKind::kMalformed: return 3;
    case ErrorKind::kIncomplete: return 4;
    case ErrorKind::kResources: return 5;
    case ErrorKind::kEnvironment: return 6;
    case ErrorKind::kInternal: return 70;
    case ErrorKind::kInterrupted: return 130;
  }
  return 70;
}

std::string Error::text() const {
  std::string out = place.empty() ? message : place + ": " + message;
  if (!fix.empty()) out += "\n  fix: " + fix;
  return out;
}

}  // namespace warpmem
