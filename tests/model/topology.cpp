// The card as a graph, and the minimum cut of it under a kernel's traffic.
#include "model/topology/topology.hpp"

#include <numeric>
#include <random>

#include "tests/catch.hpp"

using namespace warpmem;
using model::Card;
using model::Resource;
using model::Topology;
using Loads = std::vector<Topology::Load>;

namespace {

Card h200() { return model::load_card("h200").value(); }

std::vector<double> each(std::size_t n, double busy) { return std::vector<double>(n, busy); }
constexpr std::size_t kSms = 132, kSlices = 96, kChannels = 188;

// Work on all SMs, so much for each.
Loads issued(double cycles) { return {{Resource::kIssue, each(kSms, cycles)}}; }

double sum(const std::vector<double>& v) { return std::accumulate(v.begin(), v.end(), 0.0); }

// The same by the graph's shape: chains side by side, stages behind each other.
double slow_twin(const Loads& loads, const std::vector<std::uint64_t>& sm_side) {
  std::vector<double> by[model::kResources];
  for (const auto& l : loads) by[static_cast<std::size_t>(l.place)] = l.busy;
  const auto of = [&](Resource p) -> std::vector<double>& {
    return by[static_cast<std::size_t>(p)];
  };
  const double all = sum(of(Resource::kIssue));
  double front = 0;
  for (std::uint64_t side = 0; side < 2; ++side) {
    double sms = 0, work = 0;
    for (std::size_t sm = 0; sm < kSms; ++sm) {
      if (sm_side[sm] != side) continue;
      double most = 0;
      for (std::size_t p = 0; model::is_of_sm(static_cast<Resource>(p)); ++p)
        if (!by[p].empty()) most = std::max(most, by[p][sm]);
      const double part = of(Resource::kIssue)[sm] / all;
      work += part;
      if (part > 0) sms += part / most;
    }
    double slices = 0;
    for (std::size_t k = 0; k < kSlices / 2 && !of(Resource::kSlice).empty(); ++k)
      slices += of(Resource::kSlice)[side * kSlices / 2 + k];
    front += slices > 0 ? std::min(sms, work * kSlices / 2 / slices) : sms;
  }
  const double rows = sum(of(Resource::kDramRows)), bus = sum(of(Resource::kDramBus)),
               host = sum(of(Resource::kHostLink));
  const double starts = sum(of(Resource::kCtaStart));
  double rate = front;
  if (starts > 0) rate = std::min(rate, 1 / starts);
  if (rows > 0 || bus > 0) rate = std::min(rate, kChannels / std::max(rows, bus));
  if (host > 0) rate = std::min(rate, 1 / host);
  return 1 / rate;
}

}  // namespace

TEST_CASE("the topology's links are the places in order, and carry what the card says") {
  const Topology t(h200());
  REQUIRE(t.links().size() == model::kResources);
  for (std::size_t p = 0; p < model::kResources; ++p) {
    CHECK(static_cast<std::size_t>(t.links()[p].place) == p);
    CHECK(std::string(model::name_of(t.links()[p].place)).size() > 3);
  }
  const auto all = [&](Resource p) { return t.link(p).bytes * t.link(p).count; };
  CHECK(all(Resource::kDramBus) == Approx(2307.2));
  CHECK(all(Resource::kPortIn) == Approx(132 * 87.36));
  CHECK(all(Resource::kPortOut) == Approx(132 * 32));
  CHECK(all(Resource::kL1) == Approx(132 * 128));
  CHECK(all(Resource::kHostLink) == Approx(25.6));
  // 142 sectors a cycle in whole lines were measured.
  CHECK(all(Resource::kSlice) / 32 == Approx(142).epsilon(0.01));
  const std::string dot = t.dot("h200");
  CHECK(dot.find("digraph \"h200\"") == 0);
  for (const auto& l : t.links())
    CHECK(dot.find(std::string("label=\"") + model::name_of(l.place)) != std::string::npos);
}

TEST_CASE("one place with work is the cut, and its busy time over their number the bound") {
  const Topology t(h200());
  const struct {
    Resource place;
    std::size_t n;
  } kCases[] = {{Resource::kL1, kSms},
                {Resource::kPortIn, kSms},
                {Resource::kTexture, kSms},
                {Resource::kRemote, kSms},
                {Resource::kPortOut, kSms},
                {Resource::kTensor, kSms},
                {Resource::kSlice, kSlices},
                {Resource::kDramBus, kChannels},
                {Resource::kDramRows, kChannels},
                {Resource::kHostLink, 1}};
  for (const auto& c : kCases) {
    INFO(model::name_of(c.place));
    Loads loads = issued(1);
    loads.push_back({c.place, each(c.n, 5000)});
    const auto bound = t.bound(loads);
    CHECK(bound.cycles == Approx(5000).epsilon(1e-6));
    REQUIRE(bound.cut.size() == 1);
    CHECK(bound.cut[0].place == c.place);
    CHECK(bound.cut[0].count == c.n);
    CHECK(bound.cut[0].of == c.n);
    CHECK(bound.cut[0].share == Approx(1));
    CHECK(bound.busiest == c.place);
    CHECK(bound.busiest_cycles == 5000);
  }
  CHECK(t.bound(issued(10)).cut.at(0).place == Resource::kIssue);
  CHECK(t.bound(issued(10)).cycles == Approx(10));
}

TEST_CASE("no work has no bound") {
  const Topology t(h200());
  CHECK(t.bound({}).cycles == 0);
  CHECK(t.bound({}).cut.empty());
  CHECK(t.bound(issued(0)).cycles == 0);
}

TEST_CASE("of places behind each other the slowest limits") {
  const Topology t(h200());
  Loads loads = issued(10);
  loads.push_back({Resource::kSlice, each(kSlices, 700)});
  loads.push_back({Resource::kDramBus, each(kChannels, 900)});
  loads.push_back({Resource::kDramRows, each(kChannels, 800)});
  CHECK(t.bound(loads).cut.at(0).place == Resource::kDramBus);
  CHECK(t.bound(loads).cycles == Approx(900));
  loads[3].busy = each(kChannels, 1000);
  CHECK(t.bound(loads).cut.at(0).place == Resource::kDramRows);
  CHECK(t.bound(loads).cycles == Approx(1000));
}

TEST_CASE("SMs that are held up by different places are cut at different places") {
  const Topology t(h200());
  Loads loads = issued(100);
  loads.push_back({Resource::kL1, each(kSms, 500)});
  loads.push_back({Resource::kPortIn, each(kSms, 400)});
  for (std::size_t sm = 0; sm < 66; ++sm) loads[2].busy[sm] = 1000;
  const auto bound = t.bound(loads);
  // Half of the work at 500 cycles, half at 1,000, if it may be shared out: 2 / (1/500 + 1/1000).
  CHECK(bound.cycles == Approx(2 / (1 / 500. + 1 / 1000.)));
  REQUIRE(bound.cut.size() == 2);
  CHECK(bound.cut[0].place == Resource::kL1);
  CHECK(bound.cut[0].count == 66);
  CHECK(bound.cut[0].of == kSms);
  CHECK(bound.cut[0].share == Approx(2. / 3));
  CHECK(bound.cut[1].place == Resource::kPortIn);
  CHECK(bound.cut[1].share == Approx(1. / 3));
  CHECK(bound.busiest == Resource::kPortIn);
  CHECK(bound.busiest_cycles == 1000);
}

TEST_CASE("SMs without work lend nothing") {
  const Topology t(h200());
  Loads loads = {{Resource::kIssue, each(kSms, 0)}, {Resource::kL1, each(kSms, 0)}};
  loads[0].busy[7] = 10, loads[1].busy[7] = 300;
  const auto bound = t.bound(loads);
  CHECK(bound.cycles == Approx(300));
  CHECK(bound.cut.at(0).count == 1);
  CHECK(bound.element == 7);
}

TEST_CASE("a side without SMs at work does not lend its slices to the other's near lookups") {
  const Card card = h200();
  const Topology t(card);
  Loads loads = {{Resource::kIssue, each(kSms, 0)}, {Resource::kSlice, each(kSlices, 0)}};
  for (std::size_t sm = 0; sm < kSms; ++sm)
    if (card.numbers().sm_side[sm] == 1) loads[0].busy[sm] = 1;
  for (std::size_t s = kSlices / 2; s < kSlices; ++s) loads[1].busy[s] = 600;
  const auto bound = t.bound(loads);
  CHECK(bound.cycles == Approx(600));
  CHECK(bound.cut.at(0).count == kSlices / 2);
}

TEST_CASE("one hot element is named beside what an even spread would allow") {
  const Topology t(h200());
  Loads loads = issued(10);
  loads.push_back({Resource::kDramBus, each(kChannels, 100)});
  loads[1].busy[37] = 4000;
  const auto bound = t.bound(loads);
  CHECK(bound.cycles == Approx((187 * 100 + 4000) / 188.));
  CHECK(bound.busiest == Resource::kDramBus);
  CHECK(bound.element == 37);
  CHECK(bound.busiest_cycles == 4000);
}

TEST_CASE("refreshes leave less of a channel") {
  Card card = h200();
  const std::vector<model::CardSetting> settings = {{"dram.refresh", "all"},
                                                    {"dram.sectors_per_kilocycle", "60000"}};
  REQUIRE(card.set(settings).ok());
  Loads loads = issued(1);
  loads.push_back({Resource::kDramBus, each(kChannels, 1000)});
  CHECK(Topology(card).bound(loads).cycles == Approx(1000 / (1 - 366.25 / 1950)));
}

TEST_CASE("the cut of random traffic is what the graph's shape says, and no element does more") {
  const Card card = h200();
  const Topology t(card);
  std::mt19937 random(1);
  const auto draw = [&](double most) {
    return std::uniform_real_distribution<double>(0, most)(random);
  };
  for (int round = 0; round < 60; ++round) {
    Loads loads;
    const auto add = [&](Resource place, std::size_t n, double most) {
      Topology::Load l{place, {}};
      for (std::size_t i = 0; i < n; ++i) l.busy.push_back(draw(4) < 1 ? 0 : draw(most));
      loads.push_back(std::move(l));
    };
    add(Resource::kIssue, kSms, 100);
    for (std::size_t p = 1; p < model::kResources; ++p) {
      const auto place = static_cast<Resource>(p);
      if (place == Resource::kFabric || draw(3) < 1) continue;
      add(place,
          model::is_of_sm(place)        ? kSms
          : place == Resource::kSlice   ? kSlices
          : model::is_of_channel(place) ? kChannels
                                        : 1,
          draw(1000));
    }
    // Where nothing is issued nothing is asked for.
    for (auto& l : loads)
      for (std::size_t i = 0; model::is_of_sm(l.place) && i < kSms; ++i)
        if (loads[0].busy[i] == 0) l.busy[i] = 0;
    const auto bound = t.bound(loads);
    INFO("round " << round);
    CHECK(bound.cycles == Approx(slow_twin(loads, card.numbers().sm_side)).epsilon(1e-5));
    CHECK(bound.cycles <= bound.busiest_cycles * 1.00001);
    double share = 0;
    for (const auto& part : bound.cut) share += part.share;
    CHECK(share == Approx(1).epsilon(0.01));
  }
}
