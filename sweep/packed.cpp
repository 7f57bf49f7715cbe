#define XXH_STATIC_LINKING_ONLY  // XXH3_state_t on the stack
#include "sweep/packed.hpp"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <concepts>

namespace warpmem::sweep {
namespace {

// Numbers take eight bytes, the lowest first; texts and lists begin with their length.
class Packer {
 public:
  void put(std::uint64_t n) {
    for (int i = 0; i < 8; ++i) bytes_ += static_cast<char>(n >> (8 * i));
  }
  void put(double v) { put(std::bit_cast<std::uint64_t>(v)); }
  void put(std::string_view text) {
    put(std::uint64_t{text.size()});
    bytes_ += text;
  }
  template <class List, class Put>
  void put(const List& list, Put&& each) {
    put(std::uint64_t{list.size()});
    for (const auto& one : list) each(one);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}
  std::uint64_t number() {
    if (left_.size() < 8) return fail();
    std::uint64_t n = 0;
    for (std::size_t i = 0; i < 8; ++i)
      n |= std::uint64_t{static_cast<unsigned char>(left_[i])} << (8 * i);
    left_.remove_prefix(8);
    return n;
  }
  double real() { return std::bit_cast<double>(number()); }
  std::string text() {
    const std::uint64_t size = number();
    if (size > left_.size()) return fail(), std::string();
    std::string out(left_.substr(0, size));
    left_.remove_prefix(size);
    return out;
  }
  template <class Take>
  void list(Take&& each) {
    const std::uint64_t size = number();  // each element has at least one number
    if (size > left_.size() / 8) return void(fail());
    for (std::uint64_t i = 0; i < size && good_; ++i) each();
  }
  bool whole() const { return good_ && left_.empty(); }

 private:
  std::uint64_t fail() { return good_ = false, 0; }
  std::string_view left_;
  bool good_ = true;
};

}  // namespace

std::string packed(const Plan& plan) {
  Packer out;
  Identity identity = plan.identity;
  std::ranges::sort(identity);
  out.put(identity, [&](const auto& row) { out.put(row.first), out.put(row.second); });
  out.put(plan.part);
  out.put(plan.points);
  out.put(plan.empty.axes, [&](const SweepAxis& axis) {
    out.put(axis.key);
    out.put(axis.values, [&](const std::string& value) { out.put(value); });
  });
  out.put(plan.empty.traces, [&](const std::string& name) { out.put(name); });
  out.put(plan.empty.metrics,
          [&](const SweepMetric& metric) { out.put(metric.name), out.put(metric.unit); });
  return out.take();
}

std::optional<Plan> unpacked_plan(std::string_view bytes) {
  Unpacker in(bytes);
  Plan out;
  in.list([&] {
    std::string name = in.text();
    out.identity.emplace_back(std::move(name), in.text());
  });
  out.part = in.text();
  out.points = in.number();
  in.list([&] {
    SweepAxis& axis = out.empty.axes.emplace_back();
    axis.key = in.text();
    in.list([&] { axis.values.push_back(in.text()); });
  });
  in.list([&] { out.empty.traces.push_back(in.text()); });
  in.list([&] {
    SweepMetric& metric = out.empty.metrics.emplace_back();
    metric.name = in.text();
    metric.unit = in.text();
  });
  if (!in.whole()) return {};
  return out;
}

std::string packed(const SweepPoint& point) {
  Packer out;
  out.put(point.number);
  out.put(point.values, [&](const std::string& value) { out.put(value); });
  out.put(point.left_out);
  out.put(point.metrics, [&](const std::vector<MetricValue>& of_trace) {
    out.put(of_trace, [&](const MetricValue& v) {
      out.put(v.missing);
      out.put(v.known() ? v.value : 0.0);
    });
  });
  return out.take();
}

std::optional<SweepPoint> unpacked_point(std::string_view bytes) {
  Unpacker in(bytes);
  SweepPoint out;
  out.number = in.number();
  in.list([&] { out.values.push_back(in.text()); });
  out.left_out = in.text();
  in.list([&] {
    std::vector<MetricValue>& of_trace = out.metrics.emplace_back();
    in.list([&] {
      MetricValue& v = of_trace.emplace_back();
      v.missing = in.text();
      v.value = in.real();
    });
  });
  if (!in.whole()) return {};
  return out;
}

std::uint64_t hash_of_bytes(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::uint64_t hash_of_sweep(const Plan& plan, const std::vector<SweepPoint>& points) {
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  const auto add = [&](const std::string& bytes) {
    XXH3_64bits_update(&state, bytes.data(), bytes.size());
  };
  add(packed(plan));
  for (const SweepPoint& point : points) add(packed(point));
  return XXH3_64bits_digest(&state);
}

}  // namespace warpmem::sweep
