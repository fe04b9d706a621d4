/// Chooses the method and the number of orders for a game.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "common/text/quoted.h"
#include "kauri/error.h"
#include "shapley/estimate.h"

namespace kauri {
namespace {

constexpr std::pair<char const*, ShapleyMethod> kNames[] = {{"auto", ShapleyMethod::kAuto},
                                                            {"exact", ShapleyMethod::kExact},
                                                            {"mc", ShapleyMethod::kMonteCarlo},
                                                            {"antithetic", ShapleyMethod::kAntithetic},
                                                            {"orthogonal", ShapleyMethod::kOrthogonal},
                                                            {"sobol", ShapleyMethod::kSobol},
                                                            {"herding", ShapleyMethod::kHerding},
                                                            {"sbq", ShapleyMethod::kBayesian},
                                                            {"owen", ShapleyMethod::kOwen},
                                                            {"owen_halved", ShapleyMethod::kOwenHalved},
                                                            {"stratified", ShapleyMethod::kStratified}};

/// Maximum number of players whose coalitions are all evaluated.
constexpr std::int32_t kMostExactPlayers = 24;

bool HasUnits(ShapleyMethod method) {
  return method == ShapleyMethod::kMonteCarlo || method == ShapleyMethod::kAntithetic ||
         method == ShapleyMethod::kOrthogonal || method == ShapleyMethod::kSobol;
}

void CheckOptions(ShapleyOptions const& options) {
  if (options.n_orders < 0) Fail(ErrorKind::kParameter, "n_orders is ", options.n_orders, "; expected at least 1.");
  if (options.max_evals < 0) Fail(ErrorKind::kParameter, "max_evals is ", options.max_evals, "; expected at least 1.");
  if (!(options.tolerance >= 0.0) || std::isinf(options.tolerance)) {
    Fail(ErrorKind::kParameter, "tolerance is ", options.tolerance, "; expected a finite number above 0.");
  }
  if (options.tolerance > 0.0 && options.method != ShapleyMethod::kAuto && options.method != ShapleyMethod::kExact &&
      !HasUnits(options.method)) {
    Fail(ErrorKind::kParameter, "method=", NameOf(options.method),
         " has no errors that a tolerance could bound; use mc, antithetic, orthogonal or sobol.");
  }
}

/// Returns the number of coalitions of an order of d players, without the empty and the full one; for owen of a sample,
/// for stratified of d marginals.
std::int64_t EvalsOfOrder(ShapleyMethod method, std::int32_t d) {
  if (method == ShapleyMethod::kStratified) return 2 * std::int64_t{d};
  return AddsUp(method) ? d - 1 : d + 1;
}

std::int64_t EvalsOf(std::int64_t n, ShapleyMethod method, std::int32_t d) { return n * EvalsOfOrder(method, d) + 2; }

/// Returns the number of orders for d players, at least two.
std::int64_t NumOrders(ShapleyOptions const& options, std::int32_t d) {
  constexpr std::int64_t kLeast = 10;
  constexpr std::int64_t kGrowth = 20;  // factor with a tolerance
  auto n = options.n_orders;
  if (options.max_evals > 0) {
    auto const affordable = (options.max_evals - 2) / EvalsOfOrder(options.method, d);
    if (affordable < 1) {
      Fail(ErrorKind::kParameter, "max_evals is ", options.max_evals, ", but one order of ", d, " players takes ",
           EvalsOf(1, options.method, d), "; raise it, or put columns into groups.");
    }
    n = n == 0 ? affordable : std::min(n, affordable);
  }
  if (n > 0) return n;
  return std::max(kLeast, 2 * (std::int64_t{d} - 1)) * (options.tolerance > 0.0 ? kGrowth : 1);
}

/// Returns the method, which auto chooses. A tolerance may end before n orders, so the cost of exact is then compared
/// with the orders used without a tolerance.
ShapleyMethod ChosenMethod(ShapleyOptions const& options, std::int32_t d, std::int64_t n) {
  constexpr std::int32_t kGreedyPlayers = 16;
  constexpr std::int64_t kBayesianOrders = 200;
  constexpr std::int64_t kHerdingOrders = 1000;
  if (options.method != ShapleyMethod::kAuto) return options.method;
  auto at_once = options;
  at_once.tolerance = 0.0;
  auto const n_evals = EvalsOf(NumOrders(at_once, d), options.method, d);
  if (d <= kMostExactPlayers && std::int64_t{1} << d <= n_evals) return ShapleyMethod::kExact;
  if (d > kGreedyPlayers || n > kHerdingOrders || options.tolerance > 0.0) return ShapleyMethod::kOrthogonal;
  return n <= kBayesianOrders ? ShapleyMethod::kBayesian : ShapleyMethod::kHerding;
}

}  // namespace

char const* NameOf(ShapleyMethod method) {
  auto const has = [&](auto const& named) { return named.second == method; };
  return std::find_if(std::begin(kNames), std::end(kNames), has)->first;
}

ShapleyMethod ShapleyMethodNamed(std::string const& name) {
  std::string known;
  for (auto const& [text, method] : kNames) {
    if (name == text) return method;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  Fail(ErrorKind::kParameter, "method is ", Quoted(name), "; expected one of ", known, ".");
}

bool AddsUp(ShapleyMethod method) {
  return method != ShapleyMethod::kOwen && method != ShapleyMethod::kOwenHalved && method != ShapleyMethod::kStratified;
}

ShapleyPlan ShapleyPlanOf(ShapleyOptions const& options, std::int32_t d) {
  CheckOptions(options);
  if (d <= 1) return {};
  if (options.method == ShapleyMethod::kExact) {
    auto const n_coalitions = d <= kMostExactPlayers ? std::int64_t{1} << d : 0;
    if (n_coalitions == 0 || (options.max_evals > 0 && n_coalitions > options.max_evals)) {
      Fail(ErrorKind::kParameter, "method=exact evaluates 2^", d, " coalitions of ", d, " players; ",
           n_coalitions == 0 ? "at most 24 players are possible" : "max_evals allows fewer",
           ", so use method=orthogonal, or put columns into groups.");
    }
    return {};
  }
  auto const n = NumOrders(options, d);
  return {ChosenMethod(options, d, n), n};
}

}  // namespace kauri
