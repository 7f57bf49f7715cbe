// launch.toml: what it may say, and what is said about mistakes.
#include "emulate/executor/launch_file.hpp"

#include "tests/emulate/support.hpp"

using namespace warpmem;
using namespace warpmem::emulate;

namespace {

const std::string kGood = R"(entry = "k"
grid = [4, 2]
block = 128
dynamic_shared = "2KiB"
[[args]]
type = "f32"
value = 1.5
[[args]]
buffer = "x"
type = "s32"
count = 100
fill = "random"
seed = 7
min = -5
max = 5
[[args]]
buffer = "x"
offset = 16
)";

Error refused(const std::string& text) {
  auto l = parse_launch_file("launch.toml", text);
  REQUIRE(!l.ok());
  CHECK(l.error().kind == ErrorKind::kUsage);
  return l.error();
}

}  // namespace

TEST_CASE("a launch description is read") {
  auto l = parse_launch_file("launch.toml", kGood);
  REQUIRE(l.ok());
  CHECK(l->entry == "k");
  CHECK(l->grid == Dim3{4, 2, 1});
  CHECK(l->block == Dim3{128, 1, 1});
  CHECK(l->dynamic_shared == 2048);
  REQUIRE(l->arguments.size() == 3);
  CHECK(l->arguments[0].bits == 0x3fc00000);
  CHECK(l->arguments[1].bytes == 400);
  CHECK(l->arguments[2].offset == 16);
  std::vector<std::int32_t> a(100), b(100);
  REQUIRE(fill_buffer(l->arguments[1], reinterpret_cast<std::byte*>(a.data())).ok());
  REQUIRE(fill_buffer(l->arguments[1], reinterpret_cast<std::byte*>(b.data())).ok());
  CHECK(a == b);
  for (const std::int32_t v : a) CHECK((v >= -5 && v < 5));
}

TEST_CASE("mistakes in a launch description are named with their line") {
  CHECK(refused("entry = \"k\"\ngird = 4\n").text() == "launch.toml, line 2: 'gird' is not a key here\n  fix: did you mean 'grid'?");
  CHECK(refused("grid = 4\n").message == "'entry' is missing");
  CHECK(refused("entry = \"k\"\ngrid = 0\n").message == "'grid' must be a whole number from 1 to 2,147,483,647");
  CHECK(refused("entry = \"k\"\n[[args]]\nbuffer = \"x\"\n").message == "buffer 'x' has no size");
  CHECK(refused("entry = \"k\"\n[[args]]\nvalue = 1\n").message == "an argument needs its type");
  CHECK(refused("entry = \"k\"\n[[args]]\ntype = \"u8\"\nvalue = 256\n").message == "256 does not fit .u8");
  CHECK(refused("entry = \"k\"\n[[args]]\nbuffer = \"x\"\ncount = 4\nfill = \"rmap\"\n").fix == "did you mean 'ramp'?");
  CHECK(refused("entry = \n").place.starts_with("launch.toml, line 1"));
}

TEST_CASE("a launch beyond the GPU's limits is refused") {
  auto l = parse_launch_file("launch.toml", kGood);
  REQUIRE(l.ok());
  const DeviceLimits limits;
  CHECK(check_limits(*l, 0, limits).ok());
  l->block = {1024, 2, 1};
  CHECK(check_limits(*l, 0, limits).error().message == "a block of 2048 threads: h200 allows 1024");
  l->block = {32, 1, 1};
  l->dynamic_shared = 230000;
  CHECK(!check_limits(*l, 4096, limits).ok());
}
