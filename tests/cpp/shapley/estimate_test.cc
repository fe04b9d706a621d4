#include "shapley/estimate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "shapley/games.h"
#include "support/error.h"

namespace kauri {
namespace {

constexpr ShapleyMethod kOfOrders[] = {ShapleyMethod::kMonteCarlo, ShapleyMethod::kAntithetic,
                                       ShapleyMethod::kOrthogonal, ShapleyMethod::kSobol,
                                       ShapleyMethod::kHerding,    ShapleyMethod::kBayesian};
constexpr ShapleyMethod kInexact[] = {ShapleyMethod::kOwen, ShapleyMethod::kOwenHalved, ShapleyMethod::kStratified};

ShapleyOptions With(ShapleyMethod method, std::int64_t n_orders, std::uint64_t seed = 0) {
  ShapleyOptions options;
  options.method = method;
  options.n_orders = n_orders;
  options.seed = seed;
  return options;
}

ShapleyEstimate Estimated(FunctionGame game, ShapleyOptions const& options) {
  return ShapleyEstimator({}, options).Estimate(&game);
}

/// Computes formula 1 from its definition, in long double.
std::vector<double> BruteForce(std::int32_t d, FunctionGame::Worth const& worth) {
  std::vector<double> values(ToSize(d));
  for (std::int32_t player = 0; player < d; ++player) {
    long double sum = 0.0L;
    for (std::int64_t set = 0; set < std::int64_t{1} << d; ++set) {
      if ((set >> player & 1) != 0) continue;
      std::vector<std::uint8_t> mask;
      for (std::int32_t i = 0; i < d; ++i) mask.push_back(static_cast<std::uint8_t>(set >> i & 1));
      auto const size = std::accumulate(mask.begin(), mask.end(), 0);
      auto const without = worth(mask.data());
      mask[ToSize(player)] = 1;
      auto const weight = std::tgamma(static_cast<long double>(size + 1)) *
                          std::tgamma(static_cast<long double>(d - size)) /
                          std::tgamma(static_cast<long double>(d + 1));
      sum += weight * (static_cast<long double>(worth(mask.data())) - static_cast<long double>(without));
    }
    values[ToSize(player)] = static_cast<double>(sum);
  }
  return values;
}

double Product(std::uint8_t const* mask) {
  double product = 1.0;
  for (int i = 0; i < 7; ++i) product *= mask[i] != 0 ? 1.5 + 0.3 * i : 0.7;
  return product + std::sin(3.0 * mask[2] + mask[5]);
}

void ExpectAddsUp(ShapleyEstimate const& estimate) {
  auto const sum = std::accumulate(estimate.values.begin(), estimate.values.end(), estimate.nobody[0]);
  EXPECT_NEAR(sum, estimate.everybody[0], 1e-12 * std::max(1.0, std::abs(estimate.everybody[0])));
}

TEST(Shapley, ExactIsTheFormula) {
  auto const estimate = Estimated({7, Product}, With(ShapleyMethod::kExact, 0));
  auto const expected = BruteForce(7, Product);
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(estimate.values[i], expected[i], 1e-12);
  EXPECT_EQ(estimate.n_evals, 128);
  ExpectAddsUp(estimate);
  EXPECT_EQ(estimate.errors, std::vector<double>(7, 0.0));
}

TEST(Shapley, UnanimityGamesAreDivided) {
  auto const games = UnanimityGames::Random(11, 40, 1, 6, 5);
  auto const estimate = Estimated(games.Game(), With(ShapleyMethod::kExact, 0));
  EXPECT_LT(SquaredError(estimate.values, games.Values()), 1e-28);
}

/// The values sum to the worth of all players, for any orders.
TEST(Shapley, ValuesOfOrdersAddUp) {
  for (auto const method : kOfOrders) {
    for (std::int64_t const n : {1, 2, 7, 40}) {
      ExpectAddsUp(Estimated({7, Product}, With(method, n)));
      auto const games = UnanimityGames::Random(19, 60, 2, 8, 3);
      ExpectAddsUp(Estimated(games.Game(), With(method, n)));
    }
    EXPECT_TRUE(AddsUp(method));
  }
  for (auto const method : kInexact) EXPECT_FALSE(AddsUp(method));
}

TEST(Shapley, AdditiveGamesAreExactAfterOneOrder) {
  auto const games = UnanimityGames::Random(20, 50, 1, 1, 8);
  for (auto const method : kOfOrders) {
    auto const estimate = Estimated(games.Game(), With(method, 1));
    EXPECT_LT(SquaredError(estimate.values, games.Values()), 1e-28) << NameOf(method);
  }
}

TEST(Shapley, GamesOfPairsAreExactAfterAnOrderAndItsReverse) {
  auto const games = UnanimityGames::Random(20, 100, 1, 2, 8);
  for (auto const method : {ShapleyMethod::kAntithetic, ShapleyMethod::kOrthogonal}) {
    EXPECT_LT(SquaredError(Estimated(games.Game(), With(method, 2)).values, games.Values()), 1e-28);
  }
  EXPECT_GT(SquaredError(Estimated(games.Game(), With(ShapleyMethod::kMonteCarlo, 2)).values, games.Values()), 1e-3);
}

TEST(Shapley, PlayersThatDoNothingHaveExactlyNothing) {
  auto const game = [] { return FunctionGame(18, Product); };  // only the first 7 players matter
  for (auto method : {ShapleyMethod::kOrthogonal, ShapleyMethod::kSobol, ShapleyMethod::kOwen,
                      ShapleyMethod::kOwenHalved, ShapleyMethod::kStratified}) {
    auto const estimate = Estimated(game(), With(method, 40));
    for (std::size_t i = 7; i < 18; ++i) EXPECT_EQ(estimate.values[i], 0.0) << NameOf(method);
  }
}

/// Every estimator converges to the true values, and its stated errors are valid.
TEST(Shapley, EstimatesConverge) {
  auto const games = UnanimityGames::Random(9, 60, 1, 5, 21);
  auto const truth = games.Values();
  for (auto const method : {ShapleyMethod::kMonteCarlo, ShapleyMethod::kAntithetic, ShapleyMethod::kOrthogonal,
                            ShapleyMethod::kSobol, ShapleyMethod::kHerding, ShapleyMethod::kBayesian,
                            ShapleyMethod::kOwen, ShapleyMethod::kOwenHalved, ShapleyMethod::kStratified}) {
    auto const few = Estimated(games.Game(), With(method, 20, 4));
    auto const n = method == ShapleyMethod::kBayesian ? 600 : 4000;
    auto const many = Estimated(games.Game(), With(method, n, 4));
    EXPECT_LT(SquaredError(many.values, truth), 0.1 * SquaredError(few.values, truth)) << NameOf(method);
    EXPECT_LT(std::sqrt(SquaredError(many.values, truth)), 0.03) << NameOf(method);
  }
}

/// Returns the mean of (value - truth)^2 / error^2 over repeats, which is about 1 if errors are right.
double ErrorRatio(ShapleyMethod method, std::int32_t d, std::int64_t n) {
  auto const games = UnanimityGames::Random(d, 80, 2, 5, 33);
  auto const truth = games.Values();
  double squared = 0.0;
  double stated = 0.0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const estimate = Estimated(games.Game(), With(method, n, seed));
    squared += SquaredError(estimate.values, truth);
    stated += SquaredError(estimate.errors, std::vector<double>(ToSize(d), 0.0));
  }
  return squared / stated;
}

TEST(Shapley, StandardErrorsAreThoseOfRepeats) {
  EXPECT_NEAR(ErrorRatio(ShapleyMethod::kMonteCarlo, 10, 50), 1.0, 0.15);
  EXPECT_NEAR(ErrorRatio(ShapleyMethod::kAntithetic, 10, 50), 1.0, 0.15);
  EXPECT_NEAR(ErrorRatio(ShapleyMethod::kOrthogonal, 10, 180), 1.0, 0.2);
  EXPECT_NEAR(ErrorRatio(ShapleyMethod::kStratified, 10, 400), 1.0, 0.2);
  // With pairs of a single orthogonal set the error is too large rather than too small.
  EXPECT_LT(ErrorRatio(ShapleyMethod::kOrthogonal, 10, 18), 1.0);
}

TEST(Shapley, MethodsWithoutUnitsStateNoError) {
  for (auto const method : {ShapleyMethod::kHerding, ShapleyMethod::kBayesian, ShapleyMethod::kSobol}) {
    for (auto const error : Estimated({7, Product}, With(method, 30)).errors) EXPECT_TRUE(std::isnan(error));
  }
  EXPECT_TRUE(std::isnan(Estimated({7, Product}, With(ShapleyMethod::kMonteCarlo, 1)).errors[0]));
}

/// Returns the acceptance figure: mean squared error relative to antithetic orders with equally many coalitions.
double RelativeError(ShapleyMethod method, std::int32_t d, std::int64_t n) {
  double own = 0.0;
  double antithetic = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    auto const games = UnanimityGames::Random(d, 300, 3, 6, seed);
    own += SquaredError(Estimated(games.Game(), With(method, n, seed)).values, games.Values());
    antithetic +=
        SquaredError(Estimated(games.Game(), With(ShapleyMethod::kAntithetic, n, seed)).values, games.Values());
  }
  return own / antithetic;
}

TEST(Shapley, OrthogonalOrdersBeatAntitheticOnes) {
  for (std::int32_t const d : {8, 10, 16, 30}) {
    EXPECT_LT(RelativeError(ShapleyMethod::kOrthogonal, d, 2 * (d - 1)), 0.8) << d;
  }
}

TEST(Shapley, ChosenOrdersBeatAntitheticOnes) {
  struct Gate {
    std::int32_t d;
    double sbq;
    double herding;
  };
  for (auto const& gate : {Gate{8, 0.25, 0.35}, Gate{10, 0.4, 0.5}, Gate{16, 0.6, 0.6}}) {
    EXPECT_LT(RelativeError(ShapleyMethod::kBayesian, gate.d, 100), gate.sbq) << gate.d;
    EXPECT_LT(RelativeError(ShapleyMethod::kHerding, gate.d, 100), gate.herding) << gate.d;
  }
}

TEST(Shapley, AutoIsWhatTheBudgetAllows) {
  auto const method = [](std::int32_t d, std::int64_t n_orders, double tolerance = 0.0) {
    auto options = With(ShapleyMethod::kAuto, n_orders);
    options.tolerance = tolerance;
    return ShapleyPlanOf(options, d).method;
  };
  EXPECT_EQ(method(1, 0), ShapleyMethod::kExact);
  EXPECT_EQ(method(5, 0), ShapleyMethod::kExact);  // 32 <= 10 * 4 + 2
  EXPECT_EQ(method(8, 0), ShapleyMethod::kBayesian);
  EXPECT_EQ(method(8, 40), ShapleyMethod::kExact);  // 256 <= 282
  EXPECT_EQ(method(16, 201), ShapleyMethod::kHerding);
  EXPECT_EQ(method(16, 1001), ShapleyMethod::kOrthogonal);
  EXPECT_EQ(method(17, 0), ShapleyMethod::kOrthogonal);
  EXPECT_EQ(method(12, 0, 0.1), ShapleyMethod::kOrthogonal);
  EXPECT_EQ(ShapleyPlanOf(With(ShapleyMethod::kOrthogonal, 0), 30).n_orders, 58);
  EXPECT_EQ(ShapleyPlanOf(With(ShapleyMethod::kOrthogonal, 0), 3).n_orders, 10);
}

TEST(Shapley, BudgetsHold) {
  for (auto const method : kOfOrders) {
    auto options = With(method, 0);
    options.max_evals = 500;
    auto const games = UnanimityGames::Random(20, 30, 1, 4, 2);
    auto const estimate = Estimated(games.Game(), options);
    EXPECT_LE(estimate.n_evals, 500) << NameOf(method);
    EXPECT_GT(estimate.n_evals, 350) << NameOf(method);
  }
}

TEST(Shapley, NoCoalitionIsEvaluatedTwiceWhereTheyRecur) {
  FunctionGame game(7, Product);
  auto const estimate = ShapleyEstimator({}, With(ShapleyMethod::kMonteCarlo, 5000)).Estimate(&game);
  EXPECT_LE(game.n_evals, 128);
  EXPECT_EQ(game.n_evals, estimate.n_evals);
}

TEST(Shapley, ToleranceEndsEarlyAndIsMet) {
  auto const games = UnanimityGames::Random(20, 100, 1, 4, 2);
  for (auto const method :
       {ShapleyMethod::kMonteCarlo, ShapleyMethod::kAntithetic, ShapleyMethod::kOrthogonal, ShapleyMethod::kSobol}) {
    auto options = With(method, 4000);
    options.tolerance = 0.02;
    auto const estimate = Estimated(games.Game(), options);
    auto const [least, most] = std::minmax_element(estimate.values.begin(), estimate.values.end());
    EXPECT_LE(*std::max_element(estimate.errors.begin(), estimate.errors.end()), 0.02 * (*most - *least));
    EXPECT_LT(estimate.n_evals, 4000 * 19) << NameOf(method);
    ExpectAddsUp(estimate);
    options.tolerance = 1e-9;  // uses the whole budget and no more
    options.n_orders = 130;
    EXPECT_LE(Estimated(games.Game(), options).n_evals, 130 * 19 + 2) << NameOf(method);
  }
}

/// A worth that is not a number spoils the values of the players next to it, and says nothing of the others. Those
/// reach the tolerance, or the orders are used up.
TEST(Shapley, ToleranceOfTheValuesThatAreNumbers) {
  auto const games = UnanimityGames::Random(18, 40, 2, 5, 7);
  for (auto const method : {ShapleyMethod::kMonteCarlo, ShapleyMethod::kAntithetic, ShapleyMethod::kSobol}) {
    auto options = With(method, 100);
    options.tolerance = 0.02;
    FunctionGame game(18, [numbers = games.Game()](std::uint8_t const* mask) mutable {
      double value = 0.0;
      numbers.Evaluate(1, {mask, 18}, {&value, 1});
      return mask[0] == 1 && std::count(mask, mask + 18, 1) == 1 ? std::nan("") : value;
    });
    auto const estimate = ShapleyEstimator({}, options).Estimate(&game);
    ASSERT_TRUE(std::isnan(estimate.values[0])) << NameOf(method);
    auto least = HUGE_VAL;
    auto most = -HUGE_VAL;
    auto error = 0.0;
    for (std::size_t player = 0; player < estimate.values.size(); ++player) {
      if (!std::isfinite(estimate.values[player])) continue;
      least = std::min(least, estimate.values[player]);
      most = std::max(most, estimate.values[player]);
      error = std::max(error, estimate.errors[player]);
    }
    ASSERT_LT(least, most) << NameOf(method);
    options.tolerance = 1e-9;
    auto const all_orders = Estimated(games.Game(), options).n_evals;
    EXPECT_TRUE(error <= 0.02 * (most - least) || estimate.n_evals == all_orders)
        << NameOf(method) << ": " << error << " of " << most - least << ", " << estimate.n_evals << " evaluations";
  }
  FunctionGame nothing(18, [](std::uint8_t const*) { return std::nan(""); });  // no order mends it: the first units do
  auto options = With(ShapleyMethod::kAntithetic, 4000);
  options.tolerance = 0.02;
  ShapleyEstimator({}, options).Estimate(&nothing);
  EXPECT_LT(nothing.n_evals, 400);
}

TEST(Shapley, TheSameAgain) {
  for (auto const method : kOfOrders) {
    ShapleyEstimator const estimator({}, With(method, 30, 3));
    FunctionGame game(7, Product);
    auto const first = estimator.Estimate(&game);
    FunctionGame other(9, [](std::uint8_t const* mask) { return static_cast<double>(mask[8]); });
    estimator.Estimate(&other);
    EXPECT_EQ(estimator.Estimate(&game).values, first.values);
    EXPECT_NE(Estimated({7, Product}, With(method, 30, 4)).values, first.values);
  }
}

TEST(Shapley, FewPlayers) {
  auto const one =
      Estimated({1, [](std::uint8_t const* mask) { return 3.0 + mask[0]; }}, With(ShapleyMethod::kSobol, 5));
  EXPECT_EQ(one.values, std::vector<double>{1.0});
  for (auto const method : {ShapleyMethod::kMonteCarlo, ShapleyMethod::kOrthogonal, ShapleyMethod::kSobol,
                            ShapleyMethod::kBayesian, ShapleyMethod::kOwen, ShapleyMethod::kStratified}) {
    ExpectAddsUp(Estimated({2, [](std::uint8_t const* mask) { return 1.0 * mask[0] + mask[1]; }}, With(method, 8)));
  }
}

TEST(Shapley, Refusals) {
  auto const refusal = [](ShapleyOptions const& options, std::int32_t d) {
    return MessageOf(ErrorKind::kParameter, [&] { Estimated({d, [](std::uint8_t const*) { return 0.0; }}, options); });
  };
  ExpectParts(refusal(With(ShapleyMethod::kExact, 0), 25), {"2^25", "24 players", "orthogonal"});
  auto options = With(ShapleyMethod::kExact, 0);
  options.max_evals = 100;
  ExpectParts(refusal(options, 10), {"2^10", "max_evals"});
  options = With(ShapleyMethod::kOrthogonal, 0);
  options.max_evals = 5;
  ExpectParts(refusal(options, 10), {"max_evals is 5", "10 players", "11"});
  options = With(ShapleyMethod::kHerding, 10);
  options.tolerance = 0.1;
  ExpectParts(refusal(options, 10), {"herding", "tolerance", "antithetic"});
  options.tolerance = std::nan("");
  ExpectParts(refusal(options, 10), {"tolerance is nan"});
  ExpectParts(refusal(With(ShapleyMethod::kStratified, 19), 10), {"2 d^2 = 200", "190", "n_orders=20"});
  ExpectParts(refusal(With(ShapleyMethod::kMonteCarlo, -1), 10), {"n_orders is -1"});
  ExpectParts(MessageOf(ErrorKind::kParameter, [] { ShapleyMethodNamed("kernel"); }),
              {"'kernel'", "auto", "stratified"});
}

}  // namespace
}  // namespace kauri
