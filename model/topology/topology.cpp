#include "model/topology/topology.hpp"

#include <algorithm>
#include <array>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cmath>
#include <deque>
#include <numeric>

#include "model/card/card_numbers_derived.hpp"
#include "model/card/ecc.hpp"
#include "model/card/spec_of.hpp"
#include "model/interconnect/spec.hpp"
#include "model/shared/rule/shared_rule.hpp"

namespace warpmem::model {
namespace {

using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
using Graph = boost::adjacency_list<
    boost::vecS, boost::vecS, boost::directedS, boost::no_property,
    boost::property<
        boost::edge_capacity_t, std::int64_t,
        boost::property<boost::edge_residual_capacity_t, std::int64_t,
                        boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
using Vertex = Traits::vertex_descriptor;
using Edge = Traits::edge_descriptor;

// Capacities are whole numbers, as flows of fractions never quite cancel: 1 << 40 for a place that
// alone would set the pace, up to 1 << 50 for those with nothing to do.
constexpr double kUnit = 1.0 * (std::uint64_t{1} << 40);
constexpr std::int64_t kUnlimited = std::int64_t{1} << 50;

// The graph under a kernel's traffic.
class Network {
 public:
  Vertex vertex() { return boost::add_vertex(graph_); }

  // Passes so many kernels a cycle, in units of `pace`.
  void edge(Vertex from, Vertex to, Resource place, double rate, double pace) {
    const double capacity = rate * pace * kUnit;
    add(from, to, place,
        capacity < static_cast<double>(kUnlimited)
            ? static_cast<std::int64_t>(std::llround(capacity))
            : kUnlimited);
  }
  void unlimited(Vertex from, Vertex to, Resource place = Resource::kFabric) {
    add(from, to, place, kUnlimited);
  }

  // The largest flow, in kernels a cycle times `pace`, and the edges that hold it down.
  double cut(Vertex from, Vertex to, std::vector<Topology::Bound::Part>& parts) {
    const std::int64_t flow = boost::push_relabel_max_flow(graph_, from, to);
    parts.clear();
    if (flow == 0) return 0;
    // What can still be reached from the source is on its side of the cut.
    std::vector<char> reached(boost::num_vertices(graph_), 0);
    std::deque<Vertex> queue{from};
    reached[from] = 1;
    const auto residual = boost::get(boost::edge_residual_capacity, graph_);
    while (!queue.empty()) {
      const Vertex v = queue.front();
      queue.pop_front();
      for (auto [e, end] = boost::out_edges(v, graph_); e != end; ++e)
        if (const Vertex w = boost::target(*e, graph_); residual[*e] > 0 && !reached[w]) {
          reached[w] = 1;
          queue.push_back(w);
        }
    }
    std::array<Topology::Bound::Part, kResources> all{};
    const auto capacity = boost::get(boost::edge_capacity, graph_);
    for (const auto& [e, place] : places_)
      if (reached[boost::source(e, graph_)] && !reached[boost::target(e, graph_)]) {
        auto& part = all[static_cast<std::size_t>(place)];
        part.place = place;
        ++part.count;
        part.share += static_cast<double>(capacity[e]) / static_cast<double>(flow);
      }
    for (const auto& part : all)
      if (part.share > 0.0005) parts.push_back(part);
    std::stable_sort(parts.begin(), parts.end(),
                     [](const auto& a, const auto& b) { return a.share > b.share; });
    return static_cast<double>(flow) / kUnit;
  }

 private:
  void add(Vertex from, Vertex to, Resource place, std::int64_t capacity) {
    const Edge e = boost::add_edge(from, to, graph_).first;
    const Edge back = boost::add_edge(to, from, graph_).first;
    boost::put(boost::edge_capacity, graph_, e, capacity);
    boost::put(boost::edge_capacity, graph_, back, 0);
    boost::put(boost::edge_reverse, graph_, e, back);
    boost::put(boost::edge_reverse, graph_, back, e);
    places_.emplace_back(e, place);
  }

  Graph graph_;
  std::vector<std::pair<Edge, Resource>> places_;
};

double sum(std::span<const double> v) { return std::accumulate(v.begin(), v.end(), 0.0); }

}  // namespace

Topology::Topology(const Card& card) {
  const CardNumbers& n = card.numbers();
  for (std::uint64_t side : n.sm_side) sm_side_.push_back(static_cast<std::uint8_t>(side));
  sides_ = static_cast<std::uint32_t>(n.l2_sides);
  const std::uint32_t slices = spec_of<MemoryPathSpec>(card).slices;
  slices_a_side_ = slices / sides_;
  bus_share_ = 1 - dram_refresh_share(n);
  const auto sms = static_cast<std::uint32_t>(n.sm_count),
             channels = static_cast<std::uint32_t>(n.dram_channels);
  const double line =
      4 * static_cast<double>(n.l2_read_sector_permille) + static_cast<double>(n.l2_read_permille);
  const auto sectors = [](std::uint64_t permille) {
    return 32 * static_cast<double>(permille) / 1000;
  };
  // A bank of 3.x gives 8 bytes, however banks are numbered.
  const std::uint64_t wide = static_cast<std::uint64_t>(SharedRule::kWideBanks),
                      bank = n.shared_rule == wide ? 8 : n.shared_bank_bytes;
  const double banks =
      static_cast<double>(n.shared_banks * bank) / static_cast<double>(n.lsu_cycles);
  // In the order of Resource.
  links_ = {
      {Resource::kIssue, "warps", "SM", sms, 0, "four schedulers, an instruction a cycle each"},
      {Resource::kFma, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kAlu, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kFp64, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kXu, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kTensor, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kMio, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kUniform, "SM", "registers", sms, 0, "instruction table"},
      {Resource::kEvenRegisters, "SM", "registers", sms, 0,
       "a read of a bank a cycle and scheduler"},
      {Resource::kOddRegisters, "SM", "registers", sms, 0,
       "a read of a bank a cycle and scheduler"},
      {Resource::kConstant, "SM", "registers", sms, 0, "constant.address_cycles"},
      {Resource::kL1, "SM", "L1", sms, banks, "shared.banks, shared.bank_bytes, lsu.cycles"},
      {Resource::kTexture, "L1", "texels", sms, 0, "a request of the texture unit a cycle"},
      {Resource::kRemote, "L1", "other SMs", sms,
       n.remote_read > 0 ? 32000 / static_cast<double>(n.remote_read) : 0,
       n.remote_read > 0 ? "remote.read" : "the card has no clusters"},
      {Resource::kPortOut, "L1", "crossbar", sms, sectors(n.port_send_permille),
       "port.send_permille"},
      {Resource::kPortIn, "crossbar", "L1", sms, sectors(n.port_receive_permille),
       "port.receive_permille"},
      {Resource::kSlice, "crossbar", "L2 side", slices,
       line > 0 ? 128 * static_cast<double>(n.l2_clock_permille) / line : 0,
       "l2.read_permille, l2.read_sector_permille: whole lines read"},
      {Resource::kFabric, "L2 side", "L2 home", 0, 0, "no limit on the card"},
      {Resource::kDramRows, "L2 home", "DRAM rows", channels, 0, "dram.activate_permille"},
      {Resource::kDramBus, "DRAM rows", "memory", channels, sectors(dram_bandwidth(n)) / channels,
       "dram.sectors_per_kilocycle"},
      {Resource::kHostLink, "L2 home", "host memory", 1, sectors(n.host_permille),
       "port.host_permille"},
      {Resource::kCtaStart, "grid", "warps", 1, 0, "time.cta_millicycles"}};
}

// The pace that the slowest kind would set alone, which capacities are measured in; `out` gets the
// busiest element of all.
double Topology::pace(std::span<const Load> loads, Bound& out) const {
  double pace = 0;
  for (const Load& l : loads) {
    if (l.busy.empty()) continue;
    const double share = is_of_channel(l.place) ? bus_share_ : 1;
    pace = std::max(pace, sum(l.busy) / (static_cast<double>(l.busy.size()) * share));
    const auto most = std::max_element(l.busy.begin(), l.busy.end());
    if (const double cycles = *most / share; cycles > out.busiest_cycles) {
      out.busiest = l.place;
      out.busiest_cycles = cycles;
      out.element = static_cast<std::uint32_t>(most - l.busy.begin());
    }
  }
  return pace;
}

// A kernel's traffic as a network from its grid to both memories.
struct Topology::Traffic {
  std::array<std::span<const double>, kResources> busy{};
  double pace = 0;
  Network network;
  Vertex grid = network.vertex(), warps = network.vertex(), home = network.vertex(),
         memory = network.vertex(), host = network.vertex();
  std::vector<Vertex> crossbar, near;  // by side
  std::vector<double> work;            // of the kernel's, by the side of the SMs that do it

  std::span<const double> of(Resource p) const { return busy[static_cast<std::size_t>(p)]; }
  double all(Resource p) const { return sum(of(p)); }
  // Of which the kernel takes `taken` cycles in all, `part` of it over this edge; unlimited where
  // it takes none.
  void edge(Vertex from, Vertex to, Resource place, double part, double taken) {
    if (taken > 0) network.edge(from, to, place, part / taken, pace);
    else network.unlimited(from, to, place);
  }
};

// From the warps to the crossbar, place by place, for each SM that has work.
void Topology::add_sms(Traffic& t) const {
  const double issued = t.all(Resource::kIssue);
  for (std::size_t sm = 0; sm < sm_side_.size(); ++sm) {
    const double part = t.of(Resource::kIssue)[sm] / issued;
    if (part == 0) continue;
    t.work[sm_side_[sm]] += part;
    Vertex at = t.warps;
    for (std::size_t p = 0; is_of_sm(static_cast<Resource>(p)); ++p) {
      const auto place = static_cast<Resource>(p);
      const bool last = place == Resource::kPortIn;
      const double taken = t.of(place).empty() ? 0 : t.of(place)[sm];
      if (taken == 0 && !last) continue;
      const Vertex to = last ? t.crossbar[sm_side_[sm]] : t.network.vertex();
      t.edge(at, to, place, part, taken);
      at = to;
    }
  }
}

// Through the slices of each side to the home of what is asked for.
void Topology::add_slices(Traffic& t) const {
  for (std::uint32_t s = 0; s < sides_; ++s) {
    const auto all = t.of(Resource::kSlice);
    const double taken =
        all.empty() ? 0 : sum(all.subspan(std::size_t{s} * slices_a_side_, slices_a_side_));
    for (std::uint32_t k = 0; k < slices_a_side_; ++k)
      if (taken > 0 || k == 0) t.edge(t.crossbar[s], t.near[s], Resource::kSlice, t.work[s], taken);
    t.network.unlimited(t.near[s], t.home);
  }
}

void Topology::add_channels(Traffic& t) const {
  const double rows = t.all(Resource::kDramRows), bus = t.all(Resource::kDramBus);
  for (std::uint32_t c = 0; c < std::max(1u, link(Resource::kDramBus).count); ++c) {
    const Vertex opened = t.network.vertex();
    t.edge(t.home, opened, Resource::kDramRows, bus_share_, rows);
    t.edge(opened, t.memory, Resource::kDramBus, bus_share_, bus);
  }
}

Topology::Bound Topology::bound(std::span<const Load> loads) const {
  Bound out;
  Traffic t;
  for (const Load& l : loads) t.busy[static_cast<std::size_t>(l.place)] = l.busy;
  t.pace = pace(loads, out);
  if (t.pace == 0 || t.all(Resource::kIssue) == 0) return out;
  for (std::uint32_t s = 0; s < sides_; ++s) {
    t.crossbar.push_back(t.network.vertex());
    t.near.push_back(t.network.vertex());
  }
  t.work.assign(sides_, 0);
  t.edge(t.grid, t.warps, Resource::kCtaStart, 1, t.all(Resource::kCtaStart));
  add_sms(t);
  add_slices(t);
  add_channels(t);
  const double link = t.all(Resource::kHostLink);
  if (link > 0) t.edge(t.home, t.host, Resource::kHostLink, 1, link);

  // All of the work needs its share of either memory: the slower of the two decides.
  double flow = t.network.cut(t.grid, t.memory, out.cut);
  if (link > 0) {
    std::vector<Bound::Part> other;
    if (const double to_host = t.network.cut(t.grid, t.host, other); to_host < flow) {
      flow = to_host;
      out.cut = std::move(other);
    }
  }
  for (Bound::Part& part : out.cut) part.of = this->link(part.place).count;
  out.cycles = flow > 0 ? t.pace / flow : 0;
  return out;
}

std::string Topology::dot(const std::string& name) const {
  const auto whole = [](double v) { return std::to_string(static_cast<std::uint64_t>(v + 0.5)); };
  std::string out = "digraph \"" + name + "\" {\n  rankdir=LR;\n";
  for (const Link& l : links_) {
    out += "  \"" + std::string(l.from) + "\" -> \"" + l.to + "\" [label=\"" + name_of(l.place);
    if (l.count > 1) out += "\\n" + std::to_string(l.count);
    if (l.bytes > 0) out += "\\n" + whole(l.bytes * l.count) + " B a cycle";
    out += "\"];\n";
  }
  return out + "}\n";
}

}  // namespace warpmem::model
