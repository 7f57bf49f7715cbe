// From the GPU's chunks to a sealed trace: nothing is lost, and each warp's records stay in order.
#include "traces/record/drain.hpp"

#include <fmt/format.h>

#include <map>
#include <thread>

#include "tests/catch.hpp"
#include "tests/record/fake_gpu.hpp"
#include "tests/record/support.hpp"

using namespace warpmem;
using namespace warpmem::record;

namespace {

constexpr std::uint32_t kChunks = 512;

// CTAs of `warps` warps on `sms` multiprocessors, their records interleaved: begin, `loads` loads
// with the load's number as address, end.
void run_kernel(FakeGpu& gpu, const LaunchState& launch, std::uint32_t sms, std::uint32_t warps,
                std::uint32_t loads, std::uint32_t grid = 0) {
  std::vector<std::thread> multiprocessors;
  const std::uint32_t ctas = launch.launch.grid[0];
  for (std::uint32_t sm = 0; sm < sms; ++sm) {
    multiprocessors.emplace_back([&, sm] {
      for (std::uint32_t cta = sm; cta < ctas; cta += sms) {
        const auto each = [&](auto emit) {
          for (std::uint32_t w = 0; w < warps; ++w)
            emit(FakeGpu::Where{sm, launch.slot, cta, w, grid});
        };
        each([&](auto where) { gpu.emit(where, kRawBegin, 0, 0, 0, 0, ~0u, sm, 0); });
        for (std::uint32_t i = 0; i < loads; ++i) {
          each([&](auto where) {
            gpu.emit(where, kRawGlobal, 0, 4, 1, kCodeStart + 0x10, ~0u,
                     (std::uint64_t{cta} << 20) + i * 128, 4);
          });
        }
        each([&](auto where) { gpu.emit(where, kRawExit, 0, 0, 0, 0, ~0u, 0, 0); });
      }
    });
  }
  for (std::thread& thread : multiprocessors) thread.join();
}

// Every warp has its begin, its loads in order, and its end; returns the number of records.
std::uint64_t check_trace(const trace::TraceReader& reader, std::uint32_t launch,
                          std::uint32_t warps, std::uint32_t loads) {
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> next;  // warp → its next record
  std::uint64_t total = 0;
  for (const std::uint32_t number : reader.launches()[launch].blocks) {
    const auto block = reader.decode(number);
    REQUIRE(block.ok());
    for (const trace::Segment& segment : block->segments) {
      for (std::uint32_t i = 0; i < segment.count; ++i, ++total) {
        const trace::Record& record = block->records[segment.first + i];
        const std::uint32_t at = next[{segment.cta, segment.warp}]++;
        const trace::Op op = reader.sites(launch)[record.site].op;
        const trace::Op expected = at == 0       ? trace::Op::kCtaBegin
                                   : at <= loads ? trace::Op::kLoad
                                                 : trace::Op::kCtaEnd;
        if (op != expected ||
            (op == trace::Op::kLoad && record.base != (segment.cta << 20) + (at - 1) * 128)) {
          FAIL(fmt::format("cta {} warp {} record {} is wrong", segment.cta, segment.warp, at));
        }
      }
    }
  }
  CHECK(next.size() == std::size_t{reader.launches()[launch].launch.grid[0]} * warps);
  CHECK(total == next.size() * (loads + 2));
  return total;
}

}  // namespace

TEST_CASE("small and large launches arrive whole, one after the other", "[record][drain]") {
  FakeGpu gpu(kChunks);
  TraceFile file;
  const std::uint32_t sizes[] = {1, 7, 300, 9000, 3};
  {
    Drain drain(gpu.bytes(), kChunks, file.output, 3, ~std::uint64_t{0});
    for (std::uint32_t id = 0; id < 5; ++id) {
      auto launch = make_launch(id, sizes[id], 128);
      REQUIRE(drain.attach(launch));
      file.output.begin_launch(launch->launch);
      run_kernel(gpu, *launch, 4, 4, 20);
      REQUIRE(drain.wait(*launch, 20000));
      drain.finish(*launch);
    }
  }
  const auto reader = file.read();
  CHECK(reader.quality().complete());
  for (std::uint32_t id = 0; id < 5; ++id) check_trace(reader, id, 4, 20);
}

TEST_CASE("launches that overlap are kept apart", "[record][drain]") {
  FakeGpu gpu(kChunks);
  TraceFile file;
  {
    Drain drain(gpu.bytes(), kChunks, file.output, 2, ~std::uint64_t{0});
    std::vector<std::shared_ptr<LaunchState>> launches;
    std::vector<std::thread> kernels;
    for (std::uint32_t id = 0; id < 4; ++id) {
      launches.push_back(make_launch(id, 400, 64));
      REQUIRE(drain.attach(launches.back()));
      file.output.begin_launch(launches.back()->launch);
    }
    for (const auto& launch : launches) {
      kernels.emplace_back([&] { run_kernel(gpu, *launch, 3, 2, 10); });
    }
    for (std::thread& kernel : kernels) kernel.join();
    for (const auto& launch : launches) {
      REQUIRE(drain.wait(*launch, 20000));
      drain.finish(*launch);
    }
  }
  const auto reader = file.read();
  for (std::uint32_t id = 0; id < 4; ++id) check_trace(reader, id, 2, 10);
}

TEST_CASE("kernels of a graph that share a slot are told apart by their grid", "[record][drain]") {
  FakeGpu gpu(kChunks);
  TraceFile file;
  {
    Drain drain(gpu.bytes(), kChunks, file.output, 2, ~std::uint64_t{0});
    auto first = make_launch(0, 50, 64), second = make_launch(1, 60, 64);
    for (const auto& launch : {first, second}) {
      REQUIRE(drain.attach(launch));
      file.output.begin_launch(launch->launch);
      launch->in_graph = true;
    }
    first->grid = 4;
    second->grid = 5;
    first->siblings = {second};
    run_kernel(gpu, *first, 2, 2, 5, 4);
    LaunchState as_second_on_gpu;  // the GPU knows the first one's slot only
    as_second_on_gpu.launch = second->launch;
    as_second_on_gpu.slot = first->slot;
    run_kernel(gpu, as_second_on_gpu, 2, 2, 5, 5);
    run_kernel(gpu, as_second_on_gpu, 2, 2, 5, 6);  // a third that is not recorded
    for (const auto& launch : {first, second}) {
      REQUIRE(drain.wait(*launch, 20000));
      drain.finish(*launch);
    }
    CHECK(drain.orphans() == 0);
  }
  const auto reader = file.read();
  check_trace(reader, 0, 2, 5);
  check_trace(reader, 1, 2, 5);
}

TEST_CASE("--max-records is exact and leaves the launch marked", "[record][drain]") {
  FakeGpu gpu(kChunks);
  TraceFile file;
  {
    Drain drain(gpu.bytes(), kChunks, file.output, 2, 10000);
    auto launch = make_launch(0, 2000, 128);
    REQUIRE(drain.attach(launch));
    file.output.begin_launch(launch->launch);
    run_kernel(gpu, *launch, 4, 4, 20);
    drain.wait(*launch, 200);
    drain.finish(*launch);
    CHECK(drain.truncated());
  }
  const auto reader = file.read();
  CHECK(reader.quality().records == 10000);
  CHECK(reader.launches()[0].end.truncated);
}

TEST_CASE("a kernel that does not end lets the launch call return", "[record][drain]") {
  FakeGpu gpu(kChunks);
  TraceFile file;
  Drain drain(gpu.bytes(), kChunks, file.output, 2, ~std::uint64_t{0});
  auto launch = make_launch(0, 1, 32);
  REQUIRE(drain.attach(launch));
  file.output.begin_launch(launch->launch);
  std::atomic<bool> released{false};
  std::thread kernel([&] {  // polls a flag, and is recorded doing so
    gpu.emit({0, launch->slot, 0, 0}, kRawBegin, 0, 0, 0, 0, ~0u, 0, 0);
    while (!released)
      gpu.emit({0, launch->slot, 0, 0}, kRawGlobal, 0, 4, 1, kCodeStart + 0x10, 1, 0, 0);
    gpu.emit({0, launch->slot, 0, 0}, kRawExit, 0, 0, 0, 0, ~0u, 0, 0);
  });
  CHECK_FALSE(drain.wait(*launch, 50));
  released = true;
  kernel.join();
  CHECK(drain.wait(*launch, 20000));
  drain.finish(*launch);
}

TEST_CASE("a failed output loses records by number, and the GPU is drained on", "[record][drain]") {
  FakeGpu gpu(kChunks);
  TraceFile file;
  {
    Drain drain(gpu.bytes(), kChunks, file.output, 2, ~std::uint64_t{0});
    file.output.fail({ErrorKind::kResources, "the disk is full", "", ""});
    auto launch = make_launch(0, 9000, 128);
    REQUIRE(drain.attach(launch));
    run_kernel(gpu, *launch, 4, 4, 20);
    REQUIRE(drain.wait(*launch, 20000));
    drain.finish(*launch);
    CHECK(launch->lost == 9000 * 4 * 22);
  }
  CHECK(file.failure.find("disk is full") != std::string::npos);
}
