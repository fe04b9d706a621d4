/// Absolute and quantile errors with limits on leaf values, for scalar and vector leaves.
#include <gtest/gtest.h>

#include <cmath>

#include "booster/booster_fixture.h"
#include "support/learner_predict.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kRows = 600;
constexpr std::int64_t kCols = 3;

/// Returns targets that fall with the first column, opposite to the sign of the constraint, and the other way round.
std::shared_ptr<DataMatrix> Data(std::int64_t n_targets) {
  auto const values = MakeValues({kRows, kCols, 0.0, 0, false, 8});
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, kCols, false);
  data->MutableInfo()->n_targets = n_targets;
  Random random(4);
  for (std::size_t cell = 0; cell < values.size(); cell += kCols) {
    for (std::int64_t target = 0; target < n_targets; ++target) {
      auto const sign = target % 2 == 0 ? -1.0F : 1.0F;
      data->MutableInfo()->labels.push_back(sign * values[cell] + 3.0F * values[cell + 1] + random.Normal());
    }
  }
  return data;
}

/// Returns margins at ascending values of the first column, with the others fixed.
std::vector<float> Sweep(Learner const& learner) {
  std::vector<float> values;
  for (int i = 0; i < 200; ++i) values.insert(values.end(), {-4.0F + 0.04F * static_cast<float>(i), 0.3F, -0.2F});
  auto const grid = MakeMatrix(values, kCols, false);
  return PredictData(learner, *grid, Predicting(PredictKind::kMargin)).values;
}

std::vector<Params> Losses() {
  return {{{"objective", "reg:absoluteerror"}},
          {{"objective", "reg:quantileerror"}, {"quantile_alpha", "[0.2, 0.5, 0.9]"}},
          {{"objective", "reg:quantileerror"}, {"quantile_alpha", "0.7"}}};
}

TEST(LeafLimits, MonotoneConstraintsHold) {
  for (auto const& loss : Losses()) {
    for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
      for (auto const* sign : {"(1,0,0)", "(-1,0,0)"}) {
        auto const data = Data(loss[0].second == "reg:absoluteerror" ? 2 : 1);
        auto const learner = Train(
            data, With(loss, {{"multi_strategy", strategy}, {"monotone_constraints", sign}, {"max_depth", "5"}}), 8);
        for (auto const& tree : learner->GetModel().trees) tree.Validate(kCols);  // the check made when a model is read
        auto const margins = Sweep(*learner);
        auto const n_outputs = margins.size() / 200;
        for (std::size_t i = n_outputs; i < margins.size(); ++i) {
          auto const rise = (margins[i] - margins[i - n_outputs]) * (sign[1] == '1' ? 1.0F : -1.0F);
          ASSERT_GE(rise, -1e-5F) << loss[0].second << " " << strategy << " " << sign << " " << i;
        }
        auto const bytes = Bytes(learner.get());
        auto const loaded = MakeLearner({});
        loaded->LoadModel(Span<char const>(bytes.data(), bytes.size()));
        EXPECT_EQ(Bytes(loaded.get()), bytes);
      }
    }
  }
}

TEST(LeafLimits, MaxDeltaStepHolds) {
  for (auto const& loss : Losses()) {
    for (auto const* strategy : {"one_output_per_tree", "multi_output_tree"}) {
      for (auto const* method : {"hist", "exact"}) {
        if (std::string(strategy) == "multi_output_tree" && std::string(method) == "exact") continue;
        auto const learner = Train(
            Data(loss[0].second == "reg:absoluteerror" ? 2 : 1),
            With(loss,
                 {{"multi_strategy", strategy}, {"tree_method", method}, {"max_delta_step", "0.25"}, {"eta", "0.5"}}),
            3);
        auto largest = 0.0F;
        for (auto const& tree : learner->GetModel().trees) {
          for (std::int32_t node = 0; node < tree.NumNodes(); ++node) {
            if (!tree.IsLeaf(node)) continue;
            for (auto const value : tree.LeafValues(node)) largest = std::max(largest, std::fabs(value));
          }
        }
        EXPECT_EQ(largest, 0.125F) << loss[0].second << " " << strategy << " " << method;
      }
    }
  }
}

}  // namespace
}  // namespace kauri::testing
