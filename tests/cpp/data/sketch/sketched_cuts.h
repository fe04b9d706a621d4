/// \file Checks that cuts from any sketch must pass.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "data/sketch/quantile_sketch.h"
#include "support/random_matrix.h"

namespace kauri::testing {

inline std::vector<float> SomeWeights(std::size_t n) {
  Random random(5);
  std::vector<float> weights;
  for (std::size_t i = 0; i < n; ++i) {
    weights.push_back(random.Below(8) == 0 ? 0.0F : static_cast<float>(random.Uniform()));
  }
  return weights;
}

/// Checks that cuts depend neither on the storage nor on threads.
inline void CheckStorageAndThreads(SketchChoice const& sketch) {
  MatrixSpec spec;
  spec.n_rows = 70000;  // two blocks
  spec.n_cols = 3;
  spec.missing = 0.3;
  auto const values = testing::MakeValues(spec);
  auto const weights = SomeWeights(70000);
  auto const expected = MakeQuantileCuts(Context{}, *MakeMatrix(values, 3, false), 256, {sketch, weights});
  EXPECT_GT(expected.values.size(), 600U);
  for (bool const sparse : {false, true}) {
    Context ctx;
    ctx.threads = 5;
    auto const cuts = MakeQuantileCuts(ctx, *MakeMatrix(values, 3, sparse), 256, {sketch, weights});
    EXPECT_EQ(cuts.values, expected.values);
    EXPECT_EQ(cuts.min_values, expected.min_values);
  }
}

/// Checks that columns of few distinct values have their exact cuts.
inline void CheckFewDistinctValues(SketchChoice const& sketch) {
  MatrixSpec spec;
  spec.n_rows = 3000;
  spec.n_cols = 2;
  spec.n_distinct = 64;
  spec.missing = 0.2;
  auto const data = MakeMatrix(spec);
  auto const expected = MakeQuantileCuts(Context{}, *data, 64);
  EXPECT_EQ(MakeQuantileCuts(Context{}, *data, 64, {sketch, {}}).values, expected.values);
}

}  // namespace kauri::testing
