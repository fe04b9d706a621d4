/// \file Sums of labels and weights of several columns, as files have them: lists end to end, of which each column has
/// a segment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "booster/model_io/json_writer.h"
#include "booster/model_io/object_reader.h"
#include "kauri/ordered_encoding.h"
#include "kauri/span.h"

namespace kauri::model_io {

template <typename T>
void WriteList(char const* key, std::vector<T> const& values, JsonWriter* writer) {
  writer->Key(key);
  writer->Numbers(Span<T const>(values));
}

void AppendSums(std::vector<LabelSum> const& sums, std::vector<std::int64_t>* labels,
                std::vector<std::int64_t>* weights);

/// \throws Error(kModel) unless 'labels' and 'weights' have n_values numbers, and no weight is below 0.
void CheckSums(ObjectReader const& reader, std::vector<std::int64_t> const& labels,
               std::vector<std::int64_t> const& weights, std::size_t n_values);

/// \throws Error(kModel) unless 'segments' ascend from 0 to n_values over n_columns, none of which is empty.
void CheckSegments(ObjectReader const& reader, std::vector<std::int64_t> const& segments, std::size_t n_columns,
                   std::size_t n_values);

}  // namespace kauri::model_io
