/// \file Codes that were made in the memory of a device and stay there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/sketch/sketch_cuts.h"
#include "kauri/data_matrix.h"
#include "kauri/span.h"

namespace kauri {

/// The codes of dense rows. Immutable, shared by threads.
class CodesOnDevice {
 public:
  virtual ~CodesOnDevice() = default;
  /// Writes them as BinMatrix::MutableCodes has them. bins: dense, with the cuts and missing values that they were made
  /// with, and room for all rows. \throws Error(kDevice).
  virtual void CopyTo(BinMatrix* bins) const = 0;
};

/// Dense rows of numbers in the memory of one device: of one batch, or of several that come one after the other. Not
/// owning.
struct DeviceBatches {
  using Read = std::function<void(DeviceStorage const& rows)>;

  std::int64_t n_rows = 0;  ///< of all
  std::int64_t n_cols = 0;
  int device = 0;
  DeviceStorage const* only = nullptr;  ///< where it is one batch, its rows, which stay
  /// Of several: read(rows) for each in their order, the same ones every time; rows may go when it returns.
  std::function<void(Read const& read)> for_each = {};

  static DeviceBatches Of(DeviceStorage const& rows) {
    return {rows.Layout().n_rows, rows.Layout().n_cols, rows.Layout().device, &rows};
  }
};

/// What a device is asked for.
struct BinRequest {
  int max_bin = 256;                    ///< in [2, 65535]
  QuantileCuts const* given = nullptr;  ///< cuts of numbers to take, made with max_bin; null: the values are cut
  Span<float const> weights;            ///< [n_rows] in host memory, as CutWeights says; empty: all weigh the same
};

/// What it makes of rows that it holds.
struct CodedRows {
  std::vector<FeatureCuts> features;           ///< [n_cols], as MakeExactCuts has them; n_values only of given cuts
  std::shared_ptr<CodesOnDevice const> codes;  ///< null where the host, which has bundles, should make them instead
};

}  // namespace kauri
