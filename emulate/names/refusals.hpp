// What an emulated library is made of beside the functions that we write: every other name that
// NVIDIA's headers declare and its library exports, as the .inc files of this folder list them. A
// file that includes this defines `refused` and includes one list.
//
// All are weak, so that a function that we write comes first.
#pragma once

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

}  // namespace warpmem::names

// Its arguments are the caller's to clear away, whatever they are.
#define REFUSED(name) \
  extern "C" __attribute__((weak)) long name() { return refused(#name); }
#define REFUSED_TEXT(name) \
  extern "C" __attribute__((weak)) const char* name() { return refused(#name), "not emulated"; }
#define SAME(name, other) WARPMEM_STUB(".weak", name, other)
