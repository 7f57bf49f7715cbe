#include "sim/explain/site_names.hpp"

#include <algorithm>
#include <string>

namespace warpmem::sim {
namespace {

// A line of CUDA's headers is nobody's: a function that the compiler has put into the kernel.
bool is_cuda_header(const std::string& file) {
  return file.find("/include/") != std::string::npos &&
         (file.ends_with(".h") || file.ends_with(".hpp") || file.ends_with(".cuh"));
}

}  // namespace

const char* op_word(trace::Op op) {
  switch (op) {
    case trace::Op::kLoad: return "load";
    case trace::Op::kStore: return "store";
    case trace::Op::kAtomic: return "atomic";
    case trace::Op::kReduction: return "reduction";
    case trace::Op::kAsyncCopyRead: return "async read";
    case trace::Op::kAsyncCopyWrite: return "async write";
    case trace::Op::kMatrixLoad: return "matrix load";
    case trace::Op::kMatrixStore: return "matrix store";
    case trace::Op::kBulkRead: return "bulk load";
    case trace::Op::kBulkWrite: return "bulk store";
    case trace::Op::kBulkReduction: return "bulk reduction";
    case trace::Op::kProductRead: return "product's read";
    case trace::Op::kPrefetch: return "prefetch";
    default: return "access";
  }
}

const char* space_word(trace::Space space) {
  switch (space) {
    case trace::Space::kGlobal: return "global";
    case trace::Space::kShared: return "shared";
    case trace::Space::kLocal: return "local";
    case trace::Space::kConstant: return "constant";
    case trace::Space::kTexture: return "texture";
    case trace::Space::kSurface: return "surface";
    case trace::Space::kRemoteShared: return "remote shared";
    default: return "other";
  }
}

const trace::Instruction* instruction_at(const trace::Program& program, std::uint32_t pc) {
  const auto at =
      std::lower_bound(program.code.begin(), program.code.end(), pc,
                       [](const trace::Instruction& i, std::uint32_t p) { return i.pc < p; });
  return at != program.code.end() && at->pc == pc ? &*at : nullptr;
}

const trace::Instruction* charged_to(const trace::Program& program, const trace::Instruction* at) {
  const auto own = [&](const trace::Instruction& i) {
    return i.line != 0 && i.file < program.files.size() && !is_cuda_header(program.files[i.file]);
  };
  if (!at || own(*at)) return at;
  const auto here = static_cast<std::size_t>(at - program.code.data());
  for (std::size_t i = here; i-- > 0;)
    if (own(program.code[i])) return &program.code[i];
  for (std::size_t i = here; i < program.code.size(); ++i)
    if (own(program.code[i])) return &program.code[i];
  return at;
}

}  // namespace warpmem::sim
