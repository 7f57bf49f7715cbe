// What an H200 answered: files of cards/gpus/h200.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace warpmem::testing {

// Rows of a file of the GPU's answers, by column.
inline std::vector<std::map<std::string, std::string>> rows_of(const std::string& file) {
  std::ifstream in(std::string(WARPMEM_H200_DATA) + "/" + file);
  const auto cells = [](const std::string& line) {
    std::vector<std::string> out(1);
    for (char c : line)
      if (c == ',') out.emplace_back();
      else out.back() += c;
    return out;
  };
  std::string line;
  std::getline(in, line);
  const std::vector<std::string> names = cells(line);
  std::vector<std::map<std::string, std::string>> rows;
  while (std::getline(in, line)) {
    const std::vector<std::string> values = cells(line);
    auto& row = rows.emplace_back();
    for (std::size_t k = 0; k < names.size(); ++k) row[names[k]] = values.at(k);
  }
  return rows;
}

}  // namespace warpmem::testing
