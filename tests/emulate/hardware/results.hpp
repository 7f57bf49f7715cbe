// What hardware gave for each form: the file beside the tests, and the recorder's raw one.
//
// The kept file is one zstd frame: the recorder's four header lines, then for each form, in the
// order of forms(): u32 fingerprint (of the form: a changed form needs recording anew), the first
// results at their width, and for the rest one u32 hash of each group of kGroup. Approximations
// have results only. Then the texture fetches, in full.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/emulate/hardware/forms.hpp"

namespace warpmem::emulate::hardware {

constexpr std::uint32_t kKept = 160;      // results kept in full, of an exact form
constexpr std::uint32_t kKeptBand = 416;  // … of an approximation
constexpr std::uint32_t kGroup = 32;      // cases under one hash

struct FormResults {
  std::vector<std::uint64_t> kept;
  std::vector<std::uint32_t> hashes;  // of the cases behind `kept`
};
struct Results {
  std::string gpu, cuda, date;
  std::vector<FormResults> forms;
  std::vector<std::vector<std::uint32_t>> textures;
};

std::uint32_t fingerprint(const Form& form);
std::uint32_t hash_of(const std::uint64_t* values, std::size_t count);

Results read_results(const std::string& path);  // throws std::runtime_error: what is wrong with it
// The recorder's file to the kept one.
void pack_results(const std::string& raw, const std::string& kept);
// The recorder's file: all results of each form.
std::vector<std::vector<std::uint64_t>> read_raw(const std::string& path, Results& rest);

}  // namespace warpmem::emulate::hardware
