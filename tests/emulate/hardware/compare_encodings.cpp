// Machine instructions one by one against what an H100 gave for them (encodings.hpp).
#include <fmt/format.h>

#include <cstring>

#include "binary/disassembly/disassembly.hpp"
#include "emulate/executor/executor.hpp"
#include "emulate/sass/machine_kernel.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/h200.hpp"
#include "tests/emulate/hardware/encodings.hpp"

using namespace warpmem;
using namespace warpmem::emulate;
using namespace warpmem::emulate::hardware;

namespace {

constexpr std::size_t kResultBytes = std::size_t{kEncodingThreads} * kEncodingResults * 4;

class Bench {
 public:
  explicit Bench(const Encodings& all) : memory_(make_memory()) {
    contents_.cubin.arch = "sm_90", contents_.cc = 90, contents_.reserved_shared = 1024;
    record::CubinFunction f;
    f.name = "k", f.kernel = true, f.size = f.code_bytes = 16 * 256, f.registers = 56;
    f.parameters.at = 0x210, f.parameters.bytes = 80;
    contents_.cubin.functions.push_back(f);
    auto module = LoadedModule::load(module_of(contents_, "encodings.cubin"), *memory_);
    REQUIRE(module.ok());
    module_ = std::move(*module);
    in_ = memory_->allocate(all.input.size() * 4, trace::AllocationKind::kDevice);
    out_ = memory_->allocate(kResultBytes, trace::AllocationKind::kDevice);
    std::memcpy(memory_->host(in_), all.input.data(), all.input.size() * 4);
  }

  // What differs, in words; empty: nothing.
  std::string difference(const Encoding& encoding) {
    const auto listing = record::parse_disassembly(listing_of(encoding, "k"));
    auto kernel = build_machine_kernel(*module_, contents_, {}, "k", listing);
    if (!kernel) return kernel.error().text();
    LaunchShape shape;
    shape.sms = test::kH200Sms, shape.waits = test::kH200Waits;
    shape.grid = {kEncodingThreads / kEncodingBlock, 1, 1}, shape.block = {kEncodingBlock, 1, 1};
    shape.params.resize(80);
    std::memcpy(shape.params.data(), &out_, 8), std::memcpy(shape.params.data() + 8, &in_, 8);
    for (std::uint32_t k = 0; k < 16; ++k) {  // what instructions find in c[0x0][0x220]
      const std::uint32_t word = 0x3f8ccccdu + 0x11234567u * k;
      std::memcpy(shape.params.data() + 16 + 4 * k, &word, 4);
    }
    std::memset(memory_->host(out_), 0xee, kResultBytes);
    RunStatistics statistics;
    if (auto ran = run_launch(**kernel, *memory_, shape, {}, nullptr, statistics); !ran)
      return ran.error().text();
    std::vector<std::uint32_t> words(kResultBytes / 4);
    std::memcpy(words.data(), memory_->host(out_), kResultBytes);
    constexpr std::uint32_t kWarps = kEncodingThreads / 32, kEach = kWarps / kEncodingGroups;
    std::array<std::uint64_t, kWarps> hashes{};
    for (std::uint32_t w = 0; w < kWarps; ++w)
      hashes[w] = hash_of_warp(&words[std::size_t{w} * 32 * kEncodingResults]);
    for (std::uint32_t g = 0; g < kEncodingGroups; ++g)
      if (hash_of_group(&hashes[std::size_t{g} * kEach]) != encoding.hashes[g])
        return fmt::format("threads {} to {} differ", g * kEach * 32, (g + 1) * kEach * 32 - 1);
    return "";
  }

 private:
  static std::unique_ptr<Memory> make_memory() {
    auto memory = Memory::create(std::uint64_t{1} << 26);
    REQUIRE(memory.ok());
    return std::make_unique<Memory>(std::move(memory).value());
  }

  std::unique_ptr<Memory> memory_;
  std::unique_ptr<LoadedModule> module_;
  CubinContents contents_;
  std::uint64_t in_ = 0, out_ = 0;
};

}  // namespace

TEST_CASE("machine instructions give what they give on an H100, bit for bit", "[encodings]") {
  const Encodings all = read_encodings(WARPMEM_MACHINE_ENCODINGS);
  Bench bench(all);
  std::size_t ran = 0;
  for (const Encoding& one : all.all) {
    if (one.origin != Origin::kCompiler && one.origin != Origin::kMutant) continue;
    const std::string what = bench.difference(one);
    if (!what.empty()) FAIL_CHECK(one.text << ": " << what);
    ++ran;
  }
  CHECK(ran > 6000);
}
