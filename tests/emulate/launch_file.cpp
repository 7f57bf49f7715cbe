// launch.toml: what it may say, and what is said about mistakes.
#include "emulate/one_kernel/launch_file.hpp"

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

const std::string kHead = "entry = \"k\"\ngrid = 4\nblock = 32\n";
const std::string kBuffer = kHead + "[[args]]\nbuffer = \"x\"\n";

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
  CHECK(refused("entry = \"k\"\ngird = 4\n").text() ==
        "launch.toml, line 2: 'gird' is not a key here\n  fix: did you mean 'grid'?");
  CHECK(refused("grid = 4\n").message == "'entry' is missing");
  CHECK(refused(kHead + "[[args]]\nbuffer = \"x\"\n").message == "buffer 'x' has no size");
  CHECK(refused(kHead + "[[args]]\nvalue = 1\n").message == "an argument needs its type");
  CHECK(refused(kHead + "[[args]]\ntype = \"u8\"\nvalue = 256\n").message ==
        "256 does not fit .u8");
  CHECK(refused(kHead + "[[args]]\nbuffer = \"x\"\ncount = 4\nfill = \"rmap\"\n").fix ==
        "did you mean 'ramp'?");
  CHECK(refused("entry = \n").place.starts_with("launch.toml, line 1"));
}

TEST_CASE("nothing that a launch description lacks or has of another type is made up") {
  CHECK(refused("entry = \"k\"\nblock = 32\n").text() ==
        "launch.toml, line 1: 'grid' is missing\n  fix: add grid = 128, or grid = [16, 8, 1] for "
        "x, y and z");
  CHECK(refused("entry = \"k\"\ngrid = 4\n").message == "'block' is missing");
  CHECK(refused("entry = \"k\"\nblock = 1\ngrid = 0\n").text() ==
        "launch.toml, line 3: grid = 0 is less than 1\n  fix: write a whole number from 1 to "
        "2,147,483,647");
  CHECK(refused("entry = \"k\"\ngrid = \"4\"\nblock = 1\n").message ==
        "grid = \"4\" is not a whole number");
  CHECK(refused("entry = \"k\"\ngrid = 1.0\nblock = 1\n").message ==
        "grid = 1 is not a whole number");
  for (const char* value : {"\"yes\"", "1", "0", "[]"})
    CHECK(refused(kHead + "cooperative = " + value + "\n")
              .message.ends_with("is neither true nor false"));
  for (const char* value : {"-1", "\"x\"", "1.5", "true"}) {
    const Error wrong = refused(kBuffer + "count = 4\nseed = " + value + "\n");
    CHECK(wrong.place == "launch.toml, line 7");
    CHECK(wrong.message.starts_with("seed = "));
  }
  CHECK(refused(kHead + "dynamic_shared = -1\n").message == "dynamic_shared = -1 is less than 0 B");
  CHECK(refused(kHead + "dynamic_shared = \"2 cups\"\n").place == "launch.toml, line 4");
  CHECK(refused(kBuffer + "count = 4\nmin = \"0\"\n").message == "min = \"0\" is not a number");
  CHECK(refused(kBuffer + "count = 4\nmax = inf\n").place == "launch.toml, line 7");
}

TEST_CASE("numbers that an argument's type cannot hold are refused") {
  CHECK(refused(kHead + "[[args]]\ntype = \"f32\"\nvalue = 1e39\n").message ==
        "1e+39 does not fit .f32");
  CHECK(refused(kHead + "[[args]]\ntype = \"f16\"\nvalue = 65505\n").message ==
        "65505 does not fit .f16");
  CHECK(refused(kHead + "[[args]]\ntype = \"s32\"\nvalue = 4294967296\n").fix ==
        "write a number from -2147483648 to 4294967295, or another type");
  const std::string bytes = kBuffer + "type = \"u8\"\ncount = 4\nfill = \"random\"\n";
  CHECK(parse_launch_file("launch.toml", bytes + "max = 256\n").ok());
  CHECK(refused(bytes + "max = 257\n").message == "max = 257 does not fit .u8");
  CHECK(refused(bytes + "min = -1\n").message == "min = -1 does not fit .u8");
  const auto usual =
      parse_launch_file("launch.toml", kBuffer + "type = \"s8\"\ncount = 4\nfill = \"random\"\n");
  REQUIRE(usual.ok());
  CHECK(usual->arguments[0].high == 128);  // 256 would come out negative
}

TEST_CASE("every mistake in a launch description comes with a fix") {
  const std::string wrong[] = {"grid = 1\n",
                               "entry = 5\n",
                               kHead + "cluster = []\n",
                               kHead + "cluster = [1, 1, 1, 1]\n",
                               kHead + "args = 5\n",
                               kHead + "args = [5]\n",
                               kHead + "dynamic_shared = \"2GiB\"\n",
                               kHead + "[[args]]\ntype = \"u7\"\nvalue = 1\n",
                               kBuffer + "count = 1\nsize = 4\n",
                               kBuffer,
                               kBuffer + "file = \"not/there\"\n",
                               kBuffer + "count = 1\nfill = \"file\"\n",
                               kBuffer + "count = 1\nfill = \"xyzzy\"\n",
                               kBuffer + "count = 1\nmin = 2\nmax = 1\n",
                               kBuffer + "count = 1\n[[args]]\nbuffer = \"x\"\ncount = 2\n",
                               kHead + "[[args]]\nbytes = \"0g\"\n",
                               kHead + "[[args]]\nbytes = \"0\"\n",
                               kHead + "[[args]]\ntype = \"u32\"\n",
                               kHead + "[[args]]\ntype = \"u32\"\nvalue = \"1\"\n",
                               kHead + "[[args]]\ntype = \"u32\"\nvalue = 1.5\n",
                               kHead + "[[args]]\nvalue = 1\n"};
  for (const std::string& text : wrong) {
    INFO(text);
    CHECK(!refused(text).fix.empty());
  }
}

TEST_CASE("a launch beyond the GPU's limits is refused") {
  auto l = parse_launch_file("launch.toml", kGood);
  REQUIRE(l.ok());
  // Compute capability 9.0's.
  const DeviceLimits limits{.name = "h200",
                            .block_threads = 1024,
                            .block = {1024, 1024, 64},
                            .grid = {0x7fffffff, 65535, 65535},
                            .shared_bytes = 232448,
                            .cluster_ctas = 16,
                            .memory_bytes = 150'000'000'000,
                            .sms = 132,
                            .sm = {},
                            .waits = {}};
  CHECK(check_limits(*l, 0, limits).ok());
  l->block = {1024, 2, 1};
  CHECK(check_limits(*l, 0, limits).error().message == "a block of 2048 threads: h200 allows 1024");
  l->block = {32, 1, 1};
  l->dynamic_shared = 230000;
  CHECK(!check_limits(*l, 4096, limits).ok());
}
