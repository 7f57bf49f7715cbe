// Copies and fills of memory, with and without streams; symbols.
#include <cstring>

#include "emulate/cudart/alias.hpp"
#include "emulate/cudart/graph.hpp"

using namespace warpmem;
using namespace warpmem::cudart;

namespace {

// A copy without a stream waits; one with a stream runs in its turn.
template <class What>
Code give(Stream* handle, bool waits, What&& make) {
  return api([&](Runtime& r) {
    Stream* stream = r.stream(handle);
    if (!stream) return kInvalidResourceHandle;
    auto what = make(r);
    if (!what.first) return what.second;
    if (const Code code = check(r, *what.first); code != kSuccess) return code;
    if (waits && stream->capture) return stream->capture->invalid = true, kCaptureUnsupported;
    const bool brought = host_brings(r, *what.first);
    const Code code = submit(r, *stream, std::move(*what.first));
    if (waits && code == kSuccess) {
      if (!brought) r.wait(stream->last);
      r.flush_printed();
    }
    return r.sticky != kSuccess ? r.sticky : code;
  });
}

using MaybeCopy = std::pair<std::optional<Copy>, Code>;
using MaybeFill = std::pair<std::optional<Fill>, Code>;

Code copy(Stream* stream, bool waits, const Copy& what) {
  return give(stream, waits, [&](Runtime&) { return MaybeCopy{what, kSuccess}; });
}

Copy copy_2d(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
             std::size_t width, std::size_t height, CopyKind kind) {
  Copy c = flat_copy(to, from, width, kind);
  c.height = height;
  c.to.pitch = to_pitch, c.from.pitch = from_pitch;
  return c;
}

Code copy_3d(const Copy3D* p, Stream* stream, bool waits) {
  if (!p || (!p->source_array && !p->source.pointer) || (!p->target_array && !p->target.pointer))
    return remember(kInvalidValue);
  if (p->source_array && p->source.pointer) return remember(kInvalidValue);
  if (p->target_array && p->target.pointer) return remember(kInvalidValue);
  return copy(stream, waits, copy_of(*p));
}

Code copy_peer(const Copy3DPeer* p, Stream* stream, bool waits) {
  if (!p) return remember(kInvalidValue);
  const Copy3D same{p->source_array,    p->source_position, p->source, p->target_array,
                    p->target_position, p->target,          p->extent, kCopyDefault};
  return copy_3d(&same, stream, waits);
}

Code fill(Stream* stream, bool waits, void* to, std::size_t pitch, std::size_t rows, int value,
          std::size_t width, std::size_t height, std::size_t depth) {
  return give(stream, waits, [&](Runtime&) {
    Fill f;
    f.pointer = static_cast<std::byte*>(to), f.pitch = pitch, f.rows = rows, f.width = width,
    f.height = height, f.depth = depth;
    f.value = static_cast<unsigned>(value) & 255;
    return MaybeFill{f, kSuccess};
  });
}

Code symbol_address(Runtime& r, const void* symbol, std::uint64_t& address, std::size_t& bytes) {
  Symbol* s = Runtime::registry().find_symbol(symbol);
  if (!s) return kInvalidSymbol;
  auto at = Runtime::registry().locate(*s, r.memory, r.device().cc());
  if (!at) {
    if (!s->module->told) r.session.note_error(at.error());
    s->module->told = true;
    return kInvalidSymbol;
  }
  address = at->address, bytes = at->bytes;
  return kSuccess;
}

Code copy_symbol(Stream* stream, bool waits, const void* symbol, void* other, std::size_t count,
                 std::size_t offset, CopyKind kind, bool to_symbol) {
  return give(stream, waits, [&](Runtime& r) {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    if (const Code code = symbol_address(r, symbol, address, bytes); code != kSuccess)
      return MaybeCopy{std::nullopt, code};
    if (offset > bytes || count > bytes - offset) return MaybeCopy{std::nullopt, kInvalidValue};
    void* at = reinterpret_cast<void*>(address + offset);
    return MaybeCopy{
        to_symbol ? flat_copy(at, other, count, kind) : flat_copy(other, at, count, kind),
        kSuccess};
  });
}

// Arrays: x in bytes, y in rows.
Side in_array(const Array* array, std::size_t x, std::size_t y) {
  Side side;
  side.array = const_cast<Array*>(array);
  side.at = {x, y, 0};
  return side;
}

Copy with_array(const Array* array, std::size_t x, std::size_t y, void* memory, std::size_t pitch,
                std::size_t width, std::size_t height, CopyKind kind, bool to_array) {
  Copy c = copy_2d(memory, pitch, memory, pitch, width, height, kind);
  (to_array ? c.to : c.from) = in_array(array, x, y);
  return c;
}

// The old calls that go on in the next row: `count` bytes from (x, y) on.
Code flat_array(const Array* array, std::size_t x, std::size_t y, void* memory, std::size_t count,
                CopyKind kind, Stream* stream, bool waits, bool to_array) {
  if (!array || array->texel() == 0) return remember(kInvalidValue);
  const std::size_t row = array->extent.width * array->texel();
  auto* at = static_cast<std::byte*>(memory);
  while (count > 0) {
    if (x >= row) return remember(kInvalidValue);
    const bool whole = x == 0 && count >= row;
    const std::size_t rows = whole ? count / row : 1,
                      width = whole ? row : std::min(count, row - x);
    if (const Code code =
            copy(stream, waits, with_array(array, x, y, at, width, width, rows, kind, to_array));
        code != kSuccess)
      return code;
    at += width * rows, count -= width * rows, y += rows, x = 0;
  }
  return kSuccess;
}

void* plain(const void* p) { return const_cast<void*>(p); }

}  // namespace

extern "C" {

int cudaMemcpy(void* to, const void* from, std::size_t bytes, CopyKind kind) {
  return copy(nullptr, true, flat_copy(to, from, bytes, kind));
}
int cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, CopyKind kind, Stream* s) {
  return copy(s, false, flat_copy(to, from, bytes, kind));
}
int cudaMemcpyPeer(void* to, int, const void* from, int, std::size_t bytes) {
  return copy(nullptr, true, flat_copy(to, from, bytes, kCopyDefault));
}
int cudaMemcpyPeerAsync(void* to, int, const void* from, int, std::size_t bytes, Stream* s) {
  return copy(s, false, flat_copy(to, from, bytes, kCopyDefault));
}
int cudaMemcpy2D(void* to, std::size_t tp, const void* from, std::size_t fp, std::size_t w,
                 std::size_t h, CopyKind kind) {
  return copy(nullptr, true, copy_2d(to, tp, from, fp, w, h, kind));
}
int cudaMemcpy2DAsync(void* to, std::size_t tp, const void* from, std::size_t fp, std::size_t w,
                      std::size_t h, CopyKind kind, Stream* s) {
  return copy(s, false, copy_2d(to, tp, from, fp, w, h, kind));
}
int cudaMemcpy3D(const Copy3D* p) { return copy_3d(p, nullptr, true); }
int cudaMemcpy3DAsync(const Copy3D* p, Stream* s) { return copy_3d(p, s, false); }
int cudaMemcpy3DPeer(const Copy3DPeer* p) { return copy_peer(p, nullptr, true); }
int cudaMemcpy3DPeerAsync(const Copy3DPeer* p, Stream* s) { return copy_peer(p, s, false); }

int cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t n, std::size_t offset,
                       CopyKind kind) {
  return copy_symbol(nullptr, true, symbol, plain(from), n, offset, kind, true);
}
int cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t n, std::size_t offset,
                            CopyKind kind, Stream* s) {
  return copy_symbol(s, false, symbol, plain(from), n, offset, kind, true);
}
int cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t n, std::size_t offset,
                         CopyKind kind) {
  return copy_symbol(nullptr, true, symbol, to, n, offset, kind, false);
}
int cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t n, std::size_t offset,
                              CopyKind kind, Stream* s) {
  return copy_symbol(s, false, symbol, to, n, offset, kind, false);
}
int cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return api([&](Runtime& r) {
    std::uint64_t address = 0;
    std::size_t bytes = 0;
    if (!pointer) return kInvalidValue;
    if (const Code code = symbol_address(r, symbol, address, bytes); code != kSuccess) return code;
    *pointer = reinterpret_cast<void*>(address);
    return kSuccess;
  });
}
int cudaGetSymbolSize(std::size_t* bytes, const void* symbol) {
  return api([&](Runtime& r) {
    std::uint64_t address = 0;
    if (!bytes) return kInvalidValue;
    return symbol_address(r, symbol, address, *bytes);
  });
}

int cudaMemcpy2DToArray(Array* to, std::size_t x, std::size_t y, const void* from,
                        std::size_t pitch, std::size_t w, std::size_t h, CopyKind kind) {
  return copy(nullptr, true, with_array(to, x, y, plain(from), pitch, w, h, kind, true));
}
int cudaMemcpy2DToArrayAsync(Array* to, std::size_t x, std::size_t y, const void* from,
                             std::size_t pitch, std::size_t w, std::size_t h, CopyKind kind,
                             Stream* s) {
  return copy(s, false, with_array(to, x, y, plain(from), pitch, w, h, kind, true));
}
int cudaMemcpy2DFromArray(void* to, std::size_t pitch, const Array* from, std::size_t x,
                          std::size_t y, std::size_t w, std::size_t h, CopyKind kind) {
  return copy(nullptr, true, with_array(from, x, y, to, pitch, w, h, kind, false));
}
int cudaMemcpy2DFromArrayAsync(void* to, std::size_t pitch, const Array* from, std::size_t x,
                               std::size_t y, std::size_t w, std::size_t h, CopyKind kind,
                               Stream* s) {
  return copy(s, false, with_array(from, x, y, to, pitch, w, h, kind, false));
}
int cudaMemcpy2DArrayToArray(Array* to, std::size_t tx, std::size_t ty, const Array* from,
                             std::size_t fx, std::size_t fy, std::size_t w, std::size_t h,
                             CopyKind kind) {
  Copy c;
  c.to = in_array(to, tx, ty), c.from = in_array(from, fx, fy);
  c.width = w, c.height = h, c.kind = kind;
  return copy(nullptr, true, c);
}
int cudaMemcpyToArray(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t n,
                      CopyKind kind) {
  return flat_array(to, x, y, plain(from), n, kind, nullptr, true, true);
}
int cudaMemcpyToArrayAsync(Array* to, std::size_t x, std::size_t y, const void* from, std::size_t n,
                           CopyKind kind, Stream* s) {
  return flat_array(to, x, y, plain(from), n, kind, s, false, true);
}
int cudaMemcpyFromArray(void* to, const Array* from, std::size_t x, std::size_t y, std::size_t n,
                        CopyKind kind) {
  return flat_array(from, x, y, to, n, kind, nullptr, true, false);
}
int cudaMemcpyFromArrayAsync(void* to, const Array* from, std::size_t x, std::size_t y,
                             std::size_t n, CopyKind kind, Stream* s) {
  return flat_array(from, x, y, to, n, kind, s, false, false);
}

int cudaMemset(void* to, int value, std::size_t n) {
  return fill(nullptr, true, to, n, 1, value, n, 1, 1);
}
int cudaMemsetAsync(void* to, int value, std::size_t n, Stream* s) {
  return fill(s, false, to, n, 1, value, n, 1, 1);
}
int cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t w, std::size_t h) {
  return fill(nullptr, true, to, pitch, h, value, w, h, 1);
}
int cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t w, std::size_t h,
                      Stream* s) {
  return fill(s, false, to, pitch, h, value, w, h, 1);
}
int cudaMemset3D(PitchedPointer to, int value, Extent e) {
  return fill(nullptr, true, to.pointer, to.pitch, to.ysize, value, e.width, e.height, e.depth);
}
int cudaMemset3DAsync(PitchedPointer to, int value, Extent e, Stream* s) {
  return fill(s, false, to.pointer, to.pitch, to.ysize, value, e.width, e.height, e.depth);
}

}  // extern "C"

WARPMEM_ALIAS(cudaMemcpy_ptds, cudaMemcpy);
WARPMEM_ALIAS(cudaMemcpy2D_ptds, cudaMemcpy2D);
WARPMEM_ALIAS(cudaMemcpy2DArrayToArray_ptds, cudaMemcpy2DArrayToArray);
WARPMEM_ALIAS(cudaMemcpy2DAsync_ptsz, cudaMemcpy2DAsync);
WARPMEM_ALIAS(cudaMemcpy2DFromArray_ptds, cudaMemcpy2DFromArray);
WARPMEM_ALIAS(cudaMemcpy2DFromArrayAsync_ptsz, cudaMemcpy2DFromArrayAsync);
WARPMEM_ALIAS(cudaMemcpy2DToArray_ptds, cudaMemcpy2DToArray);
WARPMEM_ALIAS(cudaMemcpy2DToArrayAsync_ptsz, cudaMemcpy2DToArrayAsync);
WARPMEM_ALIAS(cudaMemcpy3D_ptds, cudaMemcpy3D);
WARPMEM_ALIAS(cudaMemcpy3DAsync_ptsz, cudaMemcpy3DAsync);
WARPMEM_ALIAS(cudaMemcpy3DPeer_ptds, cudaMemcpy3DPeer);
WARPMEM_ALIAS(cudaMemcpy3DPeerAsync_ptsz, cudaMemcpy3DPeerAsync);
WARPMEM_ALIAS(cudaMemcpyAsync_ptsz, cudaMemcpyAsync);
WARPMEM_ALIAS(cudaMemcpyFromArray_ptds, cudaMemcpyFromArray);
WARPMEM_ALIAS(cudaMemcpyFromArrayAsync_ptsz, cudaMemcpyFromArrayAsync);
WARPMEM_ALIAS(cudaMemcpyFromSymbol_ptds, cudaMemcpyFromSymbol);
WARPMEM_ALIAS(cudaMemcpyFromSymbolAsync_ptsz, cudaMemcpyFromSymbolAsync);
WARPMEM_ALIAS(cudaMemcpyToArray_ptds, cudaMemcpyToArray);
WARPMEM_ALIAS(cudaMemcpyToArrayAsync_ptsz, cudaMemcpyToArrayAsync);
WARPMEM_ALIAS(cudaMemcpyToSymbol_ptds, cudaMemcpyToSymbol);
WARPMEM_ALIAS(cudaMemcpyToSymbolAsync_ptsz, cudaMemcpyToSymbolAsync);
WARPMEM_ALIAS(cudaMemset_ptds, cudaMemset);
WARPMEM_ALIAS(cudaMemset2D_ptds, cudaMemset2D);
WARPMEM_ALIAS(cudaMemset2DAsync_ptsz, cudaMemset2DAsync);
WARPMEM_ALIAS(cudaMemset3D_ptds, cudaMemset3D);
WARPMEM_ALIAS(cudaMemset3DAsync_ptsz, cudaMemset3DAsync);
WARPMEM_ALIAS(cudaMemsetAsync_ptsz, cudaMemsetAsync);
