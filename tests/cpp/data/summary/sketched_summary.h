/// \file Checks that a summary from any sketch must pass.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/matrix_view.h"
#include "data/summary/column_summary.h"
#include "support/random_matrix.h"

namespace kauri::testing {

enum Field { kCount, kMissing, kDistinct, kMin, kMax, kMean, kStd, kSkewness, kKurtosis, kRankError, kQuantiles };

inline SummaryOptions Options(SketchChoice const& sketch = {}, std::vector<double> quantiles = {0.25, 0.5, 0.9}) {
  return {std::move(quantiles), sketch};
}

inline std::vector<double> SummaryOf(DataMatrix const& data, std::vector<float> const& weights,
                                     SummaryOptions const& options, Context const& ctx = {}) {
  ColumnSummaries summaries(options);
  summaries.Add(ctx, *data.View(), weights);
  return summaries.Finish(ctx);
}

/// Checks that neither batches nor threads change a summary, nor sparse storage but for last bits.
inline void CheckBatchesThreadsAndStorage(SketchChoice const& sketch) {
  MatrixSpec spec;
  spec.n_rows = 70000;  // more than one part
  spec.n_cols = 2;
  spec.missing = 0.6;
  auto const values = MakeValues(spec);
  auto const dense = MakeMatrix(values, 2, false);
  auto const expected = SummaryOf(*dense, {}, Options(sketch));
  Context ctx;
  ctx.threads = 3;
  ColumnSummaries summaries(Options(sketch));
  auto const view = dense->View();
  for (std::int64_t begin = 0; begin < 70000;) {
    auto const end = std::min<std::int64_t>(70000, begin + 1 + begin % 977 + 40000 * (begin % 2));
    summaries.Add(ctx, RowWindow(*view, begin, end), {});
    begin = end;
  }
  auto const table = summaries.Finish(ctx);
  EXPECT_EQ(table.size(), expected.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (std::isnan(expected[i])) continue;
    EXPECT_EQ(table[i], expected[i]) << KeyOf(sketch) << " " << i;
  }
  // Rows with missing cells have blocks of other lengths, so the last bits of moments differ.
  auto const sparse = SummaryOf(*MakeMatrix(values, 2, true), {}, Options(sketch));
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (std::isnan(expected[i])) continue;
    EXPECT_NEAR(sparse[i], expected[i], 1e-5) << KeyOf(sketch) << " " << i;
  }
}

/// Checks quantiles against the ranks of all values. guess: the bound for sketches that state none.
inline void CheckQuantilesAndBound(SketchChoice const& sketch, std::optional<double> guess = {}) {
  MatrixSpec spec;
  spec.n_rows = 50000;
  spec.n_cols = 1;
  auto const values = MakeValues(spec);
  auto sorted = values;
  std::sort(sorted.begin(), sorted.end());
  auto const data = MakeMatrix(values, 1, false);
  auto const fields = SummaryOf(*data, {}, Options(sketch, {0.0, 0.1, 0.5, 0.99, 1.0}));
  EXPECT_EQ(fields[kQuantiles], sorted.front());
  EXPECT_EQ(fields[kQuantiles + 4], sorted.back());
  auto const bound = guess.value_or(fields[kRankError]);
  EXPECT_EQ(std::isnan(fields[kRankError]), guess.has_value());
  EXPECT_LT(bound, 0.01);
  for (std::size_t k = 1; k < 4; ++k) {
    auto const rank = std::lower_bound(sorted.begin(), sorted.end(), fields[kQuantiles + k]) - sorted.begin();
    auto const share = std::vector<double>{0.0, 0.1, 0.5, 0.99}[k];
    EXPECT_NEAR(static_cast<double>(rank) / 50000.0, share, bound + 1e-4) << KeyOf(sketch) << " " << k;
  }
}

}  // namespace kauri::testing
