/// \file Splits that reduce the errors of the best constants, by the definition; rows for testing searches.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "support/random_matrix.h"
#include "tree/absolute_error/fixed_residuals.h"
#include "tree/growth/split_search.h"

namespace kauri::testing {

/// Rows, their weights, and the slopes of the loss.
struct Rows {
  std::vector<float> values;  // [n, n_cols]
  std::int64_t n_cols = 1;
  std::vector<float> residuals;
  std::vector<float> weights;
  double above = 1.0;
  double below = 1.0;
  bool sparse = false;

  LineErrors Errors() const { return {residuals, weights, above, below}; }
};

/// Returns the errors of the best constant, which is one of the residuals.
inline double NaiveErrors(Rows const& rows, std::vector<std::size_t> const& chosen) {
  std::vector<std::pair<float, double>> sorted;
  auto total = 0.0;
  for (auto const row : chosen) {
    auto const weight = rows.weights.empty() ? 1.0 : static_cast<double>(rows.weights[row]);
    sorted.emplace_back(rows.residuals[row], weight);
    total += weight;
  }
  std::sort(sorted.begin(), sorted.end());
  auto const target = rows.above / (rows.above + rows.below) * total;
  auto reached = 0.0;
  auto constant = 0.0;
  for (auto const& [residual, weight] : sorted) {
    reached += weight;
    constant = static_cast<double>(residual);
    if (reached >= target) break;
  }
  auto errors = 0.0;
  for (auto const& [residual, weight] : sorted) {
    auto const distance = static_cast<double>(residual) - constant;
    errors += weight * (distance > 0.0 ? rows.above * distance : -rows.below * distance);
  }
  return errors;
}

inline double NaiveGain(Rows const& rows, std::uint32_t feature, float threshold, bool default_left) {
  std::vector<std::size_t> all(rows.residuals.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  std::vector<std::size_t> sides[2];
  for (auto const row : all) {
    auto const value = rows.values[row * static_cast<std::size_t>(rows.n_cols) + feature];
    auto const left = std::isnan(value) ? default_left : value < threshold;
    sides[left ? 0 : 1].push_back(row);
  }
  if (sides[0].empty() || sides[1].empty()) return 0.0;
  return NaiveErrors(rows, all) - NaiveErrors(rows, sides[0]) - NaiveErrors(rows, sides[1]);
}

/// The best split of all rows found by a search, with its gain and the largest gain by the definition.
struct Found {
  SplitCandidate split;
  double gain = 0.0;
  double largest = 0.0;
};

template <typename SplitSearch>
SplitCandidate BestSplit(Rows const& rows, QuantileCuts const& cuts, DataMatrix const& data) {
  BinMatrix const bins(Context{}, data, cuts);
  FixedResiduals const residuals(Context{}, rows.Errors(), {});
  GainParam gain;
  gain.min_child_weight = 0.0;
  std::vector<FixedPair> const pairs(rows.residuals.size(), {0, 1});
  NodeTotal total;
  total.sum = {0, static_cast<std::int64_t>(pairs.size())};
  SplitSearch search(bins, residuals, gain, pairs);
  typename SplitSearch::Node node;
  node.rows = {nullptr, 0, bins.NumRows()};
  node.total = &total;
  search.Prepare(&node);
  typename SplitSearch::Scratch scratch;
  SplitCandidate best;
  for (std::uint32_t feature = 0; feature < static_cast<std::uint32_t>(rows.n_cols); ++feature) {
    auto const found = search.Find(node, feature, &scratch);
    if (IsBetter(found, best)) best = found;
  }
  return best;
}

template <typename SplitSearch>
Found Search(Rows const& rows, int max_bin = 32) {
  auto const data = MakeMatrix(rows.values, rows.n_cols, rows.sparse);
  auto const cuts = MakeQuantileCuts(Context{}, *data, max_bin);
  Found found{BestSplit<SplitSearch>(rows, cuts, *data)};
  if (!found.split.IsValid()) return found;
  found.gain = NaiveGain(rows, found.split.feature, found.split.threshold, found.split.default_left);
  for (std::uint32_t feature = 0; feature < static_cast<std::uint32_t>(rows.n_cols); ++feature) {
    for (std::uint32_t bin = 0; bin < cuts.NumBins(feature); ++bin) {
      for (auto const default_left : {false, true}) {
        found.largest = std::max(found.largest, NaiveGain(rows, feature, cuts.Of(feature)[bin], default_left));
      }
    }
  }
  return found;
}

/// The medians of the first four rows and of the rest are 0 and 10, so the errors of that split are 0 + 1 + 9 = 10. The
/// errors of all rows, with median 10 (the sixth of ten), are 4 * 10 + 1 + 9 = 50.
template <typename SplitSearch>
void ExpectTheStumpOfTenPoints() {
  Rows rows;
  rows.values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  rows.residuals = {0, 0, 0, 0, 10, 10, 10, 10, 11, 19};
  auto const split = Search<SplitSearch>(rows).split;
  EXPECT_EQ(split.feature, 0U);
  EXPECT_EQ(split.threshold, 5.0F);
  EXPECT_FALSE(split.default_left);
  EXPECT_EQ(split.loss_change, 40.0);
  EXPECT_EQ(split.left.hessian, 4);
  EXPECT_EQ(split.right.hessian, 6);
}

/// Returns rows with labels that depend on the first two columns. kind 0: unchanged, 1: with heavy tails, 2: skewed.
inline Rows MakeRows(int kind, double missing, std::uint64_t seed) {
  MatrixSpec spec;
  spec.n_rows = 1500;
  spec.n_cols = 3;
  spec.missing = missing;
  spec.seed = seed;
  Rows rows;
  rows.values = MakeValues(spec);
  rows.n_cols = 3;
  Random random(seed + 100);
  for (std::int64_t row = 0; row < spec.n_rows; ++row) {
    auto const* values = rows.values.data() + row * 3;
    auto const first = std::isnan(values[0]) ? 1.0F : values[0];
    auto const second = std::isnan(values[1]) ? 0.0F : values[1];
    auto label = first + 0.5F * second * second + 0.5F * random.Normal();
    if (kind == 1) label += static_cast<float>(std::tan(3.1 * (random.Uniform() - 0.5)));
    if (kind == 2) label = std::exp(2.0F * label);
    rows.residuals.push_back(label);
  }
  return rows;
}

}  // namespace kauri::testing
