// The microbenchmark of instruction kinds (kernels/micro/instructions.cu), rebuilt as traces: the
// engine counts what an H200 counted.
#include "sim/engine/occupancy.hpp"
#include "sim/metric_rows.hpp"
#include "tests/catch.hpp"
#include "tests/model/hardware_rows.hpp"
#include "tests/sim/support.hpp"

using namespace warpmem;
using namespace warpmem::testing;

namespace {

const std::vector<HardwareRow>& rows() {
  static const auto r = hardware_rows("instructions.csv");
  return r;
}

// The engine's value under the profiler's name.
std::uint64_t value(const model::LaunchCounters& c, const std::string& metric) {
  for (const sim::MetricRow& row : sim::metric_rows())
    if (row.name == metric) return row.value(c);
  throw std::runtime_error("no metric " + metric);
}

void same(const model::LaunchCounters& c, const HardwareRow& row,
          std::initializer_list<const char*> metrics) {
  for (const char* m : metrics) {
    INFO(row.label << ": " << m);
    CHECK(value(c, m) == row.at(m));
  }
}

std::string after(const std::string& label, char at) { return label.substr(label.find(at) + 1); }

}  // namespace

TEST_CASE("the driver's shared-memory configuration is that of every launch shape measured") {
  int shapes = 0;
  const auto card = h200();
  for (const auto& row : rows()) {
    if (!row.starts("config,")) continue;
    trace::Launch launch;
    launch.grid = {132, 1, 1};
    launch.block = {static_cast<std::uint32_t>(row.number("block")), 1, 1};
    launch.registers = row.starts("config,many_registers") ? 168 : 16;
    if (row.starts("config,static8K")) launch.static_shared = 8192;
    if (row.starts("config,dynamic"))
      launch.dynamic_shared = static_cast<std::uint32_t>(std::stoul(row.label.substr(14)) * 1024);
    const auto o = sim::occupancy(card, launch);
    INFO(row.label);
    REQUIRE(o.ok());
    CHECK(o->shared_config == row.at("launch__shared_mem_config_size"));
    ++shapes;
  }
  CHECK(shapes >= 30);
}

TEST_CASE("atomics of every kind count as on an H200, told apart by their SASS") {
  for (const auto& row : rows()) {
    if (!row.starts("atomics,")) continue;
    const std::string kind = after(row.label, ',').substr(0, after(row.label, ',').find(' '));
    const std::uint32_t bytes = kind.find("64") != std::string::npos ? 8
                                : kind == "red.v4f32"                ? 16
                                                                     : 4;
    const bool value_back = kind[0] != 'r';
    const std::string sass = kind == "cas.u32" ? "ATOMG.E.CAS.STRONG.GPU PT, R5, [R2], R4, R5"
                             : value_back ? "ATOMG.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R5"
                                          : "RED.E.ADD.STRONG.GPU desc[UR4][R2.64], R5";
    Kernel k = kernel();
    // The trace's own operation says atomic everywhere: the text decides.
    const auto atom = k.site(Op::kAtomic, Space::kGlobal, bytes, sass);
    const auto out = k.site(Op::kStore, Space::kGlobal, 4, "STG.E desc[UR4][R2.64], R5");
    k.fill = [&](Warp& w) {
      w.records.push_back(listed(w, atom, kLanes, [&](unsigned l) {
        return kA + l % row.number("lanes") * row.number("step");
      }));
      if (value_back) w.records.push_back(regular(out, kB, 4));
    };
    const auto c = count(k);
    same(c, row,
         {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum",
          "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "l1tex__m_l1tex2xbar_write_sectors.sum",
          "l1tex__m_xbar2l1tex_read_sectors.sum", "lts__t_requests_srcunit_tex_op_atom.sum",
          "lts__t_requests_srcunit_tex_op_red.sum", "lts__t_requests_srcunit_tex_op_write.sum",
          "lts__t_sectors_srcunit_tex_op_atom.sum", "lts__t_sectors_srcunit_tex_op_red.sum",
          "memory_l1_tag_requests_global", "memory_l2_theoretical_sectors_global"});
  }
}

TEST_CASE("local stores of every width count as on an H200") {
  for (const auto& row : rows()) {
    if (!row.starts("local,")) continue;
    const auto bytes = static_cast<std::uint32_t>(std::stoul(after(row.label, ',')));
    Kernel k = kernel();
    k.launch.local_bytes = 1024;
    const auto st = k.site(Op::kStore, Space::kLocal, bytes);
    const auto out = k.site(Op::kStore, Space::kGlobal, 4);
    k.fill = [&](Warp& w) {
      const bool per_lane = row.number("per_lane");
      w.records.push_back(
          listed(w, st, kLanes, [&](unsigned l) { return 16 + (per_lane ? l * 7 % 32 * 16 : 0); }));
      w.records.push_back(regular(out, kB, 4));
    };
    same(count(k), row,
         {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum",
          "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum", "l1tex__m_l1tex2xbar_write_sectors.sum",
          "lts__t_requests_srcunit_tex_op_write.sum", "lts__t_sectors_srcunit_tex_op_write.sum",
          "memory_l2_theoretical_sectors_local", "memory_l2_theoretical_sectors_global"});
  }
}

TEST_CASE("asynchronous copies count as on an H200") {
  for (const auto& row : rows()) {
    if (!row.starts("async,")) continue;
    const auto bytes = static_cast<std::uint32_t>(std::stoul(after(row.label, ',')));
    const std::uint64_t step = std::max<std::uint64_t>(bytes, row.number("step"));
    const bool bypass = row.label.find(" cg ") != std::string::npos;
    Kernel k = kernel();
    const auto in = k.site(
        Op::kAsyncCopyRead, Space::kGlobal, bytes,
        bypass ? "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]" : "LDGSTS.E [R5], desc[UR4][R2.64]");
    // Both sides are records of one pc.
    k.sites.push_back({k.sites.back().pc, Op::kAsyncCopyWrite, Space::kShared, bytes});
    k.text.push_back("");
    const auto ld = k.site(Op::kLoad, Space::kShared, 1, "LDS.U8 R4, [R5]");
    const auto out = k.site(Op::kStore, Space::kGlobal, 4, "STG.E desc[UR4][R2.64], R5");
    k.fill = [&](Warp& w) {
      const auto width = static_cast<std::int32_t>(bytes);
      w.records = {regular(in, kA, static_cast<std::int32_t>(step)), regular(in + 1, 0, width),
                   regular(ld, 0, width), regular(out, kB, 4)};
    };
    const auto c = count(k);
    same(c, row,
         {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__m_xbar2l1tex_read_sectors.sum",
          "lts__t_sectors_srcunit_tex_op_read.sum", "memory_l1_tag_requests_global",
          "memory_l2_theoretical_sectors_global", "memory_l1_wavefronts_shared",
          "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"});
    if (!bypass)
      same(c, row,
           {"l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum",
            "lts__t_requests_srcunit_tex_op_read.sum"});
    CHECK(c.inst_ldgsts == 1);
  }
}

// "past 16 ffffffff 000001… 000002…": places of the lanes on both sides, in units of the bytes a
// lane.
TEST_CASE("asynchronous copies whose sides lie differently count as on an H200") {
  int cases = 0, wavefronts = 0, requests = 0;
  for (const auto& row : hardware_rows("async_shapes.csv")) {
    const auto part = split(row.label, ' ');
    const auto bytes = static_cast<std::uint32_t>(std::stoul(part[1]));
    const auto mask = static_cast<std::uint32_t>(std::stoul(part[2], nullptr, 16));
    const bool past = part[0] == "past";
    const auto place = [&](std::size_t side, unsigned lane) {
      return std::stoull(part[side].substr(3 * lane, 3), nullptr, 16) * bytes;
    };
    Kernel k = kernel();
    const auto in = k.site(
        Op::kAsyncCopyRead, Space::kGlobal, bytes,
        past ? "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64]" : "LDGSTS.E [R5], desc[UR4][R2.64]");
    k.sites.push_back({k.sites.back().pc, Op::kAsyncCopyWrite, Space::kShared, bytes});
    k.text.push_back("");
    k.fill = [&](Warp& w) {
      w.records = {listed(w, in, mask, [&](unsigned l) { return kA + place(3, l); }),
                   listed(w, in + 1, mask, [&](unsigned l) { return place(4, l); })};
    };
    const auto c = count(k);
    if (past) CHECK(c.theoretical_global == row.at("l1tex__m_xbar2l1tex_read_sectors.sum"));
    same(c, row,
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__m_xbar2l1tex_read_sectors.sum",
          "memory_l1_tag_requests_global",
          "l1tex__t_output_wavefronts_pipe_lsu_mem_global_op_ld.sum"});
    if (!past) CHECK(c.shared_wavefronts == row.at("memory_l1_wavefronts_shared"));
    wavefronts += c.shared_wavefronts == row.at("memory_l1_wavefronts_shared");
    requests += c.l2.read_requests == row.at("lts__t_requests_srcunit_tex_op_read.sum");
    ++cases;
  }
  CHECK(cases == 608);
  CHECK(wavefronts >= 605);
  CHECK(requests >= 540);
}

// "through 4 ffffffff 0000ff00 000001… 000002…": the lanes that are on, those of them that are
// filled with zeros.
TEST_CASE("asynchronous copies of lanes without a source count as on an H200") {
  int cases = 0, equal = 0, nothing_read = 0;
  for (const auto& row : hardware_rows("async_passes.csv")) {
    const auto part = split(row.label, ' ');
    const bool past = part[0] == "past";
    const auto bytes = static_cast<std::uint32_t>(std::stoul(part[1]));
    const auto on = static_cast<std::uint32_t>(std::stoul(part[2], nullptr, 16));
    const auto reads = on & ~static_cast<std::uint32_t>(std::stoul(part[3], nullptr, 16));
    if (reads == on) continue;
    const auto place = [&](std::size_t side, unsigned lane) {
      return std::stoull(part[side].substr(3 * lane, 3), nullptr, 16) * bytes;
    };
    Kernel k = kernel();
    const auto in = k.site(Op::kAsyncCopyRead, Space::kGlobal, bytes,
                           past ? "LDGSTS.E.BYPASS.128 [R5], desc[UR4][R2.64], P0"
                                : "LDGSTS.E [R5], desc[UR4][R2.64], P0");
    k.sites.push_back({k.sites.back().pc, Op::kAsyncCopyWrite, Space::kShared, bytes});
    k.text.push_back("");
    const auto copies = [&](std::vector<std::uint32_t> masks) {
      k.fill = [&, masks](Warp& w) {
        for (const std::uint32_t mask : masks) {
          if (mask)
            w.records.push_back(listed(w, in, mask, [&](unsigned l) { return kA + place(4, l); }));
          w.records.push_back(listed(w, in + 1, on, [&](unsigned l) { return place(5, l); }));
        }
      };
      return count(k);
    };
    // Behind one that reads with all lanes, of which nothing may be left.
    const auto before = copies({on}), both = copies({on, reads});
    INFO(row.label);
    const bool same_count =
        both.shared_wavefronts - before.shared_wavefronts == row.at("memory_l1_wavefronts_shared");
    if (!past || reads == 0) CHECK(same_count);
    CHECK(both.inst_ldgsts == 2);
    CHECK(both.ldgsts.requests == (past ? 0 : 2));
    CHECK(both.global_ld.requests == (reads ? 2 : 1));
    equal += same_count;
    nothing_read += reads == 0;
    ++cases;
  }
  CHECK(cases == 132);
  CHECK(equal >= 129);
  CHECK(nothing_read == 36);
}

TEST_CASE("bulk copies count as on an H200, skewed ones included") {
  for (const auto& row : rows()) {
    if (!row.starts("bulk,")) continue;
    const auto bytes = static_cast<std::uint32_t>(std::stoul(after(row.label, ',')));
    const std::uint64_t skew = row.number("skew");
    Kernel k = kernel();
    const auto in = k.site(Op::kBulkRead, Space::kGlobal, bytes);
    const auto to = k.site(Op::kBulkWrite, Space::kShared, bytes);
    const auto from = k.site(Op::kBulkRead, Space::kShared, bytes);
    const auto back = k.site(Op::kBulkWrite, Space::kGlobal, bytes);
    k.fill = [&](Warp& w) {
      w.records = {regular(in, kA + skew, 0, 1), regular(to, 0, 0, 1)};
      if (!row.number("back")) return;
      w.records.push_back(regular(from, 0, 0, 1));
      w.records.push_back(regular(back, kB + skew, 0, 1));
    };
    const auto c = count(k);
    same(c, row,
         {"l1tex__m_xbar2l1tex_read_sectors.sum", "l1tex__m_l1tex2xbar_write_sectors.sum",
          "lts__t_requests_srcunit_tex_op_write.sum", "lts__t_sectors_srcunit_tex_op_write.sum"});
    // A skewed read's pieces meet on their way to the L2, by chance of arrival.
    if (skew == 0)
      same(c, row,
           {"lts__t_requests_srcunit_tex_op_read.sum", "lts__t_sectors_srcunit_tex_op_read.sum"});
  }
}

TEST_CASE("generic accesses count by where they go, and split ones on both sides") {
  for (const char* where : {"global", "shared", "mixed"}) {
    const auto row = hardware_row(rows(), std::string("generic,") + where);
    const std::uint32_t shared = row.label == "generic,shared"  ? kLanes
                                 : row.label == "generic,mixed" ? 0xffffu
                                                                : 0;
    Kernel k = kernel();
    const auto init = k.site(Op::kStore, Space::kShared, 4, "STS [R5], R4");
    struct {
      Op op;
      const char* sass;
    } const kinds[] = {{Op::kLoad, "LD.E R4, desc[UR4][R2.64]"},
                       {Op::kStore, "ST.E desc[UR4][R2.64], R4"},
                       {Op::kAtomic, "ATOM.E.ADD.STRONG.GPU PT, R5, desc[UR4][R2.64], R5"}};
    std::vector<std::uint32_t> site;
    for (const auto& kind : kinds) {
      site.push_back(k.site(kind.op, Space::kGlobal, 4, kind.sass));
      // The other half is a record of the same pc, in shared memory.
      k.sites.push_back({k.sites.back().pc, kind.op, Space::kShared, 4});
      k.text.push_back("");
    }
    const auto out = k.site(Op::kStore, Space::kGlobal, 4, "STG.E desc[UR4][R2.64], R5");
    k.fill = [&](Warp& w) {
      w.records.push_back(regular(init, 0, 4));
      for (std::uint32_t s : site) {
        if (~shared) w.records.push_back(regular(s, kA, 4, ~shared));
        if (shared) w.records.push_back(regular(s + 1, 0, 4, shared));
      }
      w.records.push_back(regular(out, kB, 4));
    };
    same(count(k), row,
         {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_st_lookup_hit.sum",
          "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum",
          "l1tex__m_l1tex2xbar_write_sectors.sum", "l1tex__m_xbar2l1tex_read_sectors.sum",
          "lts__t_requests_srcunit_tex_op_write.sum", "lts__t_sectors_srcunit_tex_op_write.sum",
          "memory_l1_wavefronts_shared", "memory_l1_tag_requests_global",
          "memory_l2_theoretical_sectors_global"});
  }
}
