# Headers of the standard library, of fmt and of Catch2 are a third of the time that the build takes. They are
# compiled twice, once for the rooms and once for the tests.
option(WARPMEM_PRECOMPILED "Compile the headers that most files include once" ON)

# warpmem_precompiled(TARGET [FROM OTHER]): compiles cmake/precompiled.hpp for TARGET, or takes OTHER's, which must
# have the same options.
function(warpmem_precompiled target)
  if(NOT WARPMEM_PRECOMPILED)
    return()
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt)  # its definitions are part of the header
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM" "AND")
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp ${arg_AND})
  endif()
endfunction()
