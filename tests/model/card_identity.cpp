// What cards are called before their numbers are read is what they are called afterwards.
#include "model/card/card_identity.hpp"

#include "model/card/card.hpp"
#include "tests/catch.hpp"

using namespace warpmem;

TEST_CASE("identities of cards are those of the cards that are read whole") {
  const auto& all = model::card_identities();
  REQUIRE(all.size() == model::card_names().size());
  for (const model::CardIdentity& one : all) {
    INFO(one.name);
    const model::Card card = model::load_card(one.name).value();
    CHECK(one.full_name == card.full_name());
    CHECK(one.compute_capability == card.compute_capability());
    CHECK(one.capability == card.capability());
    CHECK(one.chip == card.chip());
    CHECK(one.year == card.year());
    CHECK(one.device == card.device());
  }
}

TEST_CASE("identities of cards stand in the order of their years") {
  const auto& all = model::card_identities();
  for (std::size_t i = 1; i < all.size(); ++i) CHECK(all[i - 1].year <= all[i].year);
}
