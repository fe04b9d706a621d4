/// \file Shapley values of a game, computed from all coalitions or estimated from some.
///
///   exact        all 2^d coalitions
///   mc .. sbq    the mean over orders (orders.h) of each player's contribution to the players before it. The
///                values always add up to the worth of all players minus the worth of the empty coalition.
///   owen         the integral over q in [0, 1] of a player's contribution to a coalition that each other player joins
///                with probability q (Owen 1972), by the trapezoid rule
///   owen_halved  the same from 0 to 1/2, each coalition with its complement
///   stratified   a stratum for each player and place in the order; half of the draws go to the strata that
///                vary (Castro and others 2017)
///   auto         exact if the budget allows; else up to 16 players sbq to 200 orders and herding to 1,000,
///                where both have the smallest error; else orthogonal
///
/// The values of owen to stratified do not add up exactly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "kauri/context.h"
#include "shapley/game.h"
#include "shapley/orders.h"

namespace kauri {

enum class ShapleyMethod {
  kAuto,
  kExact,
  kMonteCarlo,
  kAntithetic,
  kOrthogonal,
  kSobol,
  kHerding,
  kBayesian,
  kOwen,
  kOwenHalved,
  kStratified
};

/// Returns the name of a method: "auto", "exact", "mc", ..
char const* NameOf(ShapleyMethod method);
/// Returns the method of a name. \throws Error(kParameter) for an unknown name.
ShapleyMethod ShapleyMethodNamed(std::string const& name);
/// Returns whether values add up exactly to the worth of all players minus the worth of the empty coalition.
bool AddsUp(ShapleyMethod method);

struct ShapleyOptions {
  ShapleyMethod method = ShapleyMethod::kAuto;
  std::int64_t n_orders = 0;   ///< 0: limited by max_evals, or without it max(10, 2 (d - 1))
  std::int64_t max_evals = 0;  ///< maximum number of coalitions of a game; 0: as n_orders implies
  /// above 0: ends once no error exceeds this fraction of the largest value minus the smallest
  double tolerance = 0.0;
  std::uint64_t seed = 0;
};

/// The method and the number of orders for a game of d players.
struct ShapleyPlan {
  ShapleyMethod method = ShapleyMethod::kExact;
  /// number of orders; for owen and owen_halved samples, for stratified units of d marginals
  std::int64_t n_orders = 0;
};

/// Chooses the plan. \throws Error(kParameter) for options that are out of bounds, contradict each other, or are
/// impossible for d players.
ShapleyPlan ShapleyPlanOf(ShapleyOptions const& options, std::int32_t d);

struct ShapleyEstimate {
  std::vector<double> values;  ///< [n_players, n_outputs]
  std::vector<double> errors;  ///< [n_players, n_outputs], standard errors; NaN with fewer than two units
  std::vector<double> nobody;  ///< [n_outputs], worth of the empty coalition
  std::vector<double> everybody;
  std::int64_t n_evals = 0;
};

/// Estimates many games with the same options; orders are sampled once for each number of players. Thread-safe.
class ShapleyEstimator {
 public:
  /// ctx: for sampling orders.
  ShapleyEstimator(Context const& ctx, ShapleyOptions const& options) : ctx_(ctx), options_(options) {}

  /// Estimates the values of a game. Sums are float64, in the order of the orders, so the game's numbers determine
  /// every bit.
  ShapleyEstimate Estimate(Game* game) const;

 private:
  void EstimateByOrders(ShapleyPlan const& plan, Evaluations* game, ShapleyEstimate* estimate) const;
  /// The units of a sampler that a call needs.
  struct Units {
    std::int64_t first = 0;
    std::int64_t length = 0;  ///< orders per unit, for sobol; 0: all orders form one unit
  };
  std::shared_ptr<Orders const> OrdersOf(OrderSampler sampler, std::int32_t d, std::int64_t n,
                                         Units const& units) const;

  Context ctx_;
  ShapleyOptions options_;
  /// Guards orders_.
  mutable std::mutex mutex_;
  mutable std::map<std::pair<std::int32_t, std::int64_t>, std::shared_ptr<Orders const>> orders_;  ///< by d, first unit
};

}  // namespace kauri
