/// Metrics of label tables with missing labels (NaN), compared with the known labels as one column, and column by
/// column.
#include <hwy/highway.h>

#include <cmath>
#include <limits>

#include "metric/row_losses.h"
#include "metric_fixture.h"

namespace kauri {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::vector<std::string> const kMeans{"rmse",  "mae",     "logloss",       "error@0.4",      "poisson-nloglik",
                                      "rmsle", "mape",    "mphe",          "huber",          "fair",
                                      "focal", "exploss", "gamma-nloglik", "gamma-deviance", "tweedie-nloglik@1.5"};
std::vector<std::string> const kByColumn{"auc", "aucpr", "r2"};

struct Table {
  MetaInfo info;
  std::vector<float> predictions;  ///< not finite for some missing labels
};

/// Returns a table with labels; whole: these are 0 or 1.
Table MakeTable(std::size_t n_rows, bool weighted, bool whole) {
  auto labels = RandomValues(3 * n_rows, 0.1F, 1.0F, 1);
  auto predictions = RandomValues(3 * n_rows, 0.01F, 0.99F, 2);
  auto const draws = RandomValues(3 * n_rows, 0.0F, 1.0F, 3);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (whole) labels[i] = labels[i] > 0.5F ? 1.0F : 0.0F;
    if (i % 3 == 1 || draws[i] > 0.5F || i < 9) continue;  // the second target is known in all rows
    labels[i] = kNaN;
    if (draws[i] < 0.1F) predictions[i] = draws[i] < 0.05F ? kNaN : kInfinity;
  }
  return {MakeInfo(labels, weighted ? RandomValues(n_rows, 0.0F, 3.0F, 4) : std::vector<float>(), 3), predictions};
}

/// Returns the known labels of some targets, concatenated in one column.
Table KnownCellsOf(Table const& table, std::size_t first, std::size_t last) {
  std::vector<float> labels;
  std::vector<float> weights;
  std::vector<float> predictions;
  for (std::size_t i = 0; i < table.info.labels.size(); ++i) {
    if (i % 3 < first || i % 3 >= last || std::isnan(table.info.labels[i])) continue;
    labels.push_back(table.info.labels[i]);
    weights.push_back(table.info.Weight(static_cast<std::int64_t>(i / 3)));
    predictions.push_back(table.predictions[i]);
  }
  return {MakeInfo(labels, weights), predictions};
}

TEST(MissingLabels, MeansAreThoseOfTheKnownCells) {
  for (std::size_t const n_rows : {4U, 1365U, 1366U, 9001U}) {
    for (bool const weighted : {false, true}) {
      auto const table = MakeTable(n_rows, weighted, false);
      auto const known = KnownCellsOf(table, 0, 3);
      for (auto const& name : kMeans) {
        auto const expected = Evaluate(name, known.predictions, known.info);
        EXPECT_NEAR(Evaluate(name, table.predictions, table.info), expected, 1e-12 * (1.0 + std::fabs(expected)))
            << name << " " << n_rows;
        EXPECT_EQ(Evaluate(name, table.predictions, table.info, 8), Evaluate(name, table.predictions, table.info));
      }
    }
  }
}

TEST(MissingLabels, EveryVectorWidthGivesTheSameBits) {
  auto const table = MakeTable(2000, true, false);
  for (auto const& name : kMeans) {
    auto const expected = Evaluate(name, table.predictions, table.info);
    for (auto remaining = hwy::SupportedTargets(); remaining != 0; remaining &= remaining - 1) {
      hwy::SetSupportedTargetsForTest(remaining & -remaining);
      EXPECT_EQ(Evaluate(name, table.predictions, table.info), expected) << name;
    }
    hwy::SetSupportedTargetsForTest(0);
  }
}

TEST(MissingLabels, WhatIsInfiniteStaysSo) {
  EXPECT_EQ(Evaluate("mape", {1.0F, 1.0F}, MakeInfo({0.0F, kNaN}, {}, 2)), static_cast<double>(kInfinity));
}

TEST(MissingLabels, MeansOverColumnsAreThoseOfTheKnownRowsOfEach) {
  for (std::size_t const n_rows : {100U, 5000U}) {
    for (bool const weighted : {false, true}) {
      auto const table = MakeTable(n_rows, weighted, true);
      for (auto const& name : kByColumn) {
        double expected = 0.0;
        for (std::size_t target = 0; target < 3; ++target) {
          auto const known = KnownCellsOf(table, target, target + 1);
          expected += Evaluate(name, known.predictions, known.info) / 3.0;
        }
        EXPECT_NEAR(Evaluate(name, table.predictions, table.info), expected, 1e-9) << name << " " << n_rows;
      }
    }
  }
}

TEST(MissingLabels, AColumnOfWhichNothingIsKnownIsLeftOut) {
  std::vector<float> const predictions{0.2F, 0.1F, 0.9F, kNaN, 0.4F, 0.3F};
  auto const info = MakeInfo({0.0F, kNaN, 1.0F, kNaN, 1.0F, kNaN}, {}, 2);
  auto const known = MakeInfo({0.0F, 1.0F, 1.0F});
  for (auto const* name : {"auc", "aucpr", "r2", "rmse", "logloss"}) {
    EXPECT_DOUBLE_EQ(Evaluate(name, predictions, info), Evaluate(name, {0.2F, 0.9F, 0.4F}, known)) << name;
  }
}

TEST(MissingLabels, WhereNothingIsKnownThereIsNoValue) {
  auto const info = MakeInfo({kNaN, kNaN, kNaN, kNaN}, {1.0F, 2.0F}, 2);
  for (auto const* name : {"auc", "aucpr", "r2", "rmse", "logloss", "tweedie-nloglik@1.5"}) {
    ExpectParts(MessageOf(ErrorKind::kData,
                          [&] {
                            Evaluate(name, {0.1F, 0.2F, 0.3F, 0.4F}, info);
                          }),
                {name, "all 4 labels are NaN", "some label is known"});
  }
  auto const weightless = MakeInfo({1.0F, kNaN}, {0.0F}, 2);
  EXPECT_EQ(Evaluate("rmse", {0.5F, 0.5F}, weightless), 0.0);
}

TEST(MissingLabels, AreasTakeNoNaNInOneColumn) {
  ExpectParts(MessageOf(ErrorKind::kData,
                        [&] {
                          Evaluate("auc", {0.1F, 0.2F}, MakeInfo({1.0F, kNaN}));
                        }),
              {"auc", "label nan of row 1"});
  ExpectParts(MessageOf(ErrorKind::kData,
                        [&] {
                          Evaluate("auc", {0.1F, 0.2F}, MakeInfo({kNaN, 2.0F}, {}, 2));
                        }),
              {"auc", "label 2"});
}

TEST(MissingLabels, TheLossOfARowIsThatOfItsKnownTargets) {
  auto const info = MakeInfo({1.0F, kNaN, 4.0F, kNaN, kNaN, kNaN}, {}, 3);
  auto const metric = MakeMetric("mae");
  RowLoss const loss(*metric, info, 3);
  std::vector<float> const predictions{2.0F, kNaN, 2.0F};
  EXPECT_EQ(loss.Of(0, predictions.data()), 1.5);
  EXPECT_EQ(loss.Of(1, predictions.data()), 0.0);
}

}  // namespace
}  // namespace kauri
