/// \file Comparison of two trees by all of their arrays.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "kauri/tree.h"

namespace kauri::testing {

inline void ExpectSameTree(Tree const& a, Tree const& b) {
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(a.right, b.right);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.split_feature, b.split_feature);
  EXPECT_EQ(a.split_value, b.split_value);
  EXPECT_EQ(a.default_left, b.default_left);
  EXPECT_EQ(a.is_categorical, b.is_categorical);
  for (std::int32_t node = 0; node < std::min(a.NumNodes(), b.NumNodes()); ++node) {
    auto const of_a = a.CategoriesOf(node);
    auto const of_b = b.CategoriesOf(node);
    EXPECT_TRUE(std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end())) << "node " << node;
  }
  EXPECT_EQ(a.base_weight, b.base_weight);
  EXPECT_EQ(a.loss_change, b.loss_change);
  EXPECT_EQ(a.sum_hessian, b.sum_hessian);
}

}  // namespace kauri::testing
