// What the page calls: memory for a question, the answer to it. A module of WebAssembly without
// threads: an answer holds until the next question.
#include <cstddef>
#include <string>
#include <string_view>

#include "web/answer.hpp"

namespace {
std::string g_question, g_answer;
}  // namespace

extern "C" {

// Room for a question of so many bytes of UTF-8.
__attribute__((export_name("warpmem_question"))) char* warpmem_question(std::size_t bytes) {
  g_question.assign(bytes, ' ');
  return g_question.data();
}
// Answers it: bytes of UTF-8 at warpmem_answer_at().
__attribute__((export_name("warpmem_answer"))) std::size_t warpmem_answer() {
  g_answer = warpmem::web::answer(g_question);
  return g_answer.size();
}
__attribute__((export_name("warpmem_answer_at"))) const char* warpmem_answer_at() {
  return g_answer.data();
}
}
