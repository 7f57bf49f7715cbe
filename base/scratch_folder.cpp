#include "base/scratch_folder.hpp"

#include <cstdlib>
#include <filesystem>

namespace warpmem {

Result<ScratchFolder> ScratchFolder::create() {
  std::error_code failed;
  const std::filesystem::path place = std::filesystem::temp_directory_path(failed);
  std::string name = (failed ? std::filesystem::path("/tmp") : place) / "warpmem-XXXXXX";
  if (!::mkdtemp(name.data()))
    return Error{ErrorKind::kResources, "no temporary folder can be made", name,
                 "set TMPDIR to a folder that can be written to"};
  return ScratchFolder(name);
}

ScratchFolder::~ScratchFolder() {
  std::error_code gone;
  if (!path_.empty()) std::filesystem::remove_all(path_, gone);
}

}  // namespace warpmem
