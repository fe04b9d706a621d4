/// \file Ordered target statistics (Prokhorenkova et al. 2018, "CatBoost: unbiased boosting with categorical features",
/// section 3.2): a category becomes a number without any row's own label in it.
///
/// Vocabulary. kauri/ordered_encoding.h defines encoded columns and their numbers;
/// combinations are described below. A cell's position is the index of its category among the ascending categories of
/// its column.
///
/// 1. Labels, times their weights, and weights become integers, so that sums do not depend on an order of adding.
/// 2. A random permutation of the rows puts each after some others.
/// 3. A row's number is the mean label of the rows before it with the same category, shrunk towards the prior. With
///    several classes, each class has its own label: 1 in its rows and 0 in others.
/// 4. Rows to be predicted come after all rows of training.
///
/// Combinations of categorical columns with ordered target statistics of their own are found greedily before the
/// first round (after Prokhorenkova et al. 2018, section 3.2, where each split searches for combinations).
///
/// Vocabulary. The information of a column ("what it tells") is the reduction of the weighted squared error when its
/// ordered numbers replace the prior, over the first rows of the first permutation. Numbers that are mostly chance
/// increase the error, so a column without information has a negative value, which counts as zero. The errors of the
/// numbers of several classes add up. A combination's surplus is its information minus the sum of the information of
/// its base and of its other column.
///
/// 1. Every pair of encoded columns is measured. Pairs with a surplus stay, at most kMostKept, the largest first.
/// 2. Each combination that stays is measured with every further column, up to the size that the settings allow, and
///    the best ones stay in the same way.
/// 3. The statistics of the combinations that stay come from all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kauri/context.h"
#include "kauri/data_matrix.h"
#include "kauri/gradient.h"
#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri {

/// The per-row data that the statistics of a matrix are computed from.
struct OrderedRows {
  std::vector<std::size_t> features;                 ///< the encoded columns, ascending, as trees number them
  std::vector<std::vector<std::int32_t>> positions;  ///< [n_encoded][n_rows]; kMissingPosition
  std::vector<FixedPair> pairs;       ///< [n_rows]: weighted label, and weight; the label is 1 for classes
  std::vector<std::int32_t> classes;  ///< [n_rows]; empty where a category has one number

  /// Returns the weighted label of a row for one number.
  std::int64_t LabelOf(std::int64_t row, std::size_t number) const {
    return classes.empty() || classes[row] == static_cast<std::int32_t>(number) ? pairs[row].gradient : 0;
  }
  /// Adds a row to `sums`, [n_numbers].
  void AddTo(Span<LabelSum> sums, std::int64_t row) const {
    for (std::size_t number = 0; number < sums.size(); ++number) {
      sums[number].labels += LabelOf(row, number);
      sums[number].weights += pairs[row].hessian;
    }
  }
};

/// Returns the sums of one position of a column.
inline Span<LabelSum> SumsAt(std::vector<LabelSum>* sums, std::int64_t position, std::int64_t n_numbers) {
  auto const length = static_cast<std::size_t>(n_numbers);
  return {sums->data() + static_cast<std::size_t>(position) * length, length};
}

/// Returns the first `count` rows of a permutation.
std::vector<std::int64_t> PermutationOf(Context const& ctx, OrderedEncoding const& encoding, std::int64_t number,
                                        std::int64_t count);

/// Returns the label sums of each position of a column: [n_positions, n_numbers].
std::vector<LabelSum> SumsOf(OrderedRows const& rows, std::vector<std::int32_t> const& positions,
                             std::size_t n_positions, std::int64_t n_numbers);

/// Returns the statistics of all rows, with the combinations that the settings ask for. Sets `rows` to the data from
/// which OrderedValues computes the numbers of a permutation. The rows of a query have its weight. Costs two passes
/// over the categorical columns. \throws Error(kData) for a label that is not finite, alone or times its weight, or is
/// not a class; as FindCategories.
OrderedEncoding MeasureOrdered(Context const& ctx, DataMatrix const& train, OrderedSettings const& settings,
                               OrderedRows* rows);

/// Returns the numbers of one permutation, [n_rows, n_encoded, n_numbers], NaN where missing. One thread computes a
/// column.
std::vector<float> OrderedValues(Context const& ctx, OrderedEncoding const& encoding, OrderedRows const& rows,
                                 std::int64_t permutation);

constexpr std::size_t kMostKept = 16;                               ///< combinations of each size
constexpr std::int64_t kMostRowsLookedAt = std::int64_t{1} << 16U;  ///< bounds the time of a pair

/// Adds combinations to `encoding`, whose columns are set, and their positions to `rows`. The result does not depend on
/// the number of threads: one thread measures a combination, in the order of the permutation. Time: pairs of columns
/// times rows measured, plus a sort of all rows for each combination that stays.
void AddCombinations(Context const& ctx, OrderedEncoding* encoding, OrderedRows* rows);

}  // namespace kauri
