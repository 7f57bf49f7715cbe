// When a number is used: what a card's choices say. A number with an unmet condition is not asked
// for, and a card that gives it is refused.
#pragma once

#include "model/access/rule/access_rule.hpp"
#include "model/card/fields/card_fields.hpp"
#include "model/card/fields/features.hpp"
#include "model/dram/dram.hpp"

namespace warpmem::model {

constexpr bool refreshes(const CardChoices& card, DramRefresh what) {
  return static_cast<DramRefresh>(card.n.dram_refresh) == what;
}

inline constexpr CardUse kSectors{
    "access.rule", "access.rule = \"sectors\"", [](const CardChoices& card) {
      return static_cast<AccessRule>(card.n.access_rule) == AccessRule::kSectors;
    }};
inline constexpr CardUse kEarly{
    "access.rule", "an access.rule of a GPU before 7.0", [](const CardChoices& card) {
      return static_cast<AccessRule>(card.n.access_rule) != AccessRule::kSectors;
    }};
inline constexpr CardUse kSomeL2{"l2.size", "l2.size = 1 set or more",
                                 [](const CardChoices& card) { return card.n.l2_bytes > 0; }};
inline constexpr CardUse kNoL2{"l2.size", "l2.size = 0",
                               [](const CardChoices& card) { return card.n.l2_bytes == 0; }};
inline constexpr CardUse kLsuQueues{"lsu.queue", "lsu.queue = \"by_scheduler\"",
                                    [](const CardChoices& card) { return card.n.lsu_queue == 0; }};
inline constexpr CardUse kTextureCache{
    "texture.size", "texture.size = 1 set or more",
    [](const CardChoices& card) { return card.n.texture_bytes > 0; }};
inline constexpr CardUse kSecondTexture{
    "texture.second_size", "texture.second_size = 1 set or more",
    [](const CardChoices& card) { return card.n.texture_second_bytes > 0; }};
inline constexpr CardUse kTwoSides{"l2.sides", "l2.sides = 2",
                                   [](const CardChoices& card) { return card.n.l2_sides > 1; }};
inline constexpr CardUse kSomeRefresh{
    "dram.refresh", "dram.refresh = \"bank\" or \"all\"",
    [](const CardChoices& card) { return !refreshes(card, DramRefresh::kNone); }};
inline constexpr CardUse kBankRefresh{
    "dram.refresh", "dram.refresh = \"bank\"",
    [](const CardChoices& card) { return refreshes(card, DramRefresh::kBank); }};
inline constexpr CardUse kAllRefresh{
    "dram.refresh", "dram.refresh = \"all\"",
    [](const CardChoices& card) { return refreshes(card, DramRefresh::kAll); }};
inline constexpr CardUse kEcc{"dram.ecc", "dram.ecc = \"off\" or \"on\"",
                              [](const CardChoices& card) { return card.n.dram_ecc != 0; }};
inline constexpr CardUse kSmallGroups{
    "topology.cta_small_groups", "topology.cta_small_groups = 1 or more",
    [](const CardChoices& card) { return card.n.cta_small_groups > 0; }};
inline constexpr CardUse kClusters{
    "compute_capability", "a compute_capability of 9.0 or more, which has clusters",
    [](const CardChoices& card) { return has_clusters(card.capability); }};
inline constexpr CardUse kBulkCopies{
    "compute_capability", "a compute_capability of 9.0 or more, which has bulk copies",
    [](const CardChoices& card) { return has_bulk_copies(card.capability); }};
inline constexpr CardUse kAsyncCopies{
    "compute_capability", "a compute_capability of 8.0 or more, which has asynchronous copies",
    [](const CardChoices& card) { return has_async_copies(card.capability); }};

}  // namespace warpmem::model
