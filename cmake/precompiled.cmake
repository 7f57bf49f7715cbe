# Headers of the standard library, of fmt and of Catch2 are a third of the time that the build takes. They are
# compiled once for the rooms and once for the tests. A file still includes what it names: without this everything
# builds as well.
option(WARPMEM_PRECOMPILED "Compile the headers that most files include once" ON)

# By name in angle brackets, so that the header is the same in every checkout, and a compiler cache shares it.
set(warpmem_common_headers
  <algorithm> <array> <charconv> <cstdint> <filesystem> <fstream> <functional> <map> <memory> <optional> <set> <span>
  <sstream> <string> <string_view> <tuple> <unordered_map> <unordered_set> <utility> <variant> <vector> <fmt/format.h>)

# warpmem_precompiled(TARGET [AND HEADER…]) compiles them for TARGET, and others with them.
# warpmem_precompiled(TARGET FROM OTHER) takes OTHER's, which must have the same options.
function(warpmem_precompiled target)
  if(NOT WARPMEM_PRECOMPILED)
    return()
  endif()
  target_link_libraries(${target} PRIVATE fmt::fmt)  # its definitions are part of the header
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "FROM" "AND")
  if(arg_FROM)
    target_precompile_headers(${target} REUSE_FROM ${arg_FROM})
  else()
    target_precompile_headers(${target} PRIVATE ${warpmem_common_headers} ${arg_AND})
  endif()
endfunction()
