# Files of a folder share most of what they include. ./demo and ./check compile eight of them as one, which takes a
# third of the time; names in the unnamed namespaces of one folder must then differ. Who changes one file again and
# again builds with -DWARPMEM_UNITY=OFF.
option(WARPMEM_UNITY "Compile eight files of a folder as one" OFF)
set(warpmem_unity_files 8)

# Folders of small files that are alike and use the same names, as the rows of a table do: each is compiled by itself.
set(warpmem_apart model/access/rule model/cache/allocate model/cache/index model/cache/replacement model/cache/write
  model/card/fields model/shared/rule emulate/sass)

# Rooms whose folders are small: their files are compiled together across folders.
set(warpmem_together command)

# warpmem_unity(TARGET): stands behind all that adds sources to TARGET.
function(warpmem_unity target)
  if(NOT WARPMEM_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  list(SORT sources)
  set(count 0)
  set(last)
  foreach(source IN LISTS sources)
    get_filename_component(path ${source} ABSOLUTE)
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${path})
    get_filename_component(folder "${path}" DIRECTORY)
    if(folder IN_LIST warpmem_apart OR path MATCHES "^\\.\\.")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      continue()
    endif()
    string(REGEX MATCH "^[^/]+" room "${folder}")
    if(room IN_LIST warpmem_together)
      set(folder ${room})
    endif()
    if(NOT folder STREQUAL last)
      set(count 0)
      set(last ${folder})
    endif()
    math(EXPR group "${count} / ${warpmem_unity_files}")
    math(EXPR count "${count} + 1")
    string(MAKE_C_IDENTIFIER "${folder}_${group}" name)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # To GCC a source that another one includes looks like a header, in which such a type would be a mistake.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
endfunction()
