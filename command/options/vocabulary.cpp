#include "command/options/vocabulary.hpp"

#include <CLI/CLI.hpp>
#include <vector>

#include "metrics/metric.hpp"

namespace warpmem::command {

CLI::Option* add_vocabulary_option(CLI::App& app, const std::string& option, std::string& chosen,
                                   const std::string& help) {
  std::vector<std::string> names;
  for (const metrics::Vocabulary v : metrics::kVocabularies)
    names.emplace_back(metrics::name_of(v));
  return app.add_option(option, chosen, help)->check(CLI::IsMember(names))->type_name("WORDS");
}

}  // namespace warpmem::command
