#include "booster/support/training_support.h"

#include <gtest/gtest.h>

#include "booster/group/group_fixture.h"
#include "booster/support/support_cases.h"

namespace kauri::testing {
namespace {

std::vector<std::string> const kMethods{"exact", "hist", "approx"};

TEST(TrainingSupport, EveryFeatureOfEveryPartIsAsDeclared) {
  for (auto const& booster : GetRegistries().boosters.Names()) {
    for (auto const& method : kMethods) {
      for (auto const& example : Examples()) {
        auto const is_other_updater = booster == "gblinear" && example.asked.Has(Feature::kUpdaters);
        if (!is_other_updater) ExpectAsDeclared(example, {booster, method});
      }
    }
  }
}

TEST(TrainingSupport, EveryPairOfFeaturesIsAsDeclared) {
  auto const examples = Examples();
  int n_trained = 0;
  for (auto const& method : kMethods) {
    for (std::size_t i = 0; i < examples.size(); ++i) {
      for (std::size_t j = i + 1; j < examples.size(); ++j) {
        if (!GoTogether(examples[i], examples[j])) continue;
        auto const both = Together(examples[i], examples[j]);
        ExpectAsDeclared(both, {"gbtree", method});
        n_trained += IsAllowed(both.asked, {"gbtree", method}) ? 1 : 0;
      }
    }
  }
  EXPECT_GT(n_trained, 500);
}

/// Two ranks train with each method, and with each feature beside.
TEST(TrainingSupport, RanksAreAsDeclared) {
  group_test::Table table;
  table.n_cols = 3;
  table.values = MakeValues({40, 3, 0.0, 7, false, 5});
  for (int row = 0; row < 40; ++row) table.labels.push_back(static_cast<float>(row * 5 % 3 / 2));
  auto const partition = group_test::Contiguous(40, 2);
  for (auto const& method : kMethods) {
    for (auto example : Examples()) {
      if (example.rows != Rows::kValues || example.source != Source::kObjective || example.updates) continue;
      example.asked.Add(Feature::kRanks);
      auto const errors = RunRanks(2, [&](Collective* group) {
        auto const mine = group_test::MakeMatrix(table, partition[static_cast<std::size_t>(group->Rank())], true);
        auto const params =
            With({{"objective", "binary:logitraw"}, {"lambda", "0"}, {"tree_method", method}}, example.params);
        group_test::Train(group, params, 1, mine, mine);
      });
      for (auto const& error : errors) {
        EXPECT_EQ(error.empty(), IsAllowed(example.asked, {"gbtree", method})) << TextOf(example, {}) << error;
      }
    }
  }
}

/// A plug-in's method is treated as the library's are.
TEST(TrainingSupport, AMethodOfAPlugIn) {
  auto* const methods = &GetRegistries().tree_methods;
  methods->Add({"support_test",
                "As hist, but it declares less.",
                methods->Find("hist").make,
                nullptr,
                {{Feature::kHostMemory, Feature::kSymmetricTrees, Feature::kMonotone, Feature::kVectorLeaves},
                 {{Feature::kMonotone, Feature::kVectorLeaves}}}});
  for (auto const& example : Examples()) ExpectAsDeclared(example, {"gbtree", "support_test"});
  auto const refusal = [](FeatureSet asked, Params const& params, Rows rows = Rows::kValues) {
    return RefusalOf({asked, params, rows}, {"gbtree", "support_test"});
  };
  EXPECT_EQ(refusal({}, {{"grow_policy", "symmetric"}, {"monotone_constraints", "(1)"}}), "");
  EXPECT_EQ(refusal({}, {{"interaction_constraints", "[[0]]"}}),
            "interaction_constraints=[[0]]: tree_method=support_test does not support interaction constraints; use "
            "tree_method=exact, hist or approx, or leave interaction_constraints out.");
  EXPECT_EQ(refusal({}, {{"random_strength", "0.5"}, {"grow_policy", "symmetric"}}),
            "random_strength=0.5: tree_method=support_test does not support noise on gains; use tree_method=hist, or "
            "set random_strength=0.");
  EXPECT_EQ(refusal({}, {{"monotone_constraints", "(1)"}, {"multi_strategy", "multi_output_tree"}}, Rows::kTwoLabels),
            "monotone_constraints=(1): tree_method=support_test does not support monotone constraints together with "
            "vector leaves; leave monotone_constraints out, or set multi_strategy=one_output_per_tree.");
}

TEST(TrainingSupport, MonotoneConstraintsOfCategoriesNameTheColumn) {
  for (auto const& method : kMethods) {
    EXPECT_EQ(RefusalOf({{}, {{"monotone_constraints", "(0,0,-1)"}}, Rows::kCategories}, {"gbtree", method}),
              "monotone_constraints has -1 for feature 2, which is categorical: categories have no order. Give 0 for "
              "it, or make it a number.");
    EXPECT_EQ(RefusalOf({{}, {{"monotone_constraints", "(0,1)"}}, Rows::kCategories}, {"gbtree", method}), "");
  }
}

TEST(TrainingSupport, AFailedRoundLeavesTheModel) {
  auto const data = MakeRows(Rows::kValues);
  auto const learner = Train(data, {{"tree_method", "exact"}}, 2);
  auto const before = Bytes(learner.get());
  learner->SetParam("grow_policy", "symmetric");
  EXPECT_EQ(MessageOf(ErrorKind::kParameter, [&] { learner->BoostRound(data, 2); }),
            "grow_policy=symmetric: tree_method=exact makes no symmetric trees; set tree_method=hist, or "
            "grow_policy=depthwise.");
  learner->SetParam("grow_policy", "depthwise");
  EXPECT_EQ(Bytes(learner.get()), before);
}

TEST(Refusals, EveryPlaceholderHasAValue) {
  EXPECT_EQ(FillIn("a={a}, {b}", {{"a", "{b}"}, {"b", "2"}}), "a={b}, 2");
  EXPECT_EQ(FillIn("open {a", {}), "open {a");
  MessageOf(ErrorKind::kInternal, [] { FillIn("{unknown}", {}); });
  TrainingSupport const support("gbtree", TrainingParams(), {});
  QuotedValues const of_request{{"store", ""}, {"sign", ""}, {"column", ""}, {"category", ""}, {"own_loss", ""}};
  for (auto const& pair : Exclusions()) {
    FeatureSet asked{pair.first, pair.second};
    asked.AddIf(pair.beside != Feature::kCount, pair.beside);
    asked.AddIf(asked.Has(Feature::kTreeUpdates), Feature::kUpdaters);
    asked.AddIf(asked.Has(Feature::kSplitGradients), Feature::kVectorLeaves);
    auto const message = MessageOf(pair.kind, [&] { support.Require({asked, of_request}); });
    EXPECT_EQ(message.find('{'), std::string::npos) << message;
  }
  for (unsigned i = 0; i < static_cast<unsigned>(Feature::kCount); ++i) {
    auto const feature = static_cast<Feature>(i);
    for (auto const part : {TrainingPart::kBooster, TrainingPart::kEngine, TrainingPart::kTreeMethod}) {
      for (auto const* const name : {"exact", "hist", "adaboost", "gblinear", "cuda"}) {
        auto const* const text = TextOfLack(part, name, feature, {});
        EXPECT_TRUE(text == nullptr || FeaturesOf(part).Has(feature)) << InfoOf(feature).noun;
      }
    }
  }
}

}  // namespace
}  // namespace kauri::testing
