# Writes OUTPUT, a header with the text of every file in FILES as a raw string: the array NAME of
# EmbeddedText, sorted by name.
set(body "// Generated from the .toml files of model/.\n#pragma once\n\n")
string(APPEND body "#include \"model/card/embedded_text.hpp\"\n\nnamespace warpmem::model {\n\n")
string(APPEND body "inline constexpr EmbeddedText ${NAME}[] = {\n")
list(SORT FILES)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(APPEND body "    {\"${name}\", R\"text(${text})text\"},\n")
endforeach()
string(APPEND body "};\n\n}  // namespace warpmem::model\n")
file(WRITE ${OUTPUT} "${body}")
