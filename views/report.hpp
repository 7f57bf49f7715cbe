// A report as one page of HTML that needs nothing else: its data as one block of JSON, and the
// files of views/report/, which draw it in the browser.
#pragma once

#include <string>
#include <string_view>

#include "results/report.hpp"

namespace warpmem::views {

// {"schema":1,"title":…,"metrics":[…],"cards":[…],"runs":[…],…}
std::string report_json(const Report& report);
// `wasm`: the model as WebAssembly, for a page that computes; empty: without.
std::string report_html(const Report& report, std::string_view wasm = {});

// Text as it may stand in HTML, between tags and in attributes.
std::string html_text(std::string_view text);
// JSON as it may stand in a script block: no "<" is left in it that could end the block.
std::string json_in_html(std::string json);

}  // namespace warpmem::views
