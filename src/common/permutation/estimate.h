/// \file Shapley values of a game: from all coalitions, or estimated from some.
///
///   exact        all 2^d coalitions
///   mc .. sbq    the mean over orders (orders.h) of what each player adds to those before it. Whatever the orders, the
///                values add up to what all are worth less what nobody is.
///   owen         the integral over q in [0, 1] of what a player adds to a coalition that each other one joins with
///                chance q (Owen 1972), by the trapezoid rule
///   owen_halved  the same from 0 to 1/2, each coalition with its complement
///   stratified   a stratum for each player and place in the order, half of the draws for those that vary (Castro and
///                others 2017)
///   auto         exact if the budget allows; else up to 16 players sbq to 200 orders and herding to 1,000, where both
///                have least error; else orthogonal
///
/// owen to stratified do not add up exactly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/permutation/game.h"
#include "common/permutation/orders.h"
#include "kauri/context.h"

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

/// "auto", "exact", "mc", ..
char const* NameOf(ShapleyMethod method);
/// \throws Error(kParameter) for another name.
ShapleyMethod ShapleyMethodNamed(std::string const& name);
/// Whether values add up exactly to what all are worth less what nobody is.
bool AddsUp(ShapleyMethod method);

struct ShapleyOptions {
  ShapleyMethod method = ShapleyMethod::kAuto;
  std::int64_t n_orders = 0;   ///< 0: as max_evals allows, or else max(10, 2 (d - 1))
  std::int64_t max_evals = 0;  ///< coalitions of a game; 0: as n_orders says
  double tolerance = 0.0;      ///< above 0: ends once no error is above so much of the largest value less the smallest
  std::uint64_t seed = 0;
};

/// What a game of d players is estimated with.
struct ShapleyPlan {
  ShapleyMethod method = ShapleyMethod::kExact;
  std::int64_t n_orders = 0;  ///< of owen and owen_halved samples, of stratified d marginals each
};

/// \throws Error(kParameter) for options out of their bounds, that contradict each other, or that d players cannot
/// have.
ShapleyPlan ShapleyPlanOf(ShapleyOptions const& options, std::int32_t d);

struct ShapleyEstimate {
  std::vector<double> values;  ///< [n_players, n_outputs]
  std::vector<double> errors;  ///< [n_players, n_outputs], standard errors; NaN where there are not two units
  std::vector<double> nobody;  ///< [n_outputs]
  std::vector<double> everybody;
  std::int64_t n_evals = 0;
};

/// Estimates of many games with the same options; orders are drawn once for each number of players. Safe from many
/// threads.
class ShapleyEstimator {
 public:
  /// ctx: for drawing orders.
  ShapleyEstimator(Context const& ctx, ShapleyOptions const& options) : ctx_(ctx), options_(options) {}

  /// Sums in float64, in the order of orders: a game's numbers decide every bit.
  ShapleyEstimate Estimate(Game* game) const;

 private:
  void EstimateByOrders(ShapleyPlan const& plan, Evaluations* game, ShapleyEstimate* estimate) const;
  /// Which of a sampler's units a call wants.
  struct Units {
    std::int64_t first = 0;
    std::int64_t length = 0;  ///< of each, for sobol; 0: all orders are one
  };
  std::shared_ptr<Orders const> OrdersOf(OrderSampler sampler, std::int32_t d, std::int64_t n,
                                         Units const& units) const;

  Context ctx_;
  ShapleyOptions options_;
  mutable std::mutex mutex_;  ///< guards what is below
  mutable std::map<std::pair<std::int32_t, std::int64_t>, std::shared_ptr<Orders const>> orders_;  ///< by d, first unit
};

}  // namespace kauri
