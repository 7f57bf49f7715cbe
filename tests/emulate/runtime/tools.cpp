// Options, devices and nvcc's command line: what the command and the library agree on.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "emulate/cudart/compile.hpp"
#include "emulate/cudart/device.hpp"
#include "emulate/cudart/device_properties.hpp"
#include "emulate/cudart/session.hpp"
#include "tests/catch.hpp"
#include "tests/emulate/runtime/h200.hpp"

namespace warpmem::cudart {
namespace {

Device h200() {
  auto device = parse_device(kH200);
  REQUIRE(device);
  return *device;
}

TEST_CASE("a device survives its text") {
  CHECK(to_text(h200()) == kH200);
  Device d = h200();
  d.card = "other", d.name = "A GPU; no", d.major = 8, d.minor = 6, d.sms = 84,
  d.l2_bytes = 1 << 20, d.rooms = {4, 80};
  d.name = "A GPU";
  auto back = parse_device(to_text(d));
  REQUIRE(back);
  CHECK(to_text(*back) == to_text(d));
  for (const char* bad : {"sms=many", "colour=red", "cc=9", "name=", "sms=-1", "rooms=4//2",
                          "rooms=0", "configs=0", "wire=-1", "copy_to_host_ns=soon"}) {
    INFO(bad);
    CHECK(!parse_device(std::string(kH200) + ";" + bad));
  }
}

TEST_CASE("a device of which something is not said is refused") {
  const std::string all = kH200;
  CHECK(!parse_device(""));
  const auto missing = parse_device(all.substr(all.find(';') + 1));
  REQUIRE(!missing);
  CHECK(missing.error().message == "WARPMEM_EMULATE_GPU: 1 of a GPU's 52 facts are missing");
}

TEST_CASE("as many clusters fit as an H200's driver says") {
  std::ifstream file(WARPMEM_H200_DATA "/clusters.csv");
  std::string line;
  std::getline(file, line);
  const Device d = h200();
  int cases = 0;
  for (int an_sm = 0, ctas = 0, clusters = 0; std::getline(file, line); ++cases) {
    REQUIRE(std::sscanf(line.c_str(), "%d,%d,%d", &an_sm, &ctas, &clusters) == 3);
    INFO(line);
    CHECK(d.clusters(ctas, an_sm) == clusters);
  }
  CHECK(cases == 176);
  Device unknown = h200();
  unknown.rooms.clear();
  CHECK(unknown.clusters(8, 2) == 33);
}

TEST_CASE("options survive the environment") {
  SessionOptions o;
  o.device = h200();
  o.output = "/tmp/t.wmt", o.kernel = "scale.*", o.first_launch = 2, o.last_launch = 5,
  o.ctas = 0.25, o.max_records = 1000, o.max_instructions = 77;
  o.command = "./app -n 3", o.status = "/tmp/status", o.level = emulate::CodeLevel::kPtx;
  for (const auto& [name, value] : to_environment(o)) setenv(name.c_str(), value.c_str(), 1);
  auto back = options_from_environment();
  for (const auto& [name, value] : to_environment(o)) unsetenv(name.c_str());
  REQUIRE(back);
  CHECK(to_environment(*back) == to_environment(o));
  CHECK(!options_from_environment());  // of no GPU
  emulate_h200();
  setenv("WARPMEM_EMULATE_CTAS", "2", 1);
  CHECK(!options_from_environment());
  unsetenv("WARPMEM_EMULATE_CTAS");
  for (const char* name : {"THREADS", "MAX_RECORDS", "MAX_INSTRUCTIONS", "FIRST_LAUNCH",
                           "LAST_LAUNCH", "CHECK", "STRICT"})
    for (const char* value : {"-1", "x", "1.5", "18446744073709551616"}) {
      const std::string whole = std::string("WARPMEM_EMULATE_") + name;
      setenv(whole.c_str(), value, 1);
      back = options_from_environment();
      unsetenv(whole.c_str());
      INFO(whole << "=" << value);
      REQUIRE(!back);
      CHECK(back.error().text().find(whole) != std::string::npos);
      CHECK(!back.error().fix.empty());
    }
  setenv("WARPMEM_EMULATE_LEVEL", "machine", 1);
  CHECK(!options_from_environment());
  setenv("WARPMEM_EMULATE_LEVEL", "sass", 1);
  back = options_from_environment();
  REQUIRE(back);
  CHECK(back->level == emulate::CodeLevel::kSass);
  // Traces of that level are read, and no longer written.
  setenv("WARPMEM_EMULATE_LEVEL", "ptx+sass", 1);
  CHECK(!options_from_environment());
  unsetenv("WARPMEM_EMULATE_LEVEL");
}

TEST_CASE("machine code is what runs from 7.5 on, and before it where it is asked for") {
  using emulate::CodeLevel;
  CHECK(emulate::wants_machine_code(CodeLevel::kBest, 75));
  CHECK(emulate::wants_machine_code(CodeLevel::kBest, 120));
  CHECK_FALSE(emulate::wants_machine_code(CodeLevel::kBest, 70));
  CHECK(emulate::wants_machine_code(CodeLevel::kSass, 20));
  CHECK_FALSE(emulate::wants_machine_code(CodeLevel::kPtx, 90));
  CHECK(emulate::code_capability(20) == 75);
  CHECK(emulate::code_capability(86) == 86);
}

TEST_CASE("nvcc gets a shared runtime and PTX, and the user's own architecture stays") {
  const auto has = [](const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  const auto plain = nvcc_words("nvcc", {"app.cu", "-O2"}, "90", "out");
  CHECK(has(plain, "arch=compute_90,code=compute_90"));
  CHECK(has(plain, "shared"));
  CHECK(has(plain, "-lineinfo"));
  const auto arch = nvcc_words("nvcc", {"app.cu", "-arch=sm_80"}, "90", "out");
  CHECK(has(arch, "-arch=sm_80"));
  CHECK(!has(arch, "arch=compute_90,code=compute_90"));
  const auto machine =
      nvcc_words("nvcc", {"app.cu", "-gencode", "arch=compute_80,code=sm_80"}, "90", "out");
  CHECK(has(machine, "arch=compute_90,code=compute_90"));  // that alone has no PTX
  const auto run = nvcc_words("nvcc", {"app.cu"}, "90", "out", {}, true);
  CHECK(has(run, "arch=compute_90,code=sm_90"));  // --level sass
  CHECK(!has(plain, "arch=compute_90,code=sm_90"));
  const auto native = nvcc_words("nvcc", {"app.cu", "-arch", "native"}, "90", "out");
  CHECK(!has(native, "native"));
  CHECK(has(native, "arch=compute_90,code=compute_90"));
}

TEST_CASE("device properties of CUDA 12 and 13 say the same of the same GPU") {
  const Device d = h200();
  DeviceProperties12 p12;
  DeviceProperties13 p13;
  fill_properties_12(d, &p12);
  fill_properties_13(d, &p13);
  CHECK(std::string(p12.name) == "NVIDIA H200");
  CHECK(std::string(p13.name) == "NVIDIA H200");
  CHECK(p12.multi_processor_count == 132);
  CHECK(p13.multi_processor_count == 132);
  CHECK(p12.shared_mem_per_block_optin == p13.shared_mem_per_block_optin);
  CHECK(p13.cluster_launch == 1);
  for (const int which : {1, 10, 16, 39, 75, 81, 97, 106, 120})
    CHECK(attribute(d, which).has_value());
  CHECK(!attribute(d, 4711).has_value());
}

// CUDA programming guides, technical specifications by compute capability; the ratio by their table
// of throughput.
TEST_CASE("attributes of older GPUs are those of their compute capability") {
  struct Row {
    int major, minor, threads, grid_x, grid_z, concurrent, managed, cooperative, ratio;
  };
  for (const Row& r :
       {Row{1, 0, 512, 65535, 1, 0, 0, 0, 0}, Row{2, 0, 1024, 65535, 65535, 1, 0, 0, 2},
        Row{3, 5, 1024, 2147483647, 65535, 1, 1, 0, 3},
        Row{5, 2, 1024, 2147483647, 65535, 1, 1, 0, 32},
        Row{6, 0, 1024, 2147483647, 65535, 1, 1, 1, 2},
        Row{7, 5, 1024, 2147483647, 65535, 1, 1, 1, 32},
        Row{8, 6, 1024, 2147483647, 65535, 1, 1, 1, 64},
        Row{9, 0, 1024, 2147483647, 65535, 1, 1, 1, 2}}) {
    Device d = h200();
    d.major = r.major, d.minor = r.minor;
    INFO(r.major << '.' << r.minor);
    CHECK(attribute(d, 1) == r.threads);
    CHECK(attribute(d, 5) == r.grid_x);
    CHECK(attribute(d, 7) == r.grid_z);
    CHECK(attribute(d, 31) == r.concurrent);
    CHECK(attribute(d, 83) == r.managed);
    CHECK(attribute(d, 95) == r.cooperative);
    CHECK(attribute(d, 87) == r.ratio);
    DeviceProperties13 p;
    fill_properties_13(d, &p);
    CHECK(p.max_threads_per_block == r.threads);
    CHECK(p.max_grid_size[2] == r.grid_z);
    CHECK(p.managed_memory == r.managed);
  }
}

}  // namespace
}  // namespace warpmem::cudart
