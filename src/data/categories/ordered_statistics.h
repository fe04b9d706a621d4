/// \file Ordered target statistics (Prokhorenkova et al. 2018, "CatBoost: unbiased boosting with categorical features",
/// section 3.2): a category becomes a number without any row's own label in it.
///
/// Vocabulary. Encoded columns and their numbers are those of kauri/ordered_encoding.h, combinations those of
/// ordered_combinations.h; a cell's position is its category's among those of its column, ascending.
///
/// 1. Labels, times their weights, and weights become integers, so that sums do not depend on an order of adding.
/// 2. A random permutation of the rows puts each after some others.
/// 3. A row's number is the mean label of the rows before it with its category, drawn towards the prior. Of several
///    classes each has a label, 1 in its rows and 0 in others.
/// 4. Rows that are predicted are after all rows of training.
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

/// What the statistics of a matrix are made of.
struct OrderedRows {
  std::vector<std::size_t> features;                 ///< of the encoded columns, ascending, as trees number them
  std::vector<std::vector<std::int32_t>> positions;  ///< [n_encoded][n_rows]; kMissingPosition
  std::vector<FixedPair> pairs;       ///< [n_rows]: a label times its weight, and the weight; of classes the label is 1
  std::vector<std::int32_t> classes;  ///< [n_rows]; empty where a category has one number

  /// A label times its weight, as the number has it.
  std::int64_t LabelOf(std::int64_t row, std::size_t number) const {
    return classes.empty() || classes[row] == static_cast<std::int32_t>(number) ? pairs[row].gradient : 0;
  }
  /// sums: [n_numbers].
  void AddTo(Span<LabelSum> sums, std::int64_t row) const {
    for (std::size_t number = 0; number < sums.size(); ++number) {
      sums[number].labels += LabelOf(row, number);
      sums[number].weights += pairs[row].hessian;
    }
  }
};

/// The sums of a position among those of a column.
inline Span<LabelSum> SumsAt(std::vector<LabelSum>* sums, std::int64_t position, std::int64_t n_numbers) {
  auto const length = static_cast<std::size_t>(n_numbers);
  return {sums->data() + static_cast<std::size_t>(position) * length, length};
}

/// The first `count` rows of a permutation.
std::vector<std::int64_t> PermutationOf(Context const& ctx, OrderedEncoding const& encoding, std::int64_t number,
                                        std::int64_t count);

/// [n_positions, n_numbers]: what the rows of a column add up to.
std::vector<LabelSum> SumsOf(OrderedRows const& rows, std::vector<std::int32_t> const& positions,
                             std::size_t n_positions, std::int64_t n_numbers);

/// The statistics of all rows, with the combinations that the settings ask for; `rows` gets what those of some follow
/// from. The rows of a query have its weight. Costs two passes over the categorical columns. \throws Error(kData) for a
/// label that is no finite number, or is none with its weight, or no class; as FindCategories.
OrderedEncoding MeasureOrdered(Context const& ctx, DataMatrix const& train, OrderedSettings const& settings,
                               OrderedRows* rows);

/// [n_rows, n_encoded, n_numbers], NaN where missing: the numbers of one of the permutations. A column is one thread's
/// work.
std::vector<float> OrderedValues(Context const& ctx, OrderedEncoding const& encoding, OrderedRows const& rows,
                                 std::int64_t permutation);

}  // namespace kauri
