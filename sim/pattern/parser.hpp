// From a pattern's text to its statements. The grammar, in short:
//
//   pattern   := { declaration | statement } separated by ";"
//   declares  := [global|shared|constant] type name {"[" number "]"}
//   statement := [type] name "=" expression                 a variable of the thread
//              | name "[" index "]" {"[" index "]"} ["=" expression]   a load, or a store
//              | "for" name "in" first ".." end [".." step] body
//              | "if" "(" condition ")" body ["else" body]
//              | atomicAdd "(" ["&"] access {"," …} ")"
//              | ldmatrix "(" ["&"] access ")"
//   body      := ":" statement | "{" statements "}" | statement
//
// Expressions are C's, over whole numbers. What an access loads is not known: an index made of it
// is refused.
#pragma once

#include <map>
#include <string>

#include "base/error.hpp"
#include "sim/pattern/syntax.hpp"

namespace warpmem::sim::pattern {

// `known`: names that --let has given numbers.
Result<Program> parse(const std::string& text, const std::map<std::string, std::int64_t>& known);

}  // namespace warpmem::sim::pattern
