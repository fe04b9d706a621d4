#include "booster/model/model_copies.h"

#include <gtest/gtest.h>

#include "kauri/error.h"

namespace kauri {
namespace {

/// Returns a model whose round r has r + 1 trees; tree weights are 0, 1, 2, ..
Model ThreeRounds() {
  Model model;
  model.n_features = 2;
  model.trees.resize(6);
  model.output_of_tree.resize(6);
  model.iteration_ptr = {0, 1, 3, 6};
  model.tree_weights = {0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F};
  model.attributes = {{"best_iteration", "1"}, {"best_score", "0.5"}, {"mine", "x"}};
  return model;
}

TEST(ModelCopies, WithoutTreesKeepsTheRest) {
  auto const copy = WithoutTrees(ThreeRounds());
  EXPECT_EQ(copy.n_features, 2);
  EXPECT_EQ(copy.NumIterations(), 0);
  EXPECT_TRUE(copy.trees.empty() && copy.output_of_tree.empty() && copy.tree_weights.empty());
  EXPECT_EQ(copy.attributes, ThreeRounds().attributes);
}

TEST(ModelCopies, SlicesHaveTheirRounds) {
  auto const slice = SliceOf(ThreeRounds(), {0, 3}, 2);
  EXPECT_EQ(slice.iteration_ptr, (std::vector<std::int64_t>{0, 1, 4}));
  EXPECT_EQ(slice.tree_weights, (std::vector<float>{0.0F, 3.0F, 4.0F, 5.0F}));
  EXPECT_EQ(slice.attributes, (std::map<std::string, std::string>{{"mine", "x"}}));
  // the best round is still included
  EXPECT_EQ(SliceOf(ThreeRounds(), {0, 2}, 1).attributes, ThreeRounds().attributes);
}

TEST(ModelCopies, NoSliceOfNothing) {
  EXPECT_THROW(SliceOf(ThreeRounds(), {0, 4}, 1), Error);
  EXPECT_THROW(SliceOf(ThreeRounds(), {0, 3}, 0), Error);
}

}  // namespace
}  // namespace kauri
