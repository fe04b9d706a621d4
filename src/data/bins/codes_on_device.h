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

/// Codes of dense rows in device memory. Immutable and shared by threads.
class CodesOnDevice {
 public:
  virtual ~CodesOnDevice() = default;
  /// Writes the codes in the form of BinMatrix::MutableCodes. bins: dense, with the cuts and missing values that the
  /// codes were made with, and with room for all rows. \throws Error(kDevice).
  virtual void CopyTo(BinMatrix* bins) const = 0;
};

/// Dense rows of numbers in the memory of one device: one batch, or several that come one after the other. Does not own
/// them.
struct DeviceBatches {
  using Read = std::function<void(DeviceStorage const& rows)>;

  std::int64_t n_rows = 0;  ///< number of rows of all batches
  std::int64_t n_cols = 0;
  int device = 0;
  DeviceStorage const* only = nullptr;  ///< the rows of the only batch, which stay in memory; null for several batches
  /// Calls read(rows) for each of several batches in their order; every call passes the same batches. The rows may be
  /// freed when `read` returns.
  std::function<void(Read const& read)> for_each = {};

  static DeviceBatches Of(DeviceStorage const& rows) {
    return {rows.Layout().n_rows, rows.Layout().n_cols, rows.Layout().device, &rows};
  }
};

/// A request to a device for bins.
struct BinRequest {
  int max_bin = 256;                    ///< in [2, 65535]
  QuantileCuts const* given = nullptr;  ///< cuts of numbers, made with max_bin; null: the device cuts the values
  Span<float const> weights;            ///< [n_rows] in host memory, see CutWeights; empty: equal weights
};

/// Codes and cuts that a device makes of rows in its memory.
struct CodedRows {
  std::vector<FeatureCuts> features;  ///< [n_cols], see MakeExactCuts; only n_values if the cuts were given
  /// null if the host, which supports bundles, should make the codes instead
  std::shared_ptr<CodesOnDevice const> codes;
};

}  // namespace kauri
