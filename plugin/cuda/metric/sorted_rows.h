/// \file Rows in the order of their predictions, query group by query group.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/data/device_info.h"
#include "metric/area_curves.h"

namespace kauri::cuda {

/// A row's weight in the two classes, as in RankedRow; a ranking has the label in `positive`.
struct RowWeights {
  float positive;
  float negative;
};

/// What rows are sorted by and what they carry.
struct SortOrder {
  enum class Carry { kShares, kClass, kLabel };

  float const* sort_by;     ///< [n_rows] with `stride`, device
  std::int64_t stride = 1;  ///< floats from row to row
  Carry carry = Carry::kShares;
  float class_label = 0.0F;  ///< kClass: the positives
  bool weighted = true;      ///< by the weights of the rows, if there are any
};

struct SortedRows {
  Buffer<std::uint64_t> keys;  ///< [n_rows] the group, then DescendingFloatKey in the low half
  Buffer<RowWeights> rows;     ///< [n_rows]
};

/// By group, then descending; equal ones keep their order. Needs 32 bytes per row while it runs.
SortedRows SortRows(CudaContext const& cuda, SortOrder const& source, DeviceInfo const& info);

/// Sums up to and including each row, in units.
Buffer<CurvePoint> AddUpRows(CudaContext const& cuda, Span<RowWeights const> rows, double units);

}  // namespace kauri::cuda
