// What an emulated library is made of beside the functions that we write: every other name that
// NVIDIA's headers declare and its library exports, as the .inc files of this folder list them. A
// file that includes this defines `refused` and includes one list.
//
// All are weak, so that a function that we write comes first.
#pragma once

#include <dlfcn.h>

#include <mutex>
#include <set>
#include <string>

#include "emulate/names/stub.hpp"

namespace warpmem::names {

// Whether the call has not been made before: what is said of it is said once.
inline bool first_call(const char* name) {
  static auto* told = new std::set<std::string>;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  return told->insert(name).second;
}

// The library whose code is at the address, as words to put behind a message: " (asked for by
// /lib/libcufft.so.12)".
inline std::string asked_for_by(const void* code) {
  Dl_info info{};
  const bool known = dladdr(code, &info) != 0 && info.dli_fname != nullptr;
  const std::string file = known ? info.dli_fname : "";
  return file.find(".so") == std::string::npos
             ? ""
             : " (asked for by " + file + ")";  // else the program itself
}

}  // namespace warpmem::names

// Its arguments are the caller's to clear away, whatever they are.
#define REFUSED(name)                                   \
  extern "C" __attribute__((weak)) long name() {        \
    return refused(#name, __builtin_return_address(0)); \
  }
#define REFUSED_TEXT(name)                                              \
  extern "C" __attribute__((weak)) const char* name() {                 \
    return refused(#name, __builtin_return_address(0)), "not emulated"; \
  }
#define SAME(name, other) WARPMEM_STUB(".weak", name, other)
