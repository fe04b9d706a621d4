/// \file Combinations of categorical columns in files: a member of the ordered tables. It has the maximum number of
/// columns of a combination and the number of combinations. For each combination it has the base, the further column,
/// the start of its segment, the cells, labels and weights. The member is absent if no combinations were requested.
///
/// Flat lists are the sums of labels and weights of several columns, as files store them: concatenated lists with one
/// segment per column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "booster/model_io/json.h"
#include "booster/model_io/object_reader.h"
#include "kauri/model.h"
#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri::model_io {

void WriteCombinations(OrderedEncoding const& encoding, JsonWriter* writer);

/// Returns the number of combinations. The file counts them among its n_features features. \throws Error(kModel) if no
/// other feature is left.
std::int64_t CountCombinations(ObjectReader const& tables, std::int64_t n_features);

/// Reads `count` combinations into `encoding`, whose settings and columns have been read already. \throws Error(kModel)
/// for combinations that contradict themselves or the columns, and for sums that yield no finite number.
void ReadCombinations(ObjectReader const& tables, std::int64_t count, OrderedEncoding* encoding);

template <typename T>
void WriteList(char const* key, std::vector<T> const& values, JsonWriter* writer) {
  writer->Key(key);
  writer->Numbers(Span<T const>(values));
}

/// Concatenated sums of categories: labels [n_categories, n_numbers], and weights [n_categories]. All numbers of a
/// category share its weight.
struct FlatSums {
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> weights;

  /// Appends `sums`, [n_categories, n_numbers].
  void Append(std::vector<LabelSum> const& sums, std::int64_t n_numbers);
  /// Returns the sums of the categories [begin, end), [end - begin, n_numbers].
  std::vector<LabelSum> Of(std::int64_t begin, std::int64_t end, std::int64_t n_numbers) const;
};

void WriteSums(FlatSums const& sums, JsonWriter* writer);

/// \throws Error(kModel) unless 'weights' has n_categories numbers, none below 0, and 'labels' n_numbers for each.
FlatSums ReadSums(ObjectReader const& reader, std::size_t n_categories, std::int64_t n_numbers);

/// Returns the first category of `sums`, [n_categories, n_numbers], that yields a number that is not finite. Returns
/// n_categories if there is none.
std::size_t FindNotFinite(std::vector<LabelSum> const& sums, OrderedEncoding const& encoding);

/// \throws Error(kModel) unless 'segments' ascend from 0 to n_values over n_columns, none of which is empty.
void CheckSegments(ObjectReader const& reader, std::vector<std::int64_t> const& segments, std::size_t n_columns,
                   std::size_t n_values);

}  // namespace kauri::model_io
