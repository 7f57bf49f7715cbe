# Borders between rooms.
#
# An include names a file from the root of the repository: "model/cache/l1_cache.hpp". The root itself is on nobody's
# include path. Each room exports a root of its own in the build folder, build/roots/ROOM, in which there is a
# link to that room's folder and nothing else. So a file can include what its target links, and an include of
# another room does not compile (tests/borders).

# warpmem_exports(TARGET PUBLIC|PRIVATE|INTERFACE FOLDER…): who links TARGET may include what is in FOLDER.
function(warpmem_exports target visibility)
  foreach(folder IN LISTS ARGN)
    string(REPLACE / - name ${folder})
    set(root ${PROJECT_BINARY_DIR}/roots/${name})
    get_filename_component(parent ${root}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/${folder} ${root}/${folder} SYMBOLIC)
    target_include_directories(${target} ${visibility} ${root})
  endforeach()
endfunction()
