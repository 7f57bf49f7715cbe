#include "sim/explain/layouts.hpp"

#include <fmt/format.h>

#include <bit>

#include "sim/explain/address_changes.hpp"

namespace warpmem::sim {
namespace {

constexpr double kHelps = 0.98;  // of the passes: from which on another term is worth it
constexpr std::size_t kMostTerms = 3;

double passes_with(const BankPiece& piece, const AccessChange& change) {
  double all = 0;
  for (const BankAccess& one : piece.accesses) {
    model::WarpAccess a = one.access;
    for (std::uint64_t& at : a.address) at = change.address(at);
    const auto passes = model::shared_passes(a, one.kind, piece.banks);
    all += one.weight * passes.taken;
  }
  return all;
}

// The best so far; the first of equals.
class Best {
 public:
  Best(const BankPiece& piece, double own) : piece_(piece), own_(own) {}
  template <class Change, class What>
  void take(std::shared_ptr<Change> change, What&& what) {
    const double passes = passes_with(piece_, *change);
    if (passes >= (layout_ ? layout_->passes : own_) - 0.5) return;
    layout_ = Layout{passes, std::move(change), what()};
  }
  bool is_ideal() const { return layout_ && layout_->passes <= piece_.ideal / kHelps; }
  std::optional<Layout> done() { return std::move(layout_); }
  double passes() const { return layout_ ? layout_->passes : own_; }

 private:
  const BankPiece& piece_;
  double own_;
  std::optional<Layout> layout_;
};

std::string text_of(const std::vector<Xor::Term>& terms) {
  std::string out = "swizzle: byte offset o becomes o";
  for (const Xor::Term& t : terms) out += fmt::format(" ^ (o >> {} & 0x{:x})", t.shift, t.mask);
  return out;
}

// All terms that change the banks of a unit, and whose sources lie within the piece.
std::vector<Xor::Term> all_terms(const BankPiece& piece) {
  std::vector<Xor::Term> out;
  const auto from = static_cast<unsigned>(std::bit_width(piece.unit - 1));
  const auto banks = static_cast<unsigned>(
      std::bit_width(std::uint64_t{piece.banks.count} * piece.banks.bytes - 1));
  const auto top = static_cast<unsigned>(std::bit_width(piece.high - piece.low - 1));
  for (unsigned bits = 1; from + bits <= banks; ++bits)
    for (unsigned low = from; low + bits <= banks; ++low)
      for (unsigned shift = 1; low + bits + shift <= top; ++shift)
        out.push_back({shift, ((std::uint64_t{1} << bits) - 1) << low});
  return out;
}

void search_terms(const BankPiece& piece, Best& best) {
  const std::vector<Xor::Term> all = all_terms(piece);
  std::vector<Xor::Term> terms;
  while (terms.size() < kMostTerms && !best.is_ideal()) {
    const double before = best.passes();
    std::optional<Xor::Term> next;
    double least = before;
    terms.emplace_back();
    for (const Xor::Term& t : all) {
      terms.back() = t;
      const double passes = passes_with(piece, Xor(piece.low, terms));
      if (passes < least - 0.5) least = passes, next = t;
    }
    if (!next || least > kHelps * before) return;
    terms.back() = *next;
    best.take(std::make_shared<Xor>(piece.low, terms), [&] { return text_of(terms); });
  }
}

}  // namespace

Layouts search_layouts(const BankPiece& piece) {
  Layouts out;
  out.own = passes_with(piece, AccessChange());
  Best pad(piece, out.own), swizzle(piece, out.own);
  for (const std::uint64_t row : piece.rows) {
    for (const std::uint64_t n : {1, 2, 4, 8})
      pad.take(std::make_shared<PadRows>(piece.low, row, n * piece.unit), [&] {
        return fmt::format("pad the rows of {} bytes in shared memory by {} bytes", row,
                           n * piece.unit);
      });
    if (!std::has_single_bit(row) || row < 2 * piece.unit) continue;
    for (std::uint64_t u = piece.unit; u <= 16 && 2 * u <= row; u *= 2)
      swizzle.take(std::make_shared<Xor>(row_swizzle(piece.low, row, u)), [&] {
        return fmt::format("swizzle: in rows of {} bytes, column ^ row in units of {} bytes", row,
                           u);
      });
  }
  search_terms(piece, swizzle);
  out.pad = pad.done(), out.swizzle = swizzle.done();
  return out;
}

}  // namespace warpmem::sim
