// Answers questions of the page that computes, a line each: what it must say itself.
#include <iostream>
#include <string>

#include "web/answer.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);)
    std::cout << warpmem::web::answer(line) << '\n';
}
