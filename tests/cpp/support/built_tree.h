/// \file The tree that a builder made for a task, and default parameters.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "kauri/tree.h"
#include "kauri/tree_param.h"
#include "support/same_tree.h"

namespace kauri {

inline TreeParam DefaultParam() {
  TreeParam param;
  param.Init(std::map<std::string, std::string>());
  return param;
}

struct Built {
  Tree tree;
  std::vector<std::int32_t> leaf_of_row;
};

inline void ExpectSame(Built const& a, Built const& b, std::string const& what) {
  SCOPED_TRACE(what);
  testing::ExpectSameTree(a.tree, b.tree);
  EXPECT_EQ(a.leaf_of_row, b.leaf_of_row);
}

}  // namespace kauri
