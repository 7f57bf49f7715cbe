#include "traces/format/compression.hpp"

#include <zstd.h>

#include <memory>
#include <new>

namespace warpmem::trace {
namespace {

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// A context is some hundred KiB of tables: one per thread, not one per block.
ZSTD_CCtx* compression_context() {
  thread_local std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}
ZSTD_DCtx* decompression_context() {
  thread_local std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

}  // namespace

PackedBody compress(ByteSpan raw, int level) {
  PackedBody out;
  if (level > 0 && compression_context() != nullptr) {
    thread_local Bytes room;  // kept: fresh pages cost more than compressing into them
    if (room.size() < ZSTD_compressBound(raw.size())) room.resize(ZSTD_compressBound(raw.size()));
    const std::size_t size = ZSTD_compressCCtx(compression_context(), room.data(), room.size(),
                                               raw.data(), raw.size(), level);
    if (!ZSTD_isError(size) && size < raw.size()) {
      out.bytes.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(size));
      out.codec = Codec::kZstd;
      return out;
    }
  }
  out.bytes.assign(raw.begin(), raw.end());
  return out;
}

const char* decompress(Codec codec, ByteSpan body, std::size_t raw_bytes, Bytes& raw) {
  if (codec == Codec::kStored) {
    if (body.size() != raw_bytes) return "the stored body has another size than its header says";
    raw.resize(raw_bytes + kSlack);
    std::memcpy(raw.data(), body.data(), raw_bytes);
    return nullptr;
  }
  // Both sizes are read from the frame's own header before anything is allocated.
  if (ZSTD_getFrameContentSize(body.data(), body.size()) != raw_bytes) {
    return "the compressed body holds another number of bytes than its header says";
  }
  if (ZSTD_findFrameCompressedSize(body.data(), body.size()) != body.size()) {
    return "the compressed body is not exactly one frame";
  }
  if (decompression_context() == nullptr) throw std::bad_alloc();  // as raw.resize() does
  raw.resize(raw_bytes + kSlack);
  const std::size_t size =
      ZSTD_decompressDCtx(decompression_context(), raw.data(), raw_bytes, body.data(), body.size());
  if (ZSTD_isError(size) || size != raw_bytes) return "the compressed body does not decompress";
  return nullptr;
}

}  // namespace warpmem::trace
