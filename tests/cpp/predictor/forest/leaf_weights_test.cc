/// The largest sum of the leaves' weights, which bounds the sums of explanations.
#include <gtest/gtest.h>

#include "predictor/forest/cover.h"
#include "predictor/shap/shap_models.h"

namespace kauri {
namespace {

Forest Compiled(Model const& model) {
  return CompileForest({}, model, TreeRange{0, static_cast<std::int64_t>(model.trees.size())});
}

TEST(LeafWeights, AreOneForCoversOfTraining) {
  auto const forest = Compiled(testing::RandomModel({}));
  for (std::int64_t tree = 0; tree < forest.NumTrees(); ++tree) {
    EXPECT_GE(SumOfLeafWeights(forest, tree), 1.0);
    EXPECT_LT(SumOfLeafWeights(forest, tree), 1.001);
  }
  EXPECT_EQ(SumOfLeafWeights(Compiled(testing::ConjunctionModel()), 0), 1.0);
}

TEST(LeafWeights, OfCoversThatExceedTheirParent) {
  auto model = testing::ConjunctionModel();
  model.trees[0].SetNodeStatistics(1, 0.0F, 3.0F);  // 3/4 and 1/2 of the root's cover
  EXPECT_EQ(SumOfLeafWeights(Compiled(model), 0), 1.25);
  model.trees[0].SetNodeStatistics(4, 0.0F, 5.0F);       // more than its parent's: a share of 1, beside 1/2
  EXPECT_EQ(SumOfLeafWeights(Compiled(model), 0), 1.5);  // with b unknown; if a is unknown, too: 3/4 + 3/4
}

TEST(LeafWeights, OfASingleLeaf) {
  Model model;
  model.n_features = 1;
  model.trees.emplace_back();
  model.trees[0].SetLeafValue(0, 2.0F);
  model.output_of_tree = {0};
  EXPECT_EQ(SumOfLeafWeights(Compiled(model), 0), 1.0);
}

}  // namespace
}  // namespace kauri
