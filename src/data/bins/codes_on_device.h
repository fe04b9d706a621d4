/// \file Codes that were made in the memory of a device and stay there.
#pragma once

#include <memory>
#include <vector>

#include "data/bins/bin_matrix.h"
#include "data/sketch/sketch_cuts.h"
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
