/// Coordinate descent against a textbook implementation of linear regression.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "booster/linear_fixture.h"

namespace kauri {
namespace {

using testing::Linear;
using testing::LinearSpec;
using testing::MakeLabelled;
using testing::Params;
using testing::Train;
using testing::With;

constexpr auto kRows = testing::kLinearRows;
constexpr auto kCols = testing::kLinearCols;

/// A linear model with squared error, learnt as in a textbook in float64: residuals are recomputed for every step.
class NaiveSquaredError {
 public:
  NaiveSquaredError(std::vector<float> values, std::vector<float> labels, std::vector<float> row_weights, double start)
      : values_(std::move(values)), labels_(std::move(labels)), row_weights_(std::move(row_weights)), start_(start) {}

  double eta = 0.5;
  double lambda = 0.0;
  double alpha = 0.0;
  std::vector<double> weights = std::vector<double>(kCols + 1, 0.0);

  double WholeStep(std::int64_t feature) const {
    double gradient = 0.0;
    double hessian = 0.0;
    double total = 0.0;
    for (std::int64_t row = 0; row < kRows; ++row) {
      auto const weight = row_weights_[row];
      auto const x = Value(row, feature);
      gradient += weight * (Margin(row) - labels_[row]) * x;
      hessian += weight * x * x;
      total += weight;
    }
    auto const w = weights[feature];
    if (feature == kCols) return -gradient / hessian;
    // argmin over u of gradient * (u - w) + hessian / 2 * (u - w)^2 + total * (lambda / 2 * u^2 + alpha * |u|)
    auto const pulled = hessian * w - gradient;
    auto const shrunk = std::max(std::fabs(pulled) - total * alpha, 0.0);
    return std::copysign(shrunk, pulled) / (hessian + total * lambda) - w;
  }

  void Step(std::int64_t feature) { weights[feature] += eta * WholeStep(feature); }

  void Round(std::vector<std::int64_t> const& features) {
    Step(kCols);
    for (auto const feature : features) Step(feature);
  }

  std::vector<std::int64_t> LongestFirst() const {
    std::vector<std::int64_t> order(kCols);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::int64_t a, std::int64_t b) { return std::fabs(WholeStep(a)) > std::fabs(WholeStep(b)); });
    return order;
  }

 private:
  double Value(std::int64_t row, std::int64_t feature) const {
    if (feature == kCols) return 1.0;
    auto const value = values_[row * kCols + feature];
    return std::isnan(value) ? 0.0 : static_cast<double>(value);
  }
  double Margin(std::int64_t row) const {
    double margin = start_;
    for (std::int64_t f = 0; f <= kCols; ++f) margin += Value(row, f) * weights[f];
    return margin;
  }

  std::vector<float> values_;
  std::vector<float> labels_;
  std::vector<float> row_weights_;
  double start_;
};

std::vector<std::int64_t> InOrder() {
  std::vector<std::int64_t> order(kCols);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

struct Storage {
  char const* name;
  double missing;
  bool sparse;
};

class GbLinearData : public ::testing::TestWithParam<Storage> {
 protected:
  void SetUp() override {
    auto const spec = LinearSpec(GetParam().missing, GetParam().sparse);
    data_ = MakeLabelled(spec, 0);
    testing::Random random(3);
    for (std::int64_t row = 0; row < kRows; ++row) {
      data_->MutableInfo()->weights.push_back(static_cast<float>(random.Uniform()));
    }
    naive_ = std::make_unique<NaiveSquaredError>(testing::MakeValues(spec), data_->Info().labels, data_->Info().weights,
                                                 0.5);
  }
  void ExpectWeights(Learner* learner) const {
    auto const& weights = learner->GetModel().linear.weights;
    ASSERT_EQ(weights.size(), static_cast<std::size_t>(kCols + 1));
    for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(weights[i], naive_->weights[i], 2e-5) << i;
  }

  std::shared_ptr<DataMatrix> data_;
  std::unique_ptr<NaiveSquaredError> naive_;
};

TEST_P(GbLinearData, CyclicStepsAreTheTextbooks) {
  for (auto const* updater : {"shotgun", "coord_descent"}) {
    SetUp();
    for (int round = 0; round < 5; ++round) naive_->Round(InOrder());
    ExpectWeights(Train(data_, With(Linear(), {{"updater", updater}, {"base_score", "0.5"}}), 5).get());
  }
}

TEST_P(GbLinearData, PenaltiesPullToZeroAndStayThere) {
  naive_->eta = 1.0;
  naive_->lambda = 0.3;
  naive_->alpha = 0.15;
  for (int round = 0; round < 5; ++round) naive_->Round(InOrder());
  auto const learner =
      Train(data_, With(Linear(), {{"eta", "1"}, {"lambda", "0.3"}, {"alpha", "0.15"}, {"base_score", "0.5"}}), 5);
  ExpectWeights(learner.get());
  auto const& weights = learner->GetModel().linear.weights;
  EXPECT_GT(std::count(weights.begin(), weights.end(), 0.0F), 0);
}

TEST_P(GbLinearData, GreedyTakesTheLongestStepEachTime) {
  for (int round = 0; round < 4; ++round) {
    naive_->Step(kCols);
    for (int i = 0; i < 2; ++i) naive_->Step(naive_->LongestFirst()[0]);
  }
  ExpectWeights(
      Train(data_,
            With(Linear(),
                 {{"updater", "coord_descent"}, {"feature_selector", "greedy"}, {"top_k", "2"}, {"base_score", "0.5"}}),
            4)
          .get());
}

TEST_P(GbLinearData, ThriftyTakesTheOrderOfTheRoundsBeginning) {
  for (int round = 0; round < 4; ++round) {
    naive_->Step(kCols);
    auto order = naive_->LongestFirst();
    order.resize(3);
    for (auto const feature : order) naive_->Step(feature);
  }
  ExpectWeights(
      Train(
          data_,
          With(Linear(),
               {{"updater", "coord_descent"}, {"feature_selector", "thrifty"}, {"top_k", "3"}, {"base_score", "0.5"}}),
          4)
          .get());
}

INSTANTIATE_TEST_SUITE_P(Storages, GbLinearData,
                         ::testing::Values(Storage{"dense", 0.0, false}, Storage{"dense_missing", 0.3, false},
                                           Storage{"sparse", 0.8, true}),
                         [](auto const& param) { return param.param.name; });

TEST(GbLinear, EverySelectorReachesTheSameMinimum) {
  auto const spec = LinearSpec(0.2, false);
  auto const data = MakeLabelled(spec, 0);
  NaiveSquaredError naive(testing::MakeValues(spec), data->Info().labels, std::vector<float>(kRows, 1.0F), 0.5);
  for (int round = 0; round < 200; ++round) naive.Round(InOrder());
  for (auto const* selector : {"cyclic", "shuffle", "random", "greedy", "thrifty"}) {
    auto const learner = Train(
        data, With(Linear(), {{"updater", "coord_descent"}, {"feature_selector", selector}, {"base_score", "0.5"}}),
        80);
    for (std::size_t i = 0; i <= kCols; ++i) {
      EXPECT_NEAR(learner->GetModel().linear.weights[i], naive.weights[i], 1e-3) << selector << i;
    }
  }
}

}  // namespace
}  // namespace kauri
