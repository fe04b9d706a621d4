/// Limits on weights that never apply leave every byte of a model unchanged.
#include <gtest/gtest.h>

#include "booster/booster_fixture.h"

namespace kauri::testing {
namespace {

constexpr std::int64_t kCols = 4;

/// The last column is constant, so no tree splits it and its sign has no effect.
std::shared_ptr<DataMatrix> Data(double missing, std::int64_t n_targets) {
  auto values = MakeValues({900, kCols, missing, 0, false, 31});
  for (std::size_t cell = kCols - 1; cell < values.size(); cell += kCols) values[cell] = 1.0F;
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, kCols, false);
  auto* const info = data->MutableInfo();
  info->n_targets = n_targets;
  for (auto const label : MakeLabels(values, kCols, 0)) {
    for (std::int64_t target = 0; target < n_targets; ++target) {
      info->labels.push_back(label * static_cast<float>(1 + target));
    }
  }
  return data;
}

std::vector<Params> IdleLimits() {
  return {{{"max_delta_step", "1e6"}},
          {{"monotone_constraints", "(0,0,0,0)"}},
          {{"monotone_constraints", "(0,0,0,1)"}},
          {{"max_delta_step", "1e6"}, {"monotone_constraints", "(0,0,0,-1)"}}};
}

/// Returns the number of leaves without limits.
std::int32_t ExpectSameBytes(std::shared_ptr<DataMatrix> const& data, Params const& params) {
  auto const without = Train(data, params, 4);
  auto const expected = Bytes(without.get());
  for (auto const& limits : IdleLimits()) {
    auto const with = Train(data, With(params, limits), 4);
    EXPECT_EQ(Bytes(with.get()), expected)
        << params[0].second << " " << params[1].second << " alpha " << params[2].second << ": " << limits[0].first;
  }
  std::int32_t n_leaves = 0;
  for (auto const& tree : without->GetModel().trees) n_leaves += tree.NumLeaves();
  return n_leaves;
}

TEST(IdleLimits, LeaveTheBytesOfScalarTrees) {
  std::int32_t n_leaves = 0;
  for (double const missing : {0.0, 0.2}) {
    auto const data = Data(missing, 1);
    for (auto const* method : {"exact", "hist", "approx"}) {
      for (auto const* policy : {"depthwise", "lossguide"}) {
        if (std::string(method) == "exact" && std::string(policy) == "lossguide") continue;  // exact has no lossguide
        for (auto const* alpha : {"0", "0.7", "15"}) {
          for (auto const* lambda : {"0", "1"}) {
            n_leaves += ExpectSameBytes(
                data, {{"tree_method", method}, {"grow_policy", policy}, {"alpha", alpha}, {"lambda", lambda}});
          }
        }
      }
    }
  }
  EXPECT_GT(n_leaves, 2000);
}

TEST(IdleLimits, LeaveTheBytesOfVectorTrees) {
  std::int32_t n_leaves = 0;
  auto const data = Data(0.2, 3);
  for (auto const* policy : {"depthwise", "lossguide"}) {
    for (auto const* alpha : {"0", "0.7", "15"}) {
      n_leaves += ExpectSameBytes(data, {{"tree_method", "hist"},
                                         {"grow_policy", policy},
                                         {"alpha", alpha},
                                         {"multi_strategy", "multi_output_tree"}});
    }
  }
  EXPECT_GT(n_leaves, 300);
}

/// Also covers the gain that refresh writes for a split.
TEST(IdleLimits, LeaveTheBytesOfRefreshedTrees) {
  auto const data = Data(0.2, 1);
  auto const model = Bytes(Train(data, {{"max_depth", "4"}}, 3).get());
  auto const refreshed = [&](Params const& limits) {
    auto const learner =
        MakeLearner(With({{"process_type", "update"}, {"updater", "refresh"}, {"alpha", "3"}}, limits));
    learner->LoadModel(Span<char const>(model.data(), model.size()));
    for (int round = 0; round < 3; ++round) learner->BoostRound(data, round);
    return Bytes(learner.get());
  };
  EXPECT_EQ(refreshed({{"max_delta_step", "1e6"}}), refreshed({}));
}

}  // namespace
}  // namespace kauri::testing
