// `warpmem words`: what the words of the output mean.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/nearest.hpp"
#include "command/command.hpp"
#include "command/screen/output.hpp"
#include "command/screen/table.hpp"
#include "views/words.hpp"

namespace warpmem::command {
namespace {

struct WordsOptions {
  std::string word;
  OutputOptions output;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

int words(const WordsOptions& options) {
  std::vector<views::Word> found;
  std::vector<std::string> names;
  for (const views::Word& w : views::words()) {
    names.push_back(lower(std::string(w.word)));
    if (options.word.empty() || names.back() == lower(options.word)) found.push_back(w);
  }
  if (found.empty()) {
    const std::string guess = nearest(lower(options.word), names);
    return fail({ErrorKind::kUsage, fmt::format("'{}' is no word of the list", options.word),
                 "words",
                 guess.empty() ? "see all of them: warpmem words"
                               : fmt::format("did you mean '{}'?", guess)});
  }
  auto output = Output::open(options.output);
  if (!output) return fail(output.error());
  Table csv({{"word"}, {"meaning"}});
  Json json{{"schema", 1}, {"words", Json::object()}};
  std::string text;
  for (const views::Word& w : found) {
    csv.row({std::string(w.word), std::string(w.meaning)});
    json["words"][std::string(w.word)] = w.meaning;
    text += fmt::format("{:<16}", w.word) +
            views::wrapped(std::string(w.meaning), output->terminal().width - 16, 16);
  }
  switch (options.output.format) {
    case Format::kTable: output->write(text); break;
    case Format::kJson: output->write(json.text(2) + "\n"); break;
    case Format::kCsv: output->write(csv.csv()); break;
  }
  if (auto done = output->finish(); !done) return fail(done.error());
  return 0;
}

}  // namespace

Run setup_words(CLI::App& app) {
  auto options = std::make_shared<WordsOptions>();
  app.add_option("word", options->word, "this one alone")->type_name("WORD");
  add_output_options(app, options->output);
  return [options] { return words(*options); };
}

}  // namespace warpmem::command
