// Numbers of a card that follow from others where nobody gives them: what a DRAM's times come to in
// SM cycles, and how fast its channels are together.
//
// Also what a what-if leaves no room for: configurations of shared memory that a smaller L1 lacks,
// a second side of the L2.
//
// A number that the card's file gives (measured) stays, unless the user changes what it follows
// from: then it is worked out, or scaled, so that no setting is without effect.
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

#include "model/card/card.hpp"
#include "model/card/fields/card_fields.hpp"

namespace warpmem::model {

struct DerivedNumbers {
  CardNumbers& n;
  const CardNumbers& base;       // the card without the user's settings
  const Card::GivenFields& all;  // what is given, the user's before the file's before the type's
  const Card::GivenFields& file;
  const Card::GivenFields& user;
  std::map<std::size_t, std::string> sources = {};  // out: by field, how it was worked out

  // `another`: the user chose a DRAM type that is not the card's own.
  void work_out(bool another);

 private:
  void fit_shared();
  void fit_sms();
  void fit_l1_sets();
  void fit_l2_ways();
  void fit_partitions();
  void fit_link();
  bool set_by_user(std::initializer_list<std::string_view> keys) const;
  // Is nobody's, or no longer what the file says since the user changed one of `inputs`.
  bool follows(std::string_view key, std::initializer_list<std::string_view> inputs) const;
};

// Sectors that the pins of all channels carry in 1,000 SM cycles, and thousandths of the time that
// a refresh of all banks leaves to them. 0: not known.
double dram_pin_sectors_per_kilocycle(const CardNumbers& n);
double dram_refresh_share(const CardNumbers& n);

}  // namespace warpmem::model
