#include "emulate/cudart/kept_elsewhere.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "binary/cubin/cubin.hpp"
#include "emulate/cudart/registry.hpp"

namespace warpmem::cudart {
namespace fs = std::filesystem;

std::optional<std::string> ptx_beside(std::span<const unsigned char> cubin) {
  const char* const folder = std::getenv("WARPMEM_EMULATE_PTX_FOLDER");
  const auto parsed = folder ? record::parse_cubin(cubin) : Result<record::Cubin>(record::Cubin{});
  if (!folder || !parsed) return std::nullopt;
  std::error_code none;
  for (const fs::directory_entry& file : fs::recursive_directory_iterator(folder, none)) {
    if (file.path().extension() != ".ptx") continue;
    std::ifstream in(file.path(), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    text = text.c_str();  // some end with a zero
    bool any = false;
    const bool all = std::ranges::all_of(parsed->functions, [&](const record::CubinFunction& f) {
      any |= f.kernel;
      return !f.kernel || defines_kernel(text, f.name);
    });
    if (any && all) return text;
  }
  return std::nullopt;
}

}  // namespace warpmem::cudart
