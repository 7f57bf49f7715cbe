// `warpmem learn`: the exercises of the course in docs/learn/, and whether an answer is right.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <optional>
#include <string>

#include "command/command.hpp"
#include "command/options/number.hpp"
#include "command/screen/output.hpp"
#include "model/card/card.hpp"
#include "sim/pattern/exercise.hpp"

namespace warpmem::command {
namespace {

struct LearnOptions {
  std::optional<std::uint64_t> lesson;
  std::optional<std::string> answer;
};

std::string list() {
  std::string out = "A course in twelve lessons; each has an exercise.\n\n";
  std::size_t number = 0;
  for (const sim::pattern::Exercise& e : sim::pattern::exercises())
    out += fmt::format("{:4}  {:<22} docs/{}\n", ++number, e.title, e.page);
  return out + "\nwarpmem learn 1 asks; warpmem learn 1 'ANSWER' checks an answer.\n";
}

int print(const std::string& text, int status = 0) {
  auto output = Output::open({});
  if (!output) return fail(output.error());
  output->write(text);
  if (auto done = output->finish(); !done) return fail(done.error());
  return status;
}

int learn(const LearnOptions& options) {
  if (!options.lesson) return print(list());
  const auto all = sim::pattern::exercises();
  if (*options.lesson == 0 || *options.lesson > all.size())
    return fail({ErrorKind::kUsage, fmt::format("there is no lesson {}", *options.lesson), "learn",
                 fmt::format("take one of 1 to {}: warpmem learn lists them", all.size())});
  const sim::pattern::Exercise& e = all[*options.lesson - 1];
  if (!options.answer)
    return print(fmt::format("Lesson {}: {} (docs/{})\n\n{}\n\nAnswer with: warpmem learn {} '…'\n",
                             *options.lesson, e.title, e.page, e.question, *options.lesson));
  const auto card = model::load_card(std::string(e.gpu));
  if (!card) return fail(card.error());
  const auto verdict = sim::pattern::judge(e, *card, *options.answer);
  if (!verdict) return fail(verdict.error());
  if (verdict->right) return print("right: " + verdict->words + "\n");
  return print(fmt::format("not yet: {}\nhint: {}\n", verdict->words, e.hint), 1);
}

}  // namespace

Run setup_learn(CLI::App& app) {
  auto options = std::make_shared<LearnOptions>();
  add_whole_option(
      app, "lesson", {}, [options](std::uint64_t n) { options->lesson = n; },
      "the lesson whose exercise to show");
  app.add_option("answer", options->answer, "check this answer to it")->type_name("ANSWER");
  return [options] { return learn(*options); };
}

}  // namespace warpmem::command
