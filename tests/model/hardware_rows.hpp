// Rows of the CSV files in cards/gpus/h200: what a real H200 answered. The first column is quoted
// and holds the case's label; the others are plain.
#pragma once

#include <cstdint>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace warpmem::testing {

// "a,b c,d" split at a character; empty pieces stay.
inline std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out(1);
  for (char c : text) {
    if (c == at) out.emplace_back();
    else out.back() += c;
  }
  return out;
}

struct HardwareRow {
  std::string label;  // "atomics,red.u32 lanes=2 step=4"
  std::map<std::string, std::uint64_t> counter;

  bool starts(const std::string& prefix) const { return label.rfind(prefix, 0) == 0; }
  std::uint64_t at(const std::string& name) const { return counter.at(name); }
  // The number after "name=" in the label.
  std::uint64_t number(const std::string& name) const {
    const auto from = label.find(name + "=");
    if (from == std::string::npos) throw std::runtime_error("no " + name + " in " + label);
    return std::stoull(label.substr(from + name.size() + 1));
  }
};

// Lines of a file of WARPMEM_H200_DATA, the folder with what the GPU said.
inline std::vector<std::string> hardware_lines(const std::string& file) {
  std::ifstream in(std::string(WARPMEM_H200_DATA) + "/" + file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  if (lines.empty()) throw std::runtime_error("cannot read " + file);
  return lines;
}

inline std::vector<HardwareRow> hardware_rows(const std::string& file) {
  std::vector<std::string> lines = hardware_lines(file), names = split(lines[0], ',');
  std::vector<HardwareRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    HardwareRow row;
    const auto end = lines[i].find('"', 1);
    row.label = lines[i].substr(1, end - 1);
    const std::vector<std::string> cells = split(lines[i].substr(end + 2), ',');
    // The kernel's name may hold commas: count from the right.
    for (std::size_t k = 2; k < names.size(); ++k)
      row.counter[names[k]] = std::stoull(cells[cells.size() - names.size() + k]);
    rows.push_back(row);
  }
  return rows;
}

inline HardwareRow hardware_row(const std::vector<HardwareRow>& rows, const std::string& label) {
  for (const HardwareRow& r : rows)
    if (r.label == label) return r;
  throw std::runtime_error("no row '" + label + "'");
}

}  // namespace warpmem::testing
