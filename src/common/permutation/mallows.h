/// \file How alike orders are, and how far a set of orders is from all of them (sections 2.4 and 5.3.3).
///
/// Everything here compares ranks, not orders. Two orders of the same players disagree about a pair that one of them
/// has in the other sequence. With their share of disagreements s = n_discordant / (d (d - 1) / 2),
///   Mallows   exp(-lambda s), whose mean over all orders is
///             E = prod_(j=1..d) (1 - q^j) / (j (1 - q)), q = exp(-lambda / (d (d - 1) / 2))
///   Kendall   1 - 2 s, mean 0
///   Spearman  the product of the ranks, 1 to d, as vectors; mean d (d + 1)^2 / 4.
#pragma once

#include <cstdint>
#include <vector>

#include "common/permutation/orders.h"
#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

enum class PermutationKernel { kMallows, kKendall, kSpearman };

/// Pairs of players that the two disagree about; ranks: [d]. By merge sort, d log d (Knight 1966).
std::int64_t CountDiscordant(Span<std::uint32_t const> ranks_a, Span<std::uint32_t const> ranks_b);

/// Mean of the Mallows kernel over all pairs of orders, and its variance, E of 2 lambda less the square of E.
double MallowsMean(std::int32_t d, double lambda);
double MallowsVariance(std::int32_t d, double lambda);

/// The discrepancy D of a set of orders: D^2 = E - 2 E sum w + w' K w. The error of a mean over the orders is at most D
/// times the norm of what is averaged (the inequality of Koksma and Hlawka). lambda: of the Mallows kernel. The same
/// bits for any number of threads. Costs n^2 comparisons. \throws Error(kParameter) unless each row of `order` has
/// every player once.
double Discrepancy(Context const& ctx, Orders const& orders, PermutationKernel kernel, double lambda);

/// Orders as bits, one for each pair of players: which of the two comes first. So disagreements are counted 64 pairs at
/// a time.
class PairBits {
 public:
  explicit PairBits(std::int32_t d);
  /// Words of an order.
  std::int64_t Width() const { return width_; }
  /// ranks: [d]; words (out): [Width()].
  void Write(Span<std::uint32_t const> ranks, std::uint64_t* words) const;
  std::int64_t CountDiscordant(std::uint64_t const* a, std::uint64_t const* b) const;

 private:
  std::int32_t d_;
  std::int64_t width_;
};

/// The Mallows kernel by number of disagreements.
class MallowsTable {
 public:
  MallowsTable(std::int32_t d, double lambda);
  double At(std::int64_t n_discordant) const { return values_[ToSize(n_discordant)]; }

 private:
  std::vector<double> values_;  ///< [d (d - 1) / 2 + 1]
};

}  // namespace kauri
