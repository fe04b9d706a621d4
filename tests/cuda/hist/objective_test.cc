/// Objectives of every kind, several outputs, ranked rows.
#include "hist/hist_fixture.h"
#include "kauri/registry.h"

namespace kauri::testing {
namespace {

using HistObjectives = HistDeviceTest;

HistCase With(std::string const& objective, Params const& more = {}, bool weights = false) {
  HistCase given;
  given.name = "objective";
  given.table.n_rows = 700;
  given.table.n_cols = 6;
  given.table.missing = Missing::kSome;
  given.table.weights = weights;
  given.params = testing::With({{"objective", objective}, {"max_depth", "4"}}, more);
  given.rounds = 3;
  return given;
}

/// Returns the parameters that an objective requires.
Params NeededBy(std::string const& objective) {
  if (objective.rfind("multi:", 0) == 0) return {{"num_class", "3"}};
  if (objective == "reg:quantileerror") return {{"quantile_alpha", "0.3"}};
  if (objective == "reg:expectileerror") return {{"expectile_alpha", "0.3"}};
  return {};
}

TEST_F(HistObjectives, AllOfThem) {
  for (auto const& objective : GetRegistries().objectives.Names()) {
    for (bool const weights : {false, true}) ExpectSameTrees({With(objective, NeededBy(objective), weights)});
  }
}

TEST_F(HistObjectives, Classes) {
  for (auto const* n_classes : {"2", "3", "20"}) {
    for (auto const* objective : {"multi:softprob", "multi:softmax"}) {
      ExpectSameTrees({With(objective, {{"num_class", n_classes}}),
                       With(objective, {{"num_class", n_classes}, {"grow_policy", "lossguide"}, {"max_leaves", "6"}}),
                       With(objective, {{"num_class", n_classes}, {"subsample", "0.6"}, {"colsample_bynode", "0.6"}})});
    }
  }
}

TEST_F(HistObjectives, SeveralTargets) {
  ExpectSameTrees({With("reg:squarederror", {{"num_target", "3"}}), With("binary:logistic", {{"num_target", "5"}}),
                   With("reg:absoluteerror", {{"num_target", "2"}})});
  auto quantiles = With("reg:quantileerror", {{"quantile_alpha", "[0.1,0.5,0.9]"}});
  ExpectSameTrees({quantiles});
}

/// Leaves that are set from their rows, weighted and sampled, whatever the order of the rows.
TEST_F(HistObjectives, LeavesThatAreRefitted) {
  for (auto const* objective : {"reg:absoluteerror", "reg:quantileerror"}) {
    for (auto const& more : {Params{}, Params{{"subsample", "0.5"}}, Params{{"grow_policy", "lossguide"}}}) {
      auto given = With(objective, testing::With(NeededBy(objective), more), true);
      given.table.n_rows = 5000;
      ExpectSameTrees({given});
    }
  }
}

TEST_F(HistObjectives, Ranking) {
  for (auto const* method : {"topk", "mean"}) {
    for (bool const weights : {false, true}) {
      ExpectSameTrees({With("rank:ndcg", {{"lambdarank_pair_method", method}}, weights)});
    }
  }
  ExpectSameTrees({With("rank:ndcg", {{"lambdarank_unbiased", "true"}})});
}

}  // namespace
}  // namespace kauri::testing
