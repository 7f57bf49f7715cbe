// What kind of error an errno is.
#pragma once

#include "base/error.hpp"

namespace warpmem {

// kResources when it says that the system has run out of something (disk, memory, threads, open
// files), otherwise `otherwise`.
ErrorKind kind_of(int code, ErrorKind otherwise);

}  // namespace warpmem
