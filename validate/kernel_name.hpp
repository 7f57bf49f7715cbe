// Kernel names as different tools print them. One kernel is "void copy<float>(T1 *, int)" to a
// profiler, "void copy<float>(float*, int)" to a demangler and "_Z4copyIfEvPT_i" to a linker.
#pragma once

#include <string>
#include <string_view>

namespace warpmem::validate {

// Demangles when needed and drops the return type, the parameters and all blanks: "copy<float,16>".
// Casts in template arguments ("(int)16") and integer suffixes ("16ul") are dropped too. Of a
// mangled name that cannot be read, what it begins with: "cutlass::Kernel".
std::string kernel_signature(std::string_view name);

// The same without template arguments and without any enclosing scope: "copy".
std::string kernel_base_name(std::string_view name);

}  // namespace warpmem::validate
