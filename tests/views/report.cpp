// A report's page: what stands in it, and that nothing from outside gets out of its place.
#include "views/report.hpp"
#include "tests/catch.hpp"

namespace warpmem::views {
namespace {

Report hostile() {
  Report r;
  r.title = "</title><script>alert(1)</script>";
  r.version = "1";
  r.cards.push_back({"h200", "</script><b>", "9.0", 528, {}});
  ReportRun run{"a", 0, "time", {{"program", "<!-- <script>"}}, {}, {}};
  ReportLaunch launch;
  launch.explanation.kernel = "f<a</script>>(/*DATA*/)";
  launch.dram = {64, {36, 0}, {0, 0}, {{35, 0}, {1, 0}}, 1};
  run.launches.push_back(launch);
  r.runs.push_back(run);
  return r;
}

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("text in HTML cannot begin a tag or end an attribute") {
  CHECK(html_text("a<b> & \"c\" 'd'") == "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST_CASE("JSON in a script block cannot end it, and means the same") {
  CHECK(json_in_html(R"(["</script>","<!--"])") == R"(["\u003c/script>","\u003c!--"])");
}

TEST_CASE("a page has as many script blocks as its template, whatever names hold") {
  const std::string page = report_html(hostile());
  CHECK(count(page, "<script") == 3);
  CHECK(count(page, "</script>") == 3);
  CHECK(count(page, "</title>") == 1);
  CHECK(page.find("alert(1)</script>") == page.npos);
  CHECK(page.find("/*STYLE*/") == page.npos);
  CHECK(count(page, "/*DATA*/") == 1);  // the kernel's own
}

TEST_CASE("what is 0 or not known is left out of a report's JSON, and windows are in base 36") {
  const std::string json = report_json(hostile());
  CHECK(json.find(R"("windows":["z,0","1,0"])") != json.npos);
  CHECK(json.find(R"("banks":null)") != json.npos);
}

}  // namespace warpmem::views
