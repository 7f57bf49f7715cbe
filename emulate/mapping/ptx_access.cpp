#include "emulate/mapping/ptx_access.hpp"

namespace warpmem::emulate {
namespace {

using trace::InstructionKind;
using Sort = PtxAccess::Sort;

}  // namespace

PtxAccess access_of(const Code& code, const Inst& in) {
  switch (in.kind) {
    case Kind::kAccess: {
      const Access& a = code.accesses[in.extra];
      const Sort sort = a.op == trace::Op::kLoad       ? Sort::kLoad
                        : a.op == trace::Op::kStore    ? Sort::kStore
                        : a.op == trace::Op::kPrefetch ? Sort::kPrefetch
                                                       : Sort::kAtomic;
      return {a.space == Space::kParam ? Sort::kNone : sort, a.space, a.bytes()};
    }
    case Kind::kAsyncStore: {
      const Access& a = code.accesses[in.extra];
      return {a.op == trace::Op::kStore ? Sort::kStore : Sort::kAtomic, Space::kShared, a.bytes()};
    }
    case Kind::kAsyncCopy: return {Sort::kAsync, Space::kGlobal, 0};
    case Kind::kMatrixLoad: return {Sort::kMatrixLoad, Space::kShared, 0};
    case Kind::kMatrixStore: return {Sort::kMatrixStore, Space::kShared, 0};
    case Kind::kFragment: return {Sort::kFragment, Space::kGeneric, 0};
    case Kind::kTexture:
      if (code.textures[in.extra].what == TextureAccess::What::kQuery) return {};
      return {Sort::kTexture, Space::kTexture, 0};
    case Kind::kBulkCopy:
      if (in.sub == kBulkPrefetch) return {Sort::kPrefetch, Space::kGlobal, 0};
      return {Sort::kBulk, Space::kGlobal, 0};
    case Kind::kTensorCopy: return {Sort::kBulk, Space::kGlobal, 0};
    case Kind::kBarrier:
    case Kind::kBarrierArrive:
    case Kind::kBarrierReduce: return {Sort::kBarrier, Space::kGeneric, 0};
    default: return {};
  }
}

bool leaves_record(const trace::SassInstruction& in) {
  if (in.guard.when == trace::Guard::When::kNever) return false;
  return in.is_memory() ||
         (in.kind == InstructionKind::kBarrier && in.opcode == trace::Opcode::kBAR);
}

bool could_be(const PtxAccess& ptx, const trace::SassInstruction& in) {
  const auto space = [&] {
    if (in.generic || ptx.space == Space::kGeneric) return true;
    switch (ptx.space) {
      case Space::kGlobal: return in.space == trace::Space::kGlobal;
      case Space::kShared:
        return in.space == trace::Space::kShared || in.space == trace::Space::kRemoteShared;
      case Space::kLocal: return in.space == trace::Space::kLocal;
      default: return false;
    }
  };
  switch (ptx.sort) {
    case Sort::kLoad: return in.kind == InstructionKind::kLoad && space();
    case Sort::kStore: return in.kind == InstructionKind::kStore && space();
    case Sort::kAtomic:
      return (in.kind == InstructionKind::kAtomic || in.kind == InstructionKind::kReduction) &&
             space();
    case Sort::kAsync: return in.kind == InstructionKind::kAsyncCopy;
    case Sort::kMatrixLoad: return in.kind == InstructionKind::kMatrixLoad;
    case Sort::kMatrixStore: return in.kind == InstructionKind::kMatrixStore;
    case Sort::kFragment:
      return in.kind == InstructionKind::kLoad || in.kind == InstructionKind::kStore ||
             in.kind == InstructionKind::kMatrixLoad;
    case Sort::kTexture:
      return in.space == trace::Space::kTexture || in.space == trace::Space::kSurface;
    case Sort::kBulk:
      return in.kind == InstructionKind::kBulkCopy || in.kind == InstructionKind::kBulkReduction;
    case Sort::kBarrier: return in.kind == InstructionKind::kBarrier;
    case Sort::kPrefetch:
      return in.kind == InstructionKind::kPrefetch || in.opcode == trace::Opcode::kCCTL;
    case Sort::kNone: return false;
  }
  return false;
}

}  // namespace warpmem::emulate
