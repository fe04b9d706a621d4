/// \file Two trees are the same when every array of theirs is.
#pragma once

#include <gtest/gtest.h>

#include "kauri/tree.h"

namespace kauri::testing {

inline void ExpectSameTree(Tree const& a, Tree const& b) {
  EXPECT_EQ(a.left, b.left);
  EXPECT_EQ(a.right, b.right);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.split_feature, b.split_feature);
  EXPECT_EQ(a.split_value, b.split_value);
  EXPECT_EQ(a.default_left, b.default_left);
  EXPECT_EQ(a.base_weight, b.base_weight);
  EXPECT_EQ(a.loss_change, b.loss_change);
  EXPECT_EQ(a.sum_hessian, b.sum_hessian);
}

}  // namespace kauri::testing
