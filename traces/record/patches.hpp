// The compiled patches.cu, as sanitizerAddPatches takes it.
#pragma once

namespace warpmem::record {

const void* patches_image();

}  // namespace warpmem::record
