#include "base/errno_kind.hpp"

#include <cerrno>

namespace warpmem {

ErrorKind kind_of(int code, ErrorKind otherwise) {
  switch (code) {
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EFBIG:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EAGAIN: return ErrorKind::kResources;
    default: return otherwise;
  }
}

}  // namespace warpmem
