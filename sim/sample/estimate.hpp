// A total from samples of its parts: the stratified estimator, with a confidence interval by
// Student's t and the degrees of freedom of Welch and Satterthwaite (Cochran, "Sampling
// Techniques", 3rd edition, chapters 2 and 5).
#pragma once

#include <cstdint>
#include <span>

namespace warpmem::sim {

// Some of a stratum's units, and what each of them came to.
struct Stratum {
  double units = 0;  // that it has
  std::span<const double> seen;
};

// Sums up strata, one after the other.
class Estimate {
 public:
  // Of counts: where all units that were seen came to the same, others may have an error.
  void add(const Stratum& stratum);
  // A total that is known.
  void add(double known) { total_ += known; }
  // A total with a variance of its own.
  void add(double total, double variance, double freedom);

  // By so much it may be off for reasons that are no chance; added up, and part of every interval.
  void may_be_off_by(double amount) { off_ += amount; }

  double total() const { return total_; }
  double off() const { return off_; }
  double variance() const { return variance_; }
  double freedom() const;
  // So that `confidence` of such intervals hold the true total.
  double half_width(double confidence) const;

 private:
  double total_ = 0, variance_ = 0, off_ = 0;
  double squares_ = 0;  // of variances, over their degrees of freedom
};

}  // namespace warpmem::sim
