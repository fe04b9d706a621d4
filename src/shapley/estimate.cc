#include "shapley/estimate.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "common/memory_size.h"
#include "common/text/quoted.h"
#include "kauri/error.h"
#include "shapley/estimators.h"

namespace kauri {
namespace {

/// Number of units before the errors are first checked.
constexpr std::int64_t kFirstUnits = 4;

bool IsOfOrders(ShapleyMethod method) {
  return method >= ShapleyMethod::kMonteCarlo && method <= ShapleyMethod::kBayesian;
}

OrderSampler SamplerOf(ShapleyMethod method) {
  return static_cast<OrderSampler>(static_cast<int>(method) - static_cast<int>(ShapleyMethod::kMonteCarlo));
}

/// The contribution of each player, from the worth of the first 0 .. d players of an order.
struct Marginals {
  std::int32_t d;
  std::int64_t n_outputs;

  /// Calls add(player * n_outputs + output, marginal).
  template <typename Add>
  void OfOrder(Span<std::uint32_t const> order, double const* worth, Add&& add) const {
    for (std::int64_t k = 0; k < d; ++k) {
      for (std::int64_t output = 0; output < n_outputs; ++output) {
        auto const* after = worth + (k + 1) * n_outputs + output;
        add(std::int64_t{order[k]} * n_outputs + output, after[0] - after[-n_outputs]);
      }
    }
  }
};

/// Weighted sums over orders, and the spread of the units' means.
class OrderSums {
 public:
  OrderSums(std::int32_t d, std::int64_t n_outputs)
      : marginals_{d, n_outputs},
        sums_(SizeInMemory(d * n_outputs), 0.0),
        of_unit_(sums_.size(), 0.0),
        units_(sums_.size()) {}

  /// unit: number of orders per unit; 0: no units.
  void Add(Span<std::uint32_t const> order, double const* worth, double weight, std::int64_t unit) {
    marginals_.OfOrder(order, worth, [&](std::int64_t cell, double marginal) {
      sums_[ToSize(cell)] += weight * marginal;
      of_unit_[ToSize(cell)] += marginal;
    });
    weight_ += weight;
    ++n_orders_;
    if (unit == 0 || ++n_in_unit_ < unit) return;
    for (std::size_t cell = 0; cell < units_.size(); ++cell) {
      units_[cell].Add(of_unit_[cell] / static_cast<double>(unit));
    }
    n_in_units_ += unit;
    n_in_unit_ = 0;
    std::fill(of_unit_.begin(), of_unit_.end(), 0.0);
  }

  std::int64_t NumOrders() const { return n_orders_; }

  /// Writes the values as means, and their standard errors; orders beyond the last whole unit reduce the errors.
  void Write(ShapleyEstimate* estimate) const {
    auto const share = static_cast<double>(n_in_units_) / static_cast<double>(n_orders_);
    for (std::size_t cell = 0; cell < sums_.size(); ++cell) {
      estimate->values[cell] = sums_[cell] / weight_;
      estimate->errors[cell] = std::sqrt(units_[cell].VarianceOfMean() * share);
    }
  }

 private:
  Marginals marginals_;
  std::vector<double> sums_;
  std::vector<double> of_unit_;
  std::vector<RunningMoments> units_;
  double weight_ = 0.0;
  std::int64_t n_orders_ = 0;
  std::int64_t n_in_unit_ = 0;
  std::int64_t n_in_units_ = 0;
};

/// Returns whether every output's largest error is at most `tolerance` times its largest value minus its smallest.
/// Values that are not finite do not count: more orders do not mend them, and they say nothing about the other values.
bool IsWithin(ShapleyEstimate const& estimate, double tolerance, std::int64_t n_outputs) {
  for (std::int64_t output = 0; output < n_outputs; ++output) {
    auto largest = -std::numeric_limits<double>::infinity();
    auto smallest = std::numeric_limits<double>::infinity();
    auto error = 0.0;
    for (auto cell = ToSize(output); cell < estimate.values.size(); cell += ToSize(n_outputs)) {
      if (!std::isfinite(estimate.values[cell])) continue;
      largest = std::max(largest, estimate.values[cell]);
      smallest = std::min(smallest, estimate.values[cell]);
      error = std::max(error, estimate.errors[cell]);
    }
    auto const any_is_finite = smallest <= largest;
    if (any_is_finite && error > tolerance * (largest - smallest)) return false;
  }
  return true;
}

/// Returns the number of orders per unit of the error estimate. An orthogonal set of fewer than two units is divided
/// into pairs, whose means differ more than independent ones would: the error is too large rather than too small.
std::int64_t ErrorUnit(OrderSampler sampler, Orders const& orders, bool grows) {
  if (sampler == OrderSampler::kSobol) return grows ? orders.unit : 0;
  if (sampler == OrderSampler::kOrthogonal && orders.n < 2 * orders.unit && !grows) return 2;
  return orders.unit;
}

}  // namespace

std::shared_ptr<Orders const> ShapleyEstimator::OrdersOf(OrderSampler sampler, std::int32_t d, std::int64_t n,
                                                         Units const& units) const {
  std::lock_guard<std::mutex> const lock(mutex_);
  auto& orders = orders_[{d, units.first}];
  if (orders == nullptr) {
    OrderOptions options;
    options.sampler = sampler;
    options.seed = options_.seed;
    options.first_unit = units.first;
    if (sampler == OrderSampler::kSobol && units.length > 0)
      options.n_scrambles = (n + units.length - 1) / units.length;
    orders = std::make_shared<Orders const>(SampleOrders(ctx_, d, n, options));
  }
  return orders;
}

void ShapleyEstimator::EstimateByOrders(ShapleyPlan const& plan, Evaluations* game, ShapleyEstimate* estimate) const {
  constexpr std::int64_t kMasks = 1 << 14;  // coalitions evaluated at a time
  auto const sampler = SamplerOf(plan.method);
  auto const d = game->NumPlayers();
  auto const width = (d + 1) * game->NumOutputs();
  auto const grows = options_.tolerance > 0.0;
  auto const unit = sampler == OrderSampler::kSobol ? std::max<std::int64_t>(16, 2 * (d - 1)) : UnitOf(sampler, d);
  OrderSums sums(d, game->NumOutputs());
  for (std::int64_t first_unit = 0; sums.NumOrders() < plan.n_orders;) {
    // With a tolerance a step is a few units, otherwise all orders.
    auto const left = plan.n_orders - sums.NumOrders();
    auto const n_units = first_unit == 0 ? kFirstUnits : std::max<std::int64_t>(1, 8 / unit);
    auto const orders = grows ? OrdersOf(sampler, d, std::min(left, n_units * unit), {first_unit, unit})
                              : OrdersOf(sampler, d, left, {});
    auto const error_unit = ErrorUnit(sampler, *orders, grows);
    auto const at_once = std::max<std::int64_t>(1, kMasks / (d + 1));
    std::vector<double> worth(SizeInMemory(std::min(at_once, orders->n) * width));
    for (std::int64_t begin = 0; begin < orders->n; begin += at_once) {
      auto const n = std::min(at_once, orders->n - begin);
      game->EvaluateOrders(n, {orders->order.data() + begin * d, n * d}, worth);
      for (std::int64_t i = 0; i < n; ++i) {
        auto const weight = grows ? 1.0 : orders->weight[ToSize(begin + i)];
        sums.Add(orders->Of(begin + i), worth.data() + i * width, weight, error_unit);
      }
    }
    first_unit += n_units;
    sums.Write(estimate);
    if (!grows || IsWithin(*estimate, options_.tolerance, game->NumOutputs())) return;
  }
}

ShapleyEstimate ShapleyEstimator::Estimate(Game* game) const {
  Evaluations evaluations(game);
  auto const d = game->NumPlayers();
  auto const plan = ShapleyPlanOf(options_, d);
  ShapleyEstimate estimate;
  estimate.values.assign(SizeInMemory(d * game->NumOutputs()), 0.0);
  estimate.errors.assign(estimate.values.size(), 0.0);
  if (d == 0) {
    // There are no players.
  } else if (plan.method == ShapleyMethod::kExact) {
    EstimateExactly(&evaluations, &estimate);
  } else if (IsOfOrders(plan.method)) {
    EstimateByOrders(plan, &evaluations, &estimate);
  } else if (plan.method == ShapleyMethod::kStratified) {
    EstimateByStrata(plan.n_orders * d, options_.seed, &evaluations, &estimate);
  } else {
    EstimateByOwen(plan.n_orders, plan.method == ShapleyMethod::kOwenHalved, options_.seed, &evaluations, &estimate);
  }
  estimate.nobody = evaluations.WorthOf(false);  // usually already evaluated
  estimate.everybody = evaluations.WorthOf(true);
  estimate.n_evals = evaluations.Count();
  return estimate;
}

// Chooses the method and the number of orders for a game.

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
