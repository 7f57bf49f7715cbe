// A file of model/ that is built into the library, so that the command needs no files beside it.
#pragma once

namespace warpmem::model {

struct EmbeddedText {
  const char* name;  // the file's, without folder and ending
  const char* text;
};

}  // namespace warpmem::model
