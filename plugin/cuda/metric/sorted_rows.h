/// \file Rows sorted by prediction, query group by query group.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"
#include "metric/area_curves.h"

namespace kauri::cuda {

/// A row's weight in the two classes, as in RankedRow; in a ranking `positive` is the label.
struct RowWeights {
  float positive;
  float negative;
};

/// The sort key of rows, and the weights that they carry.
struct SortOrder {
  enum class Carry { kShares, kClass, kLabel };

  float const* sort_by;     ///< [n_rows] with `stride`, device
  std::int64_t stride = 1;  ///< floats from row to row
  Carry carry = Carry::kShares;
  float class_label = 0.0F;  ///< kClass: label of the positives
  bool weighted = true;      ///< by the weights of the rows, if there are any
};

struct SortedRows {
  Buffer<std::uint64_t> keys;  ///< [n_rows] the group, then DescendingFloatKey in the low half
  Buffer<RowWeights> rows;     ///< [n_rows]
};

/// Sorts rows by group, then in descending order. Equal rows keep their order. Needs 32 bytes per row while it runs.
SortedRows SortRows(CudaContext const& cuda, SortOrder const& source, DeviceInfo const& info);

/// Returns the sums up to and including each row, in units.
Buffer<CurvePoint> AddUpRows(CudaContext const& cuda, Span<RowWeights const> rows, double units);

}  // namespace kauri::cuda
