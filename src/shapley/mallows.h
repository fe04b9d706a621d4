/// \file The similarity of orders, and the discrepancy between a set of orders and all orders (sections 2.4 and 5.3.3).
///
/// All functions compare ranks, not orders. Two orders of the same players disagree about a pair if they have its
/// players in opposite sequence. With their fraction of disagreements s = n_discordant / (d (d - 1) / 2),
///
///   Mallows   exp(-lambda s), whose mean over all orders is
///             E = prod_(j=1..d) (1 - q^j) / (j (1 - q)), q = exp(-lambda / (d (d - 1) / 2))
///   Kendall   1 - 2 s, mean 0
///   Spearman  the product of the ranks, 1 to d, as vectors; mean d (d + 1)^2 / 4.
#pragma once

#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/span.h"
#include "shapley/orders.h"

namespace kauri {

enum class PermutationKernel { kMallows, kKendall, kSpearman };

/// Checks orders, [n, d]. \throws Error(kParameter) unless each row has every player once.
void CheckOrders(Span<std::uint32_t const> orders, std::int64_t n, std::int32_t d);

/// Returns the number of pairs of players on which the two orders disagree; ranks: [d]. By merge sort, d log d (Knight
/// 1966).
std::int64_t CountDiscordant(Span<std::uint32_t const> ranks_a, Span<std::uint32_t const> ranks_b);

/// Returns the mean of the Mallows kernel over all pairs of orders; MallowsVariance returns its variance, E for 2
/// lambda minus the square of E.
double MallowsMean(std::int32_t d, double lambda);
double MallowsVariance(std::int32_t d, double lambda);

/// Computes the discrepancy D of a set of orders: D^2 = E - 2 E sum w + w' K w. The error of a mean over the orders is
/// at most D times the norm of the averaged function (the inequality of Koksma and Hlawka). lambda: of the Mallows
/// kernel. The result has the same bits for any number of threads. Costs n^2 comparisons. \throws Error(kParameter)
/// unless each row of `order` has every player once.
double Discrepancy(Context const& ctx, Orders const& orders, PermutationKernel kernel, double lambda);

/// Orders as bits, one for each pair of players, which indicates who comes first. So disagreements are counted 64 pairs
/// at a time.
class PairBits {
 public:
  explicit PairBits(std::int32_t d);
  /// Returns the number of words per order.
  std::int64_t Width() const { return width_; }
  /// Writes the bits of an order. ranks: [d]; words (out): [Width()].
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
