#include "sim/pattern/exercise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <set>

#include "base/units.hpp"
#include "model/card/ecc.hpp"
#include "sim/pattern/parser.hpp"
#include "sim/pattern/pattern.hpp"

namespace warpmem::sim::pattern {
namespace {

constexpr std::string_view kPlace = "{}";

std::string with(std::string_view pattern, std::string_view answer) {
  std::string out(pattern);
  out.replace(out.find(kPlace), kPlace.size(), answer);
  return out;
}

// An index may be written with its array, as code has it: "m[5*32 + threadIdx.x]" of "m[{}]". The
// answer then is what stands in the brackets.
Result<std::string> index_in(const Exercise& e, const std::string& answer) {
  const std::size_t place = e.pattern.find(kPlace);
  std::size_t name = place;
  if (place == 0 || e.pattern[place - 1] != '[') return answer;
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (name = place - 1; name > 0 && in_name(e.pattern[name - 1]);) --name;
  const std::string array(e.pattern.substr(name, place - 1 - name));
  if (array.empty()) return answer;  // a further extent of a declaration
  std::size_t begin = answer.find_first_not_of(" \t&"), end = answer.find_last_not_of(" \t;");
  if (begin == answer.npos || answer.compare(begin, array.size(), array) != 0) return answer;
  begin = answer.find_first_not_of(" \t", begin + array.size());
  if (begin == answer.npos || answer[begin] != '[') return answer;
  int depth = 0;
  for (std::size_t at = begin; at <= end; ++at) {
    depth += answer[at] == '[' ? 1 : answer[at] == ']' ? -1 : 0;
    if (depth != 0) continue;
    if (at == end) return answer.substr(begin + 1, at - begin - 1);
    if (answer.find_first_not_of(" \t", at + 1) != answer.find('[', at + 1)) return answer;
    return Error{ErrorKind::kUsage, fmt::format("'{}' takes one index here", array), "answer",
                 "write rows and columns as one number, as row * columns + column"};
  }
  return answer;
}

Shape shape_of(const Exercise& e) { return {e.grid, e.block, {}}; }

// A pattern's figure, and the least that could be.
struct Costs {
  std::uint64_t figure = 0, ideal = 0;
};

Costs costs_of(const std::vector<SiteTraffic>& sites, Figure figure) {
  Costs out;
  for (const SiteTraffic& s : sites) switch (figure) {
      case Figure::kRequests: out.figure += s.requests; break;
      case Figure::kSectors: out.figure += s.sectors, out.ideal += s.ideal_sectors; break;
      case Figure::kPasses: out.figure += s.wavefronts, out.ideal += s.ideal_wavefronts; break;
      case Figure::kL1Hits: out.figure += s.l1_hits; break;
      case Figure::kAddresses: out.figure += s.addresses; break;
      default: break;
    }
  return out;
}

const char* name_of(Figure figure, bool one = false) {
  switch (figure) {
    case Figure::kRequests: return one ? "request" : "requests";
    case Figure::kSectors: return one ? "sector" : "sectors";
    case Figure::kPasses: return one ? "pass" : "passes";
    case Figure::kL1Hits: return one ? "sector that hits" : "sectors that hit";
    case Figure::kAddresses: return one ? "answer" : "answers";
    case Figure::kPartitions: return one ? "partition" : "partitions";
    case Figure::kLinkRatio: return "times as long";
  }
  return "";
}

// Calls `take` with every lane's address of every access of the pattern.
Result<void> each_address(
    const Program& program, const Shape& shape,
    const std::function<void(std::uint32_t access, std::uint64_t thread, std::uint64_t)>& take) {
  const std::uint64_t ctas = std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2];
  const std::uint32_t warps = (shape.block[0] * shape.block[1] * shape.block[2] + 31) / 32;
  for (std::uint64_t cta = 0; cta < ctas; ++cta)
    for (std::uint32_t w = 0; w < warps; ++w) {
      auto ran = run_warp(program, shape, cta, w,
                          [&](std::uint32_t access, std::uint32_t, const model::WarpAccess& a) {
                            for (std::uint32_t l = 0; l < 32; ++l)
                              if (a.mask >> l & 1u)
                                take(access, (cta * warps + w) * 32 + l, a.address[l]);
                          });
      if (!ran) return ran;
    }
  return {};
}

// The elements that threads ask for at the place of the answer, which is the first access.
struct Asked {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_thread;  // thread, element
};
Result<Asked> asked_by(const Exercise& e, const std::string& answer) {
  const Shape shape = shape_of(e);
  auto program = parse(with(e.pattern, answer), shape.let);
  if (!program) return program.error();
  // A store's target is the access that the text begins with.
  const auto at = static_cast<std::uint32_t>(
      std::ranges::min_element(program->accesses, {}, &Access::at) - program->accesses.begin());
  const Array& array = program->arrays[program->accesses[at].array];
  const std::uint64_t base = bases_of(*program)[program->accesses[at].array];
  Asked out;
  auto ran = each_address(
      *program, shape, [&](std::uint32_t access, std::uint64_t thread, std::uint64_t address) {
        if (access != at) return;
        const std::uint64_t element = (address - base) / array.bytes;
        out.by_thread.emplace_back(thread, e.modulo ? element % e.modulo : element);
      });
  if (!ran) return ran.error();
  return out;
}

// Nothing: the answer asks for what it should.
Result<std::string> wrong_elements(const Exercise& e, const std::string& answer) {
  if (e.elements.empty()) return std::string();
  auto asked = asked_by(e, answer);
  if (!asked) return asked.error();
  auto wanted = asked_by(e, std::string(e.elements));
  if (!wanted) return wanted.error();
  auto &a = asked->by_thread, &w = wanted->by_thread;
  if (e.any_order) {
    std::set<std::uint64_t> all, right;
    for (const auto& [thread, element] : a) all.insert(element);
    for (const auto& [thread, element] : w) right.insert(element);
    for (const std::uint64_t element : all)
      if (!right.contains(element))
        return fmt::format("it asks for element {}, which is none of those wanted",
                           grouped(element));
    if (all.size() < right.size())
      return fmt::format("it asks for {} of the {} elements wanted", all.size(), right.size());
    return std::string();
  }
  for (std::size_t k = 0; k < std::min(a.size(), w.size()); ++k)
    if (a[k] != w[k])
      return fmt::format("thread {} asks for {} {} where it should for {}", w[k].first,
                         e.modulo ? "bin" : "element", grouped(a[k].second), grouped(w[k].second));
  return std::string();
}

Result<Verdict> judge_expression(const Exercise& e, const model::Card& card,
                                 const std::string& answer) {
  const Shape shape = shape_of(e);
  const auto program = parse(with(e.pattern, answer), shape.let);
  if (!program) return program.error();
  auto wrong = wrong_elements(e, answer);
  if (!wrong) return wrong.error();
  if (!wrong->empty()) return Verdict{false, *wrong};
  const auto sites = on_card(*program, shape, card, {});
  if (!sites) return sites.error();
  const Costs costs = costs_of(*sites, e.figure);
  const char* what = name_of(e.figure, costs.figure == 1);
  if (costs.figure != costs.ideal)
    return Verdict{false, fmt::format("it takes {} {}; {} would do", grouped(costs.figure), what,
                                      grouped(costs.ideal))};
  if (!e.fits.empty()) {
    const auto fitting = parse(with(e.fits, answer), shape.let);
    if (!fitting) return fitting.error();
    if (!on_card(*fitting, shape, card, {})) return Verdict{false, std::string(e.else_wrong)};
  }
  return Verdict{true,
                 fmt::format("{} {}, and no pattern takes fewer", grouped(costs.figure), what)};
}

// In how many of the card's partitions the pattern's addresses lie, where they are interleaved
// plainly.
Result<double> partitions_of(const Program& program, const Shape& shape, const model::Card& card) {
  const model::CardNumbers& n = card.numbers();
  std::set<std::uint64_t> found;
  auto ran = each_address(program, shape, [&](std::uint32_t, std::uint64_t, std::uint64_t address) {
    found.insert(address / n.dram_interleave_bytes % n.dram_channels);
  });
  if (!ran) return ran.error();
  return static_cast<double>(found.size());
}

Result<double> right_number(const Exercise& e, const model::Card& card) {
  if (e.figure == Figure::kLinkRatio) {
    const model::CardNumbers& n = card.numbers();
    return static_cast<double>(model::dram_bandwidth(n)) / static_cast<double>(n.host_permille);
  }
  const Shape shape = shape_of(e);
  const auto program = parse(std::string(e.pattern), shape.let);
  if (!program) return program.error();
  if (e.figure == Figure::kPartitions) return partitions_of(*program, shape, card);
  const auto sites = on_card(*program, shape, card, {});
  if (!sites) return sites.error();
  return static_cast<double>(costs_of(*sites, e.figure).figure);
}

Result<Verdict> judge_number(const Exercise& e, const model::Card& card,
                             const std::string& answer) {
  std::string digits = answer;
  std::erase(digits, ',');
  double number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(number))
    return Error{ErrorKind::kUsage, fmt::format("'{}' is no number", answer), "answer",
                 "this exercise asks for a number: warpmem learn says which"};
  const auto right = right_number(e, card);
  if (!right) return right.error();
  if (std::abs(number - *right) <= e.tolerance * *right)
    return Verdict{true, fmt::format("{:.6g} {}", e.tolerance > 0 ? std::round(*right) : *right,
                                     name_of(e.figure, *right == 1))};
  return Verdict{false, fmt::format("{} is {}", answer, number < *right ? "too few" : "too many")};
}

}  // namespace

Result<Verdict> judge(const Exercise& e, const model::Card& card, const std::string& answer) {
  if (e.pattern.find(kPlace) == e.pattern.npos) return judge_number(e, card, answer);
  const auto index = index_in(e, answer);
  return index ? judge_expression(e, card, *index) : index.error();
}

}  // namespace warpmem::sim::pattern
