/// \file Tables for the tests of hist on the device: seeded rows, labels that depend on them, gradients of a caller.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "support/random_matrix.h"

namespace kauri::testing {

/// Cells with missing values: none, one in five, all of the second column (or of the only one), or all of these by
/// column.
enum class Missing { kNone, kSome, kColumn, kMixed };
/// Normal deviates; integers below 5; ones; columns that are mostly one value; one-hot columns, with the most levels,
/// up to 10, that divide the number of columns.
enum class Values { kNormal, kFew, kOnes, kFlags, kOneHot };

struct Table {
  std::int64_t n_rows = 600;
  std::int64_t n_cols = 5;
  Missing missing = Missing::kNone;
  Values values = Values::kNormal;
  bool sparse = false;                     ///< CSR storage; missing cells, and zeros of one-hot columns, are left out
  std::vector<std::uint32_t> levels = {};  ///< the last columns are categories, with these numbers of levels
  bool weights = false;
  std::uint64_t seed = 1;
};

inline std::string Text(Table const& table) {
  std::ostringstream text;
  text << table.n_rows << " rows x " << table.n_cols << " columns, missing kind " << static_cast<int>(table.missing)
       << ", values kind " << static_cast<int>(table.values) << (table.sparse ? ", sparse" : "")
       << (table.weights ? ", weights" : "") << ", seed " << table.seed;
  for (auto const n_levels : table.levels) text << ", " << n_levels << " levels";
  return text.str();
}

inline double ChanceOfMissing(Missing missing, std::int64_t column, std::int64_t n_cols) {
  auto const only = n_cols == 1 || column == 1;
  switch (missing) {
    case Missing::kNone:
      return 0.0;
    case Missing::kSome:
      return 0.2;
    case Missing::kColumn:
      return only ? 1.0 : 0.0;
    default:
      return only ? 1.0 : column % 3 == 0 ? 0.0 : 0.4;
  }
}

inline std::vector<float> MakePlainValues(Table const& table) {
  if (table.values == Values::kFlags) return MakeFlagValues(table.n_rows, table.n_cols, false, table.seed);
  if (table.values == Values::kOneHot) {
    auto n_levels = static_cast<std::uint32_t>(std::min<std::int64_t>(table.n_cols, 10));
    while (n_levels > 1 && table.n_cols % n_levels != 0) --n_levels;
    if (n_levels == 1) n_levels = static_cast<std::uint32_t>(table.n_cols);
    auto const n_variables = static_cast<std::uint32_t>(table.n_cols) / n_levels;
    return MakeOneHotValues(table.n_rows, n_variables, n_levels, table.sparse);
  }
  auto const n_distinct = table.values == Values::kNormal ? 0U : table.values == Values::kFew ? 5U : 1U;
  return MakeValues({table.n_rows, table.n_cols, 0.0, n_distinct, false, table.seed});
}

/// Sets categories with frequent levels and rare ones.
inline void SetCategories(Table const& table, Random* random, std::vector<float>* values) {
  auto const n_numbers = table.n_cols - static_cast<std::int64_t>(table.levels.size());
  for (std::int64_t row = 0; row < table.n_rows; ++row) {
    for (std::size_t place = 0; place < table.levels.size(); ++place) {
      auto const level = std::floor(random->Uniform() * random->Uniform() * table.levels[place]);
      (*values)[row * table.n_cols + n_numbers + static_cast<std::int64_t>(place)] = static_cast<float>(level);
    }
  }
}

/// Returns the values, [n_rows, n_cols] row-major, NaN if missing.
inline std::vector<float> MakeTableValues(Table const& table) {
  auto values = MakePlainValues(table);
  Random random(table.seed + 1000);
  SetCategories(table, &random, &values);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    auto const column = static_cast<std::int64_t>(cell) % table.n_cols;
    auto const chance = ChanceOfMissing(table.missing, column, table.n_cols);
    if (random.Uniform() < chance) values[cell] = std::numeric_limits<float>::quiet_NaN();
  }
  return values;
}

/// Returns the signal of the labels: the first columns, a product, the levels of categories, and noise.
inline std::vector<float> MakeSignal(Table const& table, std::vector<float> const& values, std::int64_t target) {
  Random random(table.seed + 2000 + static_cast<std::uint64_t>(target));
  std::vector<float> signal;
  auto const first_category = table.n_cols - static_cast<std::int64_t>(table.levels.size());
  for (std::int64_t row = 0; row < table.n_rows; ++row) {
    auto sum = 0.3F * random.Normal();
    auto product = 1.0F;
    for (std::int64_t column = 0; column < table.n_cols; ++column) {
      auto const value = values[row * table.n_cols + column];
      if (std::isnan(value)) continue;
      if (column >= first_category) sum += static_cast<float>(std::sin(1.7 * static_cast<double>(value)));
      if (column < 3) product *= value;
      if (column < 6) sum += value / static_cast<float>(column + 1 + target);
    }
    signal.push_back(sum + product);
  }
  return signal;
}

/// Returns a label that `objective` accepts. n_classes: for objectives with classes.
inline float LabelFor(std::string const& objective, float signal, int n_classes) {
  auto const is = [&](char const* part) { return objective.find(part) != std::string::npos; };
  if (is("multi:")) return std::floor(std::min(0.999F, std::fabs(signal) / 3.0F) * static_cast<float>(n_classes));
  if (is("rank:map")) return signal > 0.0F ? 1.0F : 0.0F;
  if (is("rank:")) return std::floor(std::min(4.0F, std::fabs(signal)));
  if (is("binary:") || is("logistic")) return signal > 0.0F ? 1.0F : 0.0F;
  auto const positive = std::exp(std::min(2.0F, std::max(-2.0F, 0.5F * signal)));
  if (is("dist:") && (is("poisson") || is("binomial"))) return std::floor(positive);
  if (is("gamma") || is("tweedie") || is("poisson") || is("log") || is("survival")) return positive;
  return signal;
}

constexpr std::int64_t kGroupRows = 25;

/// Fills the rest of the info: label bounds, groups if `objective` ranks, weights of rows or groups, column kinds.
inline void FillInfo(Table const& table, std::string const& objective, MetaInfo* info) {
  Random random(table.seed + 3000);
  auto const ranks = objective.rfind("rank:", 0) == 0;
  for (std::int64_t row = 0; ranks && row < table.n_rows; row += kGroupRows) info->group_ptr.push_back(row);
  if (ranks) info->group_ptr.push_back(table.n_rows);
  auto const n_weights = ranks ? static_cast<std::int64_t>(info->group_ptr.size()) - 1 : table.n_rows;
  for (std::int64_t i = 0; table.weights && i < n_weights; ++i) {
    info->weights.push_back(i % 9 == 4 ? 0.0F : 0.5F + 2.0F * static_cast<float>(random.Uniform()));
  }
  for (std::size_t row = 0; objective == "survival:aft" && row < static_cast<std::size_t>(table.n_rows); ++row) {
    info->label_lower_bound.push_back(info->labels[row]);
    info->label_upper_bound.push_back(info->labels[row] * (row % 3 == 0 ? 1.0F : 2.5F));
  }
  if (table.levels.empty()) return;
  info->feature_types.assign(static_cast<std::size_t>(table.n_cols), "float");
  std::fill(info->feature_types.end() - static_cast<std::ptrdiff_t>(table.levels.size()), info->feature_types.end(),
            "c");
}

struct LabelKind {
  std::string objective = "reg:squarederror";
  int n_classes = 0;
  std::int64_t n_targets = 1;
};

inline void SetInfo(Table const& table, LabelKind const& kind, std::vector<float> const& values, MetaInfo* info) {
  info->n_targets = kind.n_targets;
  info->labels.resize(static_cast<std::size_t>(table.n_rows * kind.n_targets));
  for (std::int64_t target = 0; target < kind.n_targets; ++target) {
    auto const signal = MakeSignal(table, values, target);
    for (std::int64_t row = 0; row < table.n_rows; ++row) {
      info->labels[row * kind.n_targets + target] = LabelFor(kind.objective, signal[row], kind.n_classes);
    }
  }
  FillInfo(table, kind.objective, info);
}

inline std::shared_ptr<DataMatrix> MakeTable(Table const& table, LabelKind const& kind = {}) {
  auto const values = MakeTableValues(table);
  std::shared_ptr<DataMatrix> data = MakeMatrix(values, table.n_cols, table.sparse);
  SetInfo(table, kind, values, data->MutableInfo());
  return data;
}

/// The source of gradients: the objective, or a caller. kHalfNegative has hessians of both signs, kConstant the same
/// hessian everywhere, kCoarse gradients -1, 0 and 1 (many ties), kFewRows zero pairs in most rows, kZero zero pairs in
/// all rows.
enum class Gradients { kObjective, kNormal, kHalfNegative, kConstant, kCoarse, kFewRows, kZero };

/// Returns [n] pairs of a caller.
inline std::vector<GradientPair> MakePairs(Gradients kind, std::int64_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<GradientPair> pairs;
  for (std::int64_t i = 0; i < n; ++i) {
    GradientPair pair{random.Normal(), static_cast<float>(1.0 - random.Uniform())};
    if (kind == Gradients::kHalfNegative && random.Below(4) == 0) pair.hessian = -pair.hessian;
    if (kind == Gradients::kConstant) pair.hessian = 0.75F;
    if (kind == Gradients::kCoarse) pair = {static_cast<float>(random.Below(3)) - 1.0F, 1.0F};
    if (kind == Gradients::kFewRows && random.Below(10) != 0) pair = {};
    if (kind == Gradients::kZero) pair = {};
    pairs.push_back(pair);
  }
  return pairs;
}

}  // namespace kauri::testing
