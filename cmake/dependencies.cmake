# System packages first; elsewhere a pinned download with its hash (CMake's FetchContent).
# cmake/debian-packages.txt has Debian's names.
include(FetchContent)
find_package(Threads REQUIRED)
find_package(PkgConfig)

FetchContent_Declare(fmt
  URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz
  URL_HASH SHA256=5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2
  FIND_PACKAGE_ARGS)
FetchContent_Declare(CLI11
  URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.1.2.tar.gz
  URL_HASH SHA256=26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb
  FIND_PACKAGE_ARGS)
FetchContent_Declare(Catch2
  URL https://github.com/catchorg/Catch2/archive/refs/tags/v2.13.10.tar.gz
  URL_HASH SHA256=d54a712b7b1d7708bc7a819a8e6e47b2fde9536f487b89ccbca295072a7d9943
  FIND_PACKAGE_ARGS)
FetchContent_Declare(zstd
  URL https://github.com/facebook/zstd/releases/download/v1.5.4/zstd-1.5.4.tar.gz
  URL_HASH SHA256=0f470992aedad543126d06efab344dc5f3e171893810455787d38347343a4424
  SOURCE_SUBDIR build/cmake)
FetchContent_Declare(lz4
  URL https://github.com/lz4/lz4/archive/refs/tags/v1.9.4.tar.gz
  URL_HASH SHA256=0b0e3aa07c8c063ddf40b082bdf7e37a1562bda40a0ff5272957f3e987e0e54b
  SOURCE_SUBDIR build/cmake)
FetchContent_Declare(xxhash
  URL https://github.com/Cyan4973/xxHash/archive/refs/tags/v0.8.1.tar.gz
  URL_HASH SHA256=3bb6b7d6f30c591dd65aaaff1c8b7a5b94d81687998ca9400082c739a690436c
  SOURCE_SUBDIR cmake_unofficial)
FetchContent_Declare(tomlplusplus
  URL https://github.com/marzer/tomlplusplus/archive/refs/tags/v3.3.0.tar.gz
  URL_HASH SHA256=fc1a5eb410f3c67e90e5ad1264a1386d020067cfb01b633cc8c0441789aa6cf2)

# What the downloads would otherwise build beside the library.
set(ZSTD_BUILD_PROGRAMS OFF CACHE INTERNAL "")
set(ZSTD_BUILD_SHARED OFF CACHE INTERNAL "")
set(XXHASH_BUILD_XXHSUM OFF CACHE INTERNAL "")
set(LZ4_BUILD_CLI OFF CACHE INTERNAL "")
set(LZ4_BUILD_LEGACY_LZ4C OFF CACHE INTERNAL "")
set(LZ4_POSITION_INDEPENDENT_LIB ON CACHE INTERNAL "")

FetchContent_MakeAvailable(fmt CLI11)

# A command that runs on other systems than this one brings its libraries: those of archives where there are some, and
# fmt as headers.
option(WARPMEM_STATIC "Link libraries that are no part of every system into the command" OFF)
if(WARPMEM_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a ${CMAKE_FIND_LIBRARY_SUFFIXES})
  add_link_options(-static-libgcc -static-libstdc++)
  get_target_property(kind fmt::fmt TYPE)
  if(kind STREQUAL SHARED_LIBRARY)
    add_library(warpmem_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt_archive.cpp)
    target_include_directories(warpmem_fmt SYSTEM PRIVATE $<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>)
    set_target_properties(warpmem_fmt PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    get_target_property(kinds fmt::fmt IMPORTED_CONFIGURATIONS)
    foreach(kind IN LISTS kinds)
      set_target_properties(fmt::fmt PROPERTIES IMPORTED_LOCATION_${kind} ${PROJECT_BINARY_DIR}/libwarpmem_fmt.a)
      set_property(TARGET fmt::fmt PROPERTY IMPORTED_SONAME_${kind})
    endforeach()
    set_target_properties(fmt::fmt PROPERTIES IMPORTED_NO_SONAME ON)
    add_dependencies(fmt::fmt warpmem_fmt)
  endif()
endif()

# warpmem_pkg_library(TARGET MODULE DOWNLOADED): an interface target on the pkg-config module, or
# on the CMake target that the download of the same name defines.
function(warpmem_pkg_library target module downloaded)
  if(PkgConfig_FOUND)
    pkg_check_modules(${target} QUIET IMPORTED_TARGET ${module})
  endif()
  if(NOT ${target}_FOUND)
    message(STATUS "${module} is not installed: downloading it")
    FetchContent_MakeAvailable(${target})
    add_library(PkgConfig::${target} ALIAS ${downloaded})
  endif()
endfunction()
warpmem_pkg_library(zstd libzstd libzstd_static)
warpmem_pkg_library(xxhash libxxhash xxhash)
warpmem_pkg_library(lz4 liblz4 lz4_static)

find_path(TOMLPLUSPLUS_INCLUDE_DIR toml++/toml.h)
if(NOT TOMLPLUSPLUS_INCLUDE_DIR)
  FetchContent_MakeAvailable(tomlplusplus)
  set(TOMLPLUSPLUS_INCLUDE_DIR ${tomlplusplus_SOURCE_DIR}/include CACHE PATH "" FORCE)
endif()

find_package(Boost 1.74 REQUIRED)  # headers only: Boost.Graph

# SQLite: Debian's package, or another that has databases in memory (since 3.36).
if(PkgConfig_FOUND)
  pkg_check_modules(sqlite3 QUIET IMPORTED_TARGET sqlite3>=3.36)
endif()
if(NOT sqlite3_FOUND)
  find_package(SQLite3 3.36 REQUIRED)
  add_library(PkgConfig::sqlite3 ALIAS SQLite::SQLite3)
endif()
