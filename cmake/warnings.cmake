# Applied to our own targets only, through warpmem_warnings(target).
function(warpmem_warnings target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    -Wno-sign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 warns about std::string's own copies (its bugs 105651 and 105329).
    target_compile_options(${target} PRIVATE -Wno-restrict -Wno-stringop-overflow
      -Wno-array-bounds)
  endif()
endfunction()
