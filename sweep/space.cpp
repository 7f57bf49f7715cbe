#include "sweep/space.hpp"

namespace warpmem::sweep {

std::optional<std::uint64_t> Space::size() const {
  std::uint64_t n = 1;
  for (const SweepAxis& axis : axes_)
    if (__builtin_mul_overflow(n, axis.values.size(), &n)) return {};
  return n;
}

std::vector<std::size_t> Space::indices(std::uint64_t point) const {
  std::vector<std::size_t> out(axes_.size());
  for (std::size_t a = axes_.size(); a-- > 0;) {
    out[a] = static_cast<std::size_t>(point % axes_[a].values.size());
    point /= axes_[a].values.size();
  }
  return out;
}

std::uint64_t Space::number(const std::vector<std::size_t>& indices) const {
  std::uint64_t n = 0;
  for (std::size_t a = 0; a < axes_.size(); ++a) n = n * axes_[a].values.size() + indices[a];
  return n;
}

std::vector<std::string> Space::values(std::uint64_t point) const {
  const std::vector<std::size_t> at = indices(point);
  std::vector<std::string> out;
  for (std::size_t a = 0; a < axes_.size(); ++a) out.push_back(axes_[a].values[at[a]]);
  return out;
}

}  // namespace warpmem::sweep
