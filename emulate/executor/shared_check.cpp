#include "emulate/executor/shared_check.hpp"

namespace warpmem::emulate {

std::optional<Finding> SharedCheck::touch(Touch how, std::uint32_t offset, std::uint32_t count,
                                          std::uint32_t warp, std::uint32_t pc) {
  std::optional<Finding> found;
  const auto note = [&](Finding::What what, std::uint32_t at, std::uint32_t other,
                        std::uint32_t other_pc) {
    if (!found) found = Finding{what, at, other, other_pc};
  };
  for (std::uint32_t i = offset; i < offset + count && i < bytes_.size(); ++i) {
    Byte& b = bytes_[i];
    const bool written_now = b.write_interval == interval_ && b.writer != warp,
               read_now = b.read_interval == interval_ && b.reader != warp;
    if (how == Touch::kRead) {
      if (!b.written) note(Finding::What::kUninitialised, i, warp, 0);
      else if (written_now) note(Finding::What::kReadAfterWrite, i, b.writer, b.write_pc);
      b.reader = static_cast<std::uint16_t>(warp), b.read_interval = interval_, b.read_pc = pc;
      continue;
    }
    if (how == Touch::kWrite) {
      if (written_now) note(Finding::What::kWriteAfterWrite, i, b.writer, b.write_pc);
      else if (read_now) note(Finding::What::kWriteAfterRead, i, b.reader, b.read_pc);
      b.writer = static_cast<std::uint16_t>(warp), b.write_interval = interval_, b.write_pc = pc;
    }
    b.written = true;
  }
  return found;
}

}  // namespace warpmem::emulate
