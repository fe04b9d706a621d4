/// \file Orders of players, chosen so that few of them represent all.
///
/// After Mitchell, Cooper, Frank, Holmes 2022, "Sampling permutations for Shapley value estimation" (JMLR 23).
///
/// Vocabulary. An order lists the players as they join: order[k] joins k-th. Its ranks are the inverse: rank[i] is when
/// player i joins. Kernels and discrepancies (mallows.h) compare ranks. A unit is a group of consecutive orders that is
/// an estimate of its own: units are independent, so their spread gives a standard error.
///
///   mc          uniform orders. Unit: 1.
///   antithetic  an order and its reverse. Unit: 2.
///   orthogonal  (section 5.4.2) orders that rows of a random orthogonal matrix map to, and their reverses. Unit:
///               2 (d - 1).
///   sobol       (5.4.3) orders that a scrambled Sobol sequence on the sphere maps to. Unit: one scrambling.
///   herding     (5.3.1) each order is the random candidate that is least like the orders before. No unit.
///   sbq         (5.3.2) sequential Bayesian quadrature: candidates are chosen, and weighted, by the
///               posterior variance. No unit.
///
/// Every order is uniformly distributed over the seeds, for any sampler. Only additions, multiplications, divisions and
/// roots are used, so a seed gives the same orders on every machine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/random/random.h"
#include "kauri/context.h"
#include "kauri/span.h"

namespace kauri {

struct Orders {
  std::int64_t n = 0;
  std::int32_t d = 0;
  std::vector<std::uint32_t> order;  ///< [n, d]
  std::vector<double> weight;        ///< [n], sum 1
  std::int64_t unit = 0;             ///< orders of one unit; 0: there are no units

  Span<std::uint32_t const> Of(std::int64_t i) const { return {order.data() + i * d, d}; }
};

enum class OrderSampler { kMonteCarlo, kAntithetic, kOrthogonal, kSobol, kHerding, kBayesian };

struct OrderOptions {
  OrderSampler sampler = OrderSampler::kOrthogonal;
  std::uint64_t seed = 0;
  double lambda = 4.0;           ///< parameter of the Mallows kernel, for herding and sbq
  std::int32_t candidates = 25;  ///< candidates per order of herding and sbq
  std::int64_t n_scrambles = 1;  ///< sobol: its units, of n / n_scrambles orders each
  std::int64_t first_unit = 0;   ///< number of units skipped before the first order; mc, antithetic, orthogonal, sobol
};

/// Returns the name of a sampler: "mc", "antithetic", "orthogonal", "sobol", "herding" or "sbq".
char const* NameOf(OrderSampler sampler);
/// Returns the sampler of a name. \throws Error(kParameter) for an unknown name; `key` is the key that holds it.
OrderSampler SamplerNamed(std::string const& name, char const* key);

/// Maximum number of players; samplers that compare pairs of players run out of memory earlier.
constexpr std::int32_t kMostPlayers = 1 << 20;
/// Maximum number of players for sobol, which has directions for that many.
constexpr std::int32_t kMostSobolPlayers = 1113;
/// Maximum number of orders of herding and sbq, whose cost grows with its square and cube.
constexpr std::int64_t kMostGreedyOrders = 5000;

/// Samples n orders of d players. \throws Error(kParameter): d below 2 or above kMostPlayers, n below 1, and options
/// that a sampler does not support.
Orders SampleOrders(Context const& ctx, std::int32_t d, std::int64_t n, OrderOptions const& options);

/// Returns the number of orders of d players per unit of a sampler; 0 for samplers without units, and for sobol, whose
/// units have any length.
std::int64_t UnitOf(OrderSampler sampler, std::int32_t d);

/// Returns the ranks, rank[order[k]] = k, of each order, [n, d].
std::vector<std::uint32_t> RanksOf(Orders const& orders);

// The samplers behind SampleOrders, one function each. Before the call, arguments are checked and weights are 1
// / n.

/// Streams of random numbers: a separate key for each purpose, and for each order or unit of it.
enum class OrderStream : std::uint64_t { kUniform = 1, kNormals, kScramble, kCandidates };

KAURI_HD std::uint64_t OrderKey(std::uint64_t seed, OrderStream stream, std::uint64_t number) {
  return CombineKeys(CombineKeys(seed, static_cast<std::uint64_t>(stream)), number);
}

/// Shuffles 0 .. d - 1 by the method of Fisher and Yates.
void UniformOrder(std::uint64_t key, Span<std::uint32_t> order);

void SampleUniform(OrderOptions const& options, Orders* orders);
void SampleAntithetic(OrderOptions const& options, Orders* orders);
void SampleOrthogonal(Context const& ctx, OrderOptions const& options, Orders* orders);
void SampleSobol(Context const& ctx, OrderOptions const& options, Orders* orders);
void SampleHerding(Context const& ctx, OrderOptions const& options, Orders* orders);
void SampleBayesian(Context const& ctx, OrderOptions const& options, Orders* orders);

}  // namespace kauri
