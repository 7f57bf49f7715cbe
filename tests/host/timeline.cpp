// When a program's steps run.
#include "host/timeline/timeline.hpp"

#include <algorithm>
#include <random>

#include "host/link/kind.hpp"
#include "tests/catch.hpp"

using namespace warpmem::host;

namespace {

// Round numbers, of no GPU: 10 bytes a ns each way, 16 both ways, no fixed times.
LinkSpec plain() {
  LinkSpec s;
  s.wire = 12, s.to_device = 10, s.to_host = 10, s.both = 20, s.engines = 2;
  s.pageable_to_device = s.pageable_mid = s.pageable_far = 5, s.pageable_to_host = 4;
  s.inline_bytes = 64;
  s.device_copy = 100, s.fill = 200;
  return s;
}
Operation copy(Place from, Place to, std::uint64_t bytes, std::vector<std::uint32_t> after = {}) {
  Operation o;
  o.step = Step::kCopy, o.from = from, o.to = to, o.bytes = bytes, o.after = std::move(after);
  return o;
}
Operation to_device(std::uint64_t bytes, std::vector<std::uint32_t> after = {}) {
  return copy(Place::kPinned, Place::kDevice, bytes, std::move(after));
}
Operation to_host(std::uint64_t bytes, std::vector<std::uint32_t> after = {}) {
  return copy(Place::kDevice, Place::kPinned, bytes, std::move(after));
}
Operation kernel(double ns, std::vector<std::uint32_t> after = {}, double share = 1) {
  Operation o;
  o.step = Step::kKernel, o.alone_ns = ns, o.share = share, o.after = std::move(after);
  return o;
}
Operation wait(std::vector<std::uint32_t> after) {
  Operation o;
  o.step = Step::kWait, o.after = std::move(after);
  return o;
}

}  // namespace

TEST_CASE("a copy takes its fixed time and its bytes at the link's rate") {
  LinkSpec s = plain();
  s.copy_to_device_ns = 7, s.copy_to_host_ns = 3;
  Timeline t(s);
  const auto a = t.add(to_device(1000));
  CHECK(t.end_of(a) == Approx(107));
  CHECK(t.end_of(t.add(to_host(1000, {a}))) == Approx(210));
}

TEST_CASE("copies of both directions overlap with two engines and take turns with one") {
  for (const unsigned engines : {1u, 2u}) {
    LinkSpec s = plain();
    s.engines = engines;
    Timeline t(s);
    const auto a = t.add(to_device(1000)), b = t.add(to_host(1000));
    CHECK(std::max(t.end_of(a), t.end_of(b)) == Approx(engines == 1 ? 200 : 100));
  }
}

TEST_CASE("two copies of one direction take turns") {
  Timeline t(plain());
  const auto a = t.add(to_device(1000)), b = t.add(to_device(1000));
  CHECK(t.end_of(a) == Approx(100));
  CHECK(t.end_of(b) == Approx(200));
}

TEST_CASE("both directions share what the link carries in all") {
  LinkSpec s = plain();
  s.both = 16;
  Timeline t(s);
  const auto a = t.add(to_device(1000)), b = t.add(to_host(500));
  CHECK(t.end_of(b) == Approx(62.5));         // at 8 bytes a ns
  CHECK(t.end_of(a) == Approx(62.5 + 50.0));  // the other 500 at 10
}

TEST_CASE(
    "n streams of copy, kernel, copy take the longest engine's time and the rest of a piece") {
  // 1000 bytes in, 300 ns of kernel, 1000 bytes out: tK + (tE + tE) / n.
  for (const unsigned n : {1u, 2u, 4u, 10u}) {
    Timeline t(plain());
    double end = 0;
    std::vector<std::uint32_t> last;
    for (unsigned i = 0; i < n; ++i) {
      const auto in = t.add(to_device(1000 / n));
      const auto k = t.add(kernel(300.0 / n, {in}));
      last.push_back(t.add(to_host(1000 / n, {k})));
    }
    for (const auto step : last) end = std::max(end, t.end_of(step));
    CHECK(end == Approx(300 + 200.0 / n));
  }
}

TEST_CASE("kernels that do not fill the GPU run beside each other") {
  Timeline t(plain());
  const auto a = t.add(kernel(100, {}, 0.5)), b = t.add(kernel(100, {}, 0.5));
  CHECK(t.end_of(a) == Approx(100));
  CHECK(t.end_of(b) == Approx(100));
  Timeline u(plain());
  const auto c = u.add(kernel(100, {}, 0.75)), d = u.add(kernel(100, {}, 0.5));
  CHECK(u.end_of(c) == Approx(100));
  CHECK(u.end_of(d) == Approx(150));  // a half of what it could fill, until the first is gone
}

TEST_CASE("kernels of several streams get ready while another one runs") {
  LinkSpec s = plain();
  s.kernel_ns = 20;
  Timeline t(s);
  const auto a = t.add(kernel(100)), b = t.add(kernel(100));
  CHECK(t.end_of(a) == Approx(100));
  CHECK(t.end_of(b) == Approx(180));
  const auto c = t.add(kernel(100, {b}));
  CHECK(t.end_of(c) == Approx(280));
}

TEST_CASE("a pageable copy keeps the host, a small one to the GPU does not") {
  LinkSpec s = plain();
  s.staging = 100;
  Timeline t(s);
  const auto in = t.add(copy(Place::kPageable, Place::kDevice, 1000));
  CHECK(t.host_now() == Approx(200));  // at 5 bytes a ns
  CHECK(t.end_of(in) == Approx(210));  // behind it the last piece crosses the link
  const auto small = t.add(copy(Place::kPageable, Place::kDevice, 60));
  CHECK(t.host_now() == Approx(212));  // the host has copied it
  CHECK(t.end_of(small) > t.host_now());
  Timeline u(s);
  u.add(copy(Place::kDevice, Place::kPageable, 1000));
  CHECK(u.host_now() == Approx(260));  // at 4, behind a first piece
}

TEST_CASE("what the host reads beyond its cache is slower") {
  LinkSpec s = plain();
  s.host_near = 500, s.host_cache = 1000, s.pageable_mid = 2, s.pageable_far = 1;
  Timeline t(s);
  t.add(copy(Place::kPageable, Place::kDevice, 1500));
  CHECK(t.host_now() == Approx(100 + 250 + 500));
}

TEST_CASE("an event takes its time, and the times between two are those of what lies between") {
  LinkSpec s = plain();
  s.mark_ns = 4;
  Timeline t(s);
  const auto begin = t.add({});
  const auto a = t.add(to_device(1000, {begin}));
  Operation o;
  o.after = {a};
  const auto end = t.add(o);
  CHECK(t.end_of(begin) == Approx(4));
  CHECK(t.end_of(end) - t.end_of(begin) == Approx(104));
}

TEST_CASE("managed memory is prefetched piece by piece") {
  LinkSpec s = plain();
  s.copy_to_device_ns = 7;
  Timeline t(s);
  Operation o = copy(Place::kPinned, Place::kManaged, 1000);
  o.rows = 4;
  CHECK(t.end_of(t.add(o)) == Approx(128));
}

TEST_CASE("an engine that turns to another stream takes longer") {
  LinkSpec s = plain();
  s.turn_ns = 9;
  for (const std::uint64_t other : {0, 1}) {
    Timeline t(s);
    t.add(to_device(1000));
    Operation o = to_device(1000);
    o.stream = other;
    CHECK(t.end_of(t.add(o)) == Approx(200.0 + 9.0 * static_cast<double>(other)));
  }
}

TEST_CASE("a step waits for one elsewhere longer than for one of its engine and stream") {
  LinkSpec s = plain();
  s.change_ns = 6;
  Timeline t(s);
  const auto a = t.add(to_device(100));
  const auto same = t.add(to_device(100, {a}));
  const auto elsewhere = t.add(kernel(5, {a}));
  t.finish();
  CHECK(t.span(same).begin == Approx(10));
  CHECK(t.span(elsewhere).begin == Approx(16));
}

TEST_CASE("the host goes on while the GPU works, until it waits") {
  LinkSpec s = plain();
  s.launch_ns = 1, s.submit_ns = 5, s.wake_ns = 3;
  Timeline t(s);
  const auto a = t.add(kernel(50));
  const auto b = t.add(kernel(50, {a}));
  CHECK(t.host_now() == 2);
  CHECK_FALSE(t.ended(a));
  t.add(wait({b}));
  CHECK(t.span(a).begin == Approx(6));
  CHECK(t.span(b).begin == Approx(56));
  CHECK(t.host_now() == Approx(109));
  CHECK(t.ended(b));
}

TEST_CASE("no direction carries more than the wire in any stretch of 1,000 random programs") {
  std::mt19937 random(45);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int program = 0; program < 1000; ++program) {
    LinkSpec s = plain();
    s.wire = wire_rate(static_cast<LinkKind>(below(9)), 1 + below(16));
    s.to_device = s.wire * (0.5 + below(50) / 100.0),
    s.to_host = s.wire * (0.5 + below(50) / 100.0);
    s.both = std::max(s.to_device, s.to_host) * (1 + below(100) / 100.0);
    s.engines = 1 + below(2);
    s.copy_to_device_ns = below(3000), s.copy_to_host_ns = below(3000), s.turn_ns = below(3000);
    s.submit_ns = below(5000), s.call_ns = below(2000), s.launch_ns = below(2000);
    s.change_ns = below(6000), s.mark_ns = below(2000), s.wake_ns = below(9000);
    s.staging = below(1 << 20), s.host_cache = below(1 << 20), s.host_near = below(1 << 16);
    s.pageable_far = 1 + below(5), s.kernel_ns = below(3000);
    Timeline t(s);
    std::vector<std::uint32_t> last(1 + below(16));  // of each stream
    std::vector<bool> any(last.size());
    std::vector<Operation> all;
    const Place places[] = {Place::kPinned, Place::kPageable, Place::kWriteCombined};
    for (std::uint32_t i = 0, n = 5 + below(60); i < n; ++i) {
      const std::size_t stream = below(static_cast<std::uint32_t>(last.size()));
      Operation o;
      switch (below(6)) {
        case 0:
        case 1: o = copy(places[below(3)], Place::kDevice, below(1u << 22)); break;
        case 2:
        case 3: o = copy(Place::kDevice, places[below(3)], below(1u << 22)); break;
        case 4: o = kernel(below(300000), {}, (1 + below(100)) / 100.0); break;
        default: o = wait({}); break;
      }
      o.stream = stream;
      if (any[stream]) o.after = {last[stream]};
      if (i > 0 && below(4) == 0) o.after.push_back(below(i));  // an event of another stream
      std::sort(o.after.begin(), o.after.end());
      o.after.erase(std::unique(o.after.begin(), o.after.end()), o.after.end());
      last[stream] = t.add(o), any[stream] = true;
      all.push_back(o);
    }
    t.finish();
    for (const Engine way : {Engine::kToDevice, Engine::kToHost}) {
      std::vector<const Span*> spans;
      std::vector<double> bytes;
      for (std::uint32_t i = 0; i < t.size(); ++i) {
        REQUIRE(t.done(i));
        const Operation& o = all[i];
        for (const std::uint32_t before : o.after)
          if (o.step != Step::kWait) REQUIRE(t.span(i).begin >= t.span(before).end - 1e-3);
        if (o.step != Step::kCopy ||
            (o.to == Place::kDevice ? Engine::kToDevice : Engine::kToHost) != way)
          continue;
        spans.push_back(&t.span(i)), bytes.push_back(static_cast<double>(o.bytes));
      }
      for (const Span* first : spans)
        for (const Span* last_one : spans) {
          double carried = 0;
          for (std::size_t i = 0; i < spans.size(); ++i)
            if (spans[i]->begin >= first->begin && spans[i]->end <= last_one->end)
              carried += bytes[i];
          REQUIRE(carried <= s.wire * std::max(0.0, last_one->end - first->begin) + 1);
        }
    }
  }
}
