/// \file A copy of the codes column by column, used to move the rows of narrow tables to their children.
///
/// A split reads one code of each row. Deep in a tree, neighbours in a list of rows are far apart in memory. A read
/// fetches 64 bytes, of which a row with few columns uses 4 or 8. In a single column, 64 bytes hold 64 rows, most of
/// which some node of the level reads while they are in the second-level cache. Wide tables have no copy: it would be
/// as large as their codes, which are most of what training keeps in memory.
#pragma once

#include <cstdint>

#include "cuda/common/buffer.h"
#include "cuda/common/cuda_context.h"
#include "cuda/hist/bins/device_bins.h"
#include "cuda/hist/bins/row_codes.h"

namespace kauri::cuda {

class ColumnCopy {
 public:
  /// Copies narrow rows on the device whose codes have at least least_bytes, if the copy fits into a sixteenth of its
  /// free memory. Otherwise there is no copy, and `bins` are read instead. Asynchronous.
  void Make(CudaContext const& cuda, DeviceBins const& bins, std::uint64_t least_bytes = kBytesInCache);
  bool IsThere() const { return codes_.size() != 0; }
  /// bins: the ones that were passed to Make.
  CodeView View(DeviceBins const& bins) const;
  FeaturePlace PlaceOf(DeviceBins const& bins, std::uint32_t feature) const;

 private:
  Buffer<std::uint8_t> codes_;  ///< [n_columns, n_rows], or empty
};

}  // namespace kauri::cuda
